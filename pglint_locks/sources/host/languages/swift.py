"""Swift."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds, own_name
from pglint_locks.sources.host.tree import Node


def _named(node: Node) -> Node | None:
    """The type that an extension is for; else the own name."""
    extended = [child for child in node.children if child.kind == "user_type"]
    return own_name(node) or (extended[0] if extended else None)


SWIFT = Language(
    grammar="swift",
    forms=(
        Form(re.compile(r'(?P<hash>#+)(?P<quote>"""|")'), "%(quote)s%(hash)s"),
        Form(re.compile('(?P<quote>"""|")'), "%(quote)s", escapes.BACKSLASH),
    ),
    strings=kinds("line_string_literal multi_line_string_literal raw_string_literal"),
    holes=kinds("interpolated_expression"),
    marks=frozenset({"\\(", "raw_str_interpolation_start", ")"}),
    sums=kinds("additive_expression"),
    signs=frozenset({"+"}),
    names=kinds("simple_identifier"),
    members=kinds("navigation_expression"),
    invocations=kinds("call_expression"),
    arguments=kinds("call_suffix value_arguments"),
    functions=kinds("function_declaration init_declaration lambda_literal"),
    anonymous=kinds("lambda_literal"),
    classes=kinds("class_declaration protocol_declaration"),
    bodies=kinds("source_file statements class_body enum_class_body"),
    branches=kinds("if_statement guard_statement"),
    loops=kinds("for_statement while_statement repeat_while_statement"),
    tries=kinds("do_statement"),
    handlers=kinds("catch_block"),
    cases=kinds("switch_entry"),
    leaves=kinds("control_transfer_statement"),
    choices={"ternary_expression": (1, 2)},
    lists=kinds("array_literal"),
    named=_named,
    calls={
        "joined": Does.JOIN_OWN,
        "raw": Does.SAME_AS_FIRST,
        "append": Does.CONCAT,
        "String": Does.PERCENT_OF_FIRST,
        "trimmingCharacters": Does.SAME,
    },
)
