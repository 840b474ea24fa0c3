"""Go."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds
from pglint_locks.sources.host.tree import Node

_RECEIVER = re.compile(r"func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*\w")


def _receiver(node: Node, text: str) -> str:
    """The type that a method belongs to, with a dot."""
    found = _RECEIVER.match(text, node.span.start, node.span.end)
    return f"{found[1]}." if found and node.kind == "method_declaration" else ""


GO = Language(
    grammar="go",
    forms=(
        Form(re.compile("`"), "`"),
        Form(re.compile('"'), '"', escapes.BACKSLASH),
    ),
    strings=kinds("interpreted_string_literal raw_string_literal"),
    holes=frozenset(),
    sums=kinds("binary_expression"),
    signs=frozenset({"+"}),
    names=kinds("identifier"),
    members=kinds("selector_expression"),
    invocations=kinds("call_expression"),
    arguments=kinds("argument_list"),
    functions=kinds("function_declaration method_declaration func_literal"),
    anonymous=kinds("func_literal"),
    classes=frozenset(),
    bodies=kinds("source_file block statement_list"),
    branches=kinds("if_statement"),
    loops=kinds("for_statement"),
    tries=frozenset(),
    handlers=frozenset(),
    cases=kinds("expression_case default_case type_case communication_case"),
    leaves=kinds("return_statement"),
    lists=kinds("literal_value"),
    deferred=kinds("defer_statement"),
    prefix=_receiver,
    calls={
        "Sprintf": Does.PERCENT_OF_FIRST,
        "Sprint": Does.SAME_AS_FIRST,
        "Join": Does.JOIN_WITH_SECOND,
        "append": Does.ADD_TO_FIRST,
        "WriteString": Does.CONCAT,
        "String": Does.SAME,
        "Fprint": Does.INTO_FIRST,
        "Fprintln": Does.INTO_FIRST,
        "Fprintf": Does.PERCENT_INTO_FIRST,
        "TrimSpace": Does.SAME_AS_FIRST,
        "Rebind": Does.SAME_AS_FIRST,
        "Raw": Does.SAME_AS_FIRST,
    },
)
