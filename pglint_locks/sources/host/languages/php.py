"""PHP."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

_TAG = r"<<<[ \t]*(?P<quote>[\"']?)(?P<tag>\w+)(?P=quote)[ \t]*(?:\r\n|\n|\r)"

PHP = Language(
    grammar="php",
    forms=(
        Form(re.compile(_TAG.replace(r"[\"']?", "'")), "%(tag)s"),
        Form(re.compile(_TAG), "%(tag)s", escapes.BACKSLASH),
        Form(re.compile("'"), "'", escapes.QUOTES),
        Form(re.compile('"'), '"', escapes.BACKSLASH),
    ),
    strings=kinds("string encapsed_string heredoc nowdoc"),
    holes=kinds(
        """variable_name member_access_expression nullsafe_member_access_expression
        subscript_expression dynamic_variable_name member_call_expression
        scoped_property_access_expression scoped_call_expression function_call_expression"""
    ),
    marks=frozenset("{}"),
    sums=kinds("binary_expression"),
    signs=frozenset({"."}),
    names=kinds("variable_name name"),
    members=kinds(
        """member_access_expression class_constant_access_expression
        scoped_property_access_expression nullsafe_member_access_expression"""
    ),
    invocations=kinds(
        """function_call_expression member_call_expression nullsafe_member_call_expression
        scoped_call_expression object_creation_expression"""
    ),
    arguments=kinds("arguments"),
    functions=kinds(
        "function_definition method_declaration anonymous_function arrow_function "
        "anonymous_function_creation_expression"
    ),
    anonymous=kinds("anonymous_function arrow_function anonymous_function_creation_expression"),
    classes=kinds("class_declaration interface_declaration trait_declaration enum_declaration"),
    bodies=kinds("program compound_statement declaration_list switch_block"),
    branches=kinds("if_statement"),
    loops=kinds("for_statement foreach_statement while_statement do_statement"),
    tries=kinds("try_statement"),
    handlers=kinds("catch_clause"),
    cases=kinds("case_statement default_statement"),
    leaves=kinds("return_statement throw_expression"),
    choices={"conditional_expression": (1, 2)},
    assigning=frozenset({"=", ".="}),
    not_assignments=kinds("simple_parameter property_promotion_parameter"),
    lists=kinds("array_creation_expression"),
    calls={
        "sprintf": Does.PERCENT_OF_FIRST,
        "vsprintf": Does.SAME_AS_FIRST,
        "implode": Does.JOIN_WITH_FIRST,
        "join": Does.JOIN_WITH_FIRST,
        "trim": Does.SAME_AS_FIRST,
        "raw": Does.SAME_AS_FIRST,
        "quote": Does.LITERAL,
    },
)
