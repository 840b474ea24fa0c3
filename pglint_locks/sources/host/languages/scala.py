"""Scala."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

SCALA = Language(
    grammar="scala",
    forms=(
        Form(re.compile(r'\w+"""'), '"""', escapes.SPLICED),
        Form(re.compile('"""'), '"""'),
        Form(re.compile(r'\w*"'), '"', escapes.BACKSLASH_SPLICED),
    ),
    strings=kinds("string interpolated_string_expression"),
    holes=kinds("interpolation"),
    sums=kinds("infix_expression"),
    signs=frozenset({"+", "++"}),
    assigning=frozenset({"=", "+=", "++="}),
    names=kinds("identifier"),
    members=kinds("field_expression"),
    invocations=kinds("call_expression instance_expression"),
    arguments=kinds("arguments"),
    functions=kinds("function_definition lambda_expression"),
    anonymous=kinds("lambda_expression"),
    classes=kinds("class_definition object_definition trait_definition"),
    bodies=kinds("compilation_unit template_body block case_block indented_block"),
    branches=kinds("if_expression"),
    loops=kinds("for_expression while_expression do_while_expression"),
    tries=kinds("try_expression"),
    handlers=kinds("catch_clause"),
    cases=kinds("case_clause"),
    leaves=kinds("return_expression throw_expression"),
    choices={"if_expression": (1, 2)},
    spaced=('fr"',),
    words=kinds("operator_identifier"),
    calls={
        "format": Does.PERCENT,
        "mkString": Does.JOIN_OWN,
        "List": Does.LIST,
        "Seq": Does.LIST,
        "SQL": Does.SAME_AS_FIRST,
        "append": Does.CONCAT,
        "StringBuilder": Does.SAME_AS_FIRST,
        "toString": Does.SAME,
        "trim": Does.SAME,
        "stripMargin": Does.WITHOUT_MARGIN,
    },
)
