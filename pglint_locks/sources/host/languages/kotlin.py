"""Kotlin."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

KOTLIN = Language(
    grammar="kotlin",
    forms=(
        Form(re.compile('"""'), '"""'),
        Form(re.compile('"'), '"', escapes.BACKSLASH),
    ),
    strings=kinds("string_literal"),
    holes=kinds("interpolated_identifier interpolated_expression"),
    marks=kinds(
        """interpolation_identifier_start interpolation_expression_start
        interpolation_expression_end"""
    )
    | frozenset({"$", "${", "}"}),
    sums=kinds("additive_expression"),
    signs=frozenset({"+"}),
    names=kinds("simple_identifier interpolated_identifier"),
    members=kinds("navigation_expression"),
    invocations=kinds("call_expression"),
    arguments=kinds("call_suffix value_arguments"),
    functions=kinds("function_declaration secondary_constructor lambda_literal anonymous_function"),
    anonymous=kinds("lambda_literal anonymous_function secondary_constructor"),
    classes=kinds("class_declaration object_declaration"),
    bodies=kinds("source_file statements class_body enum_class_body control_structure_body"),
    branches=kinds("if_expression"),
    loops=kinds("for_statement while_statement do_while_statement"),
    tries=kinds("try_expression"),
    handlers=kinds("catch_block"),
    cases=kinds("when_entry"),
    leaves=kinds("jump_expression"),
    choices={"if_expression": (1, 2)},
    calls={
        "format": Does.PERCENT,
        "joinToString": Does.JOIN_OWN,
        "listOf": Does.LIST,
        "buildString": Does.BUILD,
        "append": Does.CONCAT,
        "appendLine": Does.CONCAT,
        "plus": Does.CONCAT,
        "StringBuilder": Does.SAME_AS_FIRST,
        "toString": Does.SAME,
        "trim": Does.SAME,
        "trimIndent": Does.SAME,
        "trimMargin": Does.WITHOUT_MARGIN,
        "add": Does.ADD,
        "addAll": Does.EXTEND,
    },
)
