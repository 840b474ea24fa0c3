"""C#."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

CSHARP = Language(
    grammar="csharp",
    forms=(
        Form(re.compile(r'\$*(?P<quote>"{3,})'), "%(quote)s"),
        Form(re.compile(r'(?:\$@|@\$)"'), '"', escapes.DOUBLED_BRACES),
        Form(re.compile('@"'), '"', escapes.DOUBLED),
        Form(re.compile(r'\$"'), '"', escapes.FORMATTED),
        Form(re.compile('"'), '"', escapes.BACKSLASH),
    ),
    strings=kinds(
        """string_literal verbatim_string_literal raw_string_literal
        interpolated_string_expression"""
    ),
    holes=kinds("interpolation"),
    sums=kinds("binary_expression"),
    signs=frozenset({"+"}),
    names=kinds("identifier"),
    members=kinds("member_access_expression"),
    invocations=kinds("invocation_expression object_creation_expression"),
    arguments=kinds("argument_list"),
    functions=kinds(
        """method_declaration constructor_declaration local_function_statement
        lambda_expression anonymous_method_expression"""
    ),
    anonymous=kinds("lambda_expression anonymous_method_expression"),
    classes=kinds(
        """class_declaration interface_declaration struct_declaration record_declaration
        enum_declaration"""
    ),
    bodies=kinds("compilation_unit declaration_list block switch_body"),
    branches=kinds("if_statement"),
    loops=kinds("for_statement foreach_statement while_statement do_statement"),
    tries=kinds("try_statement"),
    handlers=kinds("catch_clause"),
    cases=kinds("switch_section switch_expression_arm"),
    leaves=kinds("return_statement throw_statement"),
    choices={"conditional_expression": (1, 2)},
    not_assignments=kinds("parameter attribute_argument"),
    lists=kinds("initializer_expression collection_expression"),
    scoped=kinds("using_statement"),
    calls={
        "Format": Does.BRACES_OF_FIRST,
        "Join": Does.JOIN_WITH_FIRST,
        "Concat": Does.CONCAT,
        "Append": Does.CONCAT,
        "AppendLine": Does.CONCAT,
        "AppendFormat": Does.CONCAT_BRACES,
        "StringBuilder": Does.SAME_AS_FIRST,
        "ToString": Does.SAME,
        "Trim": Does.SAME,
        "Add": Does.ADD,
        "AddRange": Does.EXTEND,
    },
)
