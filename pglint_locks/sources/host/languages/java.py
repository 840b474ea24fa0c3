"""Java."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

JAVA = Language(
    grammar="java",
    forms=(Form(re.compile('(?P<quote>"""|")'), "%(quote)s", escapes.BACKSLASH),),
    strings=kinds("string_literal"),
    holes=frozenset(),
    sums=kinds("binary_expression"),
    signs=frozenset({"+"}),
    names=kinds("identifier"),
    members=kinds("field_access"),
    invocations=kinds("method_invocation object_creation_expression"),
    arguments=kinds("argument_list"),
    functions=kinds(
        """method_declaration constructor_declaration compact_constructor_declaration
        lambda_expression"""
    ),
    anonymous=kinds("lambda_expression"),
    classes=kinds(
        """class_declaration interface_declaration enum_declaration record_declaration
        annotation_type_declaration"""
    ),
    bodies=kinds(
        """program block class_body interface_body enum_body enum_body_declarations
        constructor_body switch_block switch_block_statement_group"""
    ),
    branches=kinds("if_statement"),
    loops=kinds("for_statement enhanced_for_statement while_statement do_statement"),
    tries=kinds("try_statement try_with_resources_statement"),
    handlers=kinds("catch_clause"),
    cases=kinds("switch_block_statement_group switch_rule"),
    leaves=kinds("return_statement throw_statement"),
    choices={"ternary_expression": (1, 2)},
    not_assignments=kinds("element_value_pair"),
    lists=kinds("array_initializer"),
    calls={
        "format": Does.PERCENT_OF_FIRST,
        "formatted": Does.PERCENT,
        "join": Does.JOIN_WITH_FIRST,
        "of": Does.LIST,
        "asList": Does.LIST,
        "append": Does.CONCAT,
        "concat": Does.CONCAT,
        "StringBuilder": Does.SAME_AS_FIRST,
        "StringBuffer": Does.SAME_AS_FIRST,
        "toString": Does.SAME,
        "strip": Does.SAME,
        "stripIndent": Does.SAME,
        "trim": Does.SAME,
        "add": Does.ADD,
    },
)
