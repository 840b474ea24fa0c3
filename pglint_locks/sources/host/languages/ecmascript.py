"""JavaScript and TypeScript."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

JAVASCRIPT = Language(
    grammar="javascript",
    forms=(Form(re.compile("(?P<quote>[\"'`])"), "%(quote)s", escapes.BACKSLASH),),
    strings=kinds("string template_string"),
    holes=kinds("template_substitution"),
    sums=kinds("binary_expression"),
    signs=frozenset({"+"}),
    ands=frozenset({"&&"}),
    names=kinds("identifier shorthand_property_identifier"),
    fields=kinds("property_identifier private_property_identifier"),
    members=kinds("member_expression"),
    invocations=kinds("call_expression new_expression"),
    arguments=kinds("arguments"),
    functions=kinds(
        """function_declaration function_expression arrow_function method_definition
        generator_function generator_function_declaration"""
    ),
    anonymous=kinds("arrow_function function_expression generator_function"),
    classes=kinds("class_declaration class abstract_class_declaration internal_module"),
    bodies=kinds("program statement_block class_body"),
    branches=kinds("if_statement"),
    loops=kinds("for_statement for_in_statement while_statement do_statement"),
    tries=kinds("try_statement"),
    handlers=kinds("catch_clause"),
    cases=kinds("switch_case switch_default"),
    leaves=kinds("return_statement throw_statement"),
    choices={"ternary_expression": (1, 2)},
    not_assignments=kinds(
        "assignment_pattern object_assignment_pattern jsx_attribute required_parameter "
        "optional_parameter"
    ),
    lists=kinds("array"),
    calls={
        "join": Does.JOIN_OWN,
        "concat": Does.CONCAT,
        "push": Does.ADD,
        "trim": Does.SAME,
        "filter": Does.SAME,
        "toString": Does.SAME,
        "raw": Does.SAME_AS_FIRST,
        "unsafe": Does.SAME_AS_FIRST,
        "format": Does.PERCENT_OF_FIRST,
        "identifier": Does.IDENTIFIER,
        "escapeIdentifier": Does.IDENTIFIER,
        "escapeLiteral": Does.LITERAL,
    },
)
TYPESCRIPT = JAVASCRIPT._replace(grammar="typescript")
TSX = JAVASCRIPT._replace(grammar="tsx")
