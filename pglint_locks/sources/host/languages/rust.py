"""Rust."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds, own_name
from pglint_locks.sources.host.tree import Node


def _named(node: Node) -> Node | None:
    """The type that an `impl` is for; else the own name."""
    if node.kind != "impl_item":
        return own_name(node)
    types = [child for child in node.children if child.kind in _TYPES]
    return own_name(types[-1]) or types[-1] if types else None


_TYPES = frozenset({"type_identifier", "generic_type", "scoped_type_identifier"})

RUST = Language(
    grammar="rust",
    forms=(
        Form(re.compile('b?c?r(?P<hash>#*)"'), '"%(hash)s'),
        Form(re.compile('[bc]?"'), '"', escapes.LINES_CUT),
    ),
    strings=kinds("string_literal raw_string_literal"),
    holes=frozenset(),
    sums=kinds("binary_expression"),
    signs=frozenset({"+"}),
    names=kinds("identifier"),
    members=kinds("field_expression scoped_identifier"),
    invocations=kinds("call_expression macro_invocation"),
    arguments=kinds("arguments token_tree"),
    functions=kinds("function_item closure_expression"),
    anonymous=kinds("closure_expression"),
    classes=kinds("impl_item mod_item trait_item"),
    bodies=kinds("source_file block declaration_list match_block"),
    branches=kinds("if_expression"),
    loops=kinds("for_expression while_expression loop_expression"),
    tries=frozenset(),
    handlers=frozenset(),
    cases=kinds("match_arm"),
    leaves=kinds("return_expression"),
    choices={"if_expression": (1, 2)},
    lists=kinds("array_expression"),
    captures=True,
    named=_named,
    calls={
        "format": Does.BRACES_OF_FIRST,
        "concat": Does.CONCAT_ALL,
        "from": Does.SAME_AS_FIRST,
        "new": Does.SAME_AS_FIRST,
        "push_str": Does.CONCAT,
        "push": Does.CONCAT,
        "push_bind": Does.BIND,
        "write": Does.BRACES_INTO_FIRST,
        "writeln": Does.BRACES_INTO_FIRST,
        "join": Does.JOIN_OWN,
        "to_string": Does.SAME,
        "to_owned": Does.SAME,
        "into": Does.SAME,
        "as_str": Does.SAME,
        "trim": Does.SAME,
    },
)
