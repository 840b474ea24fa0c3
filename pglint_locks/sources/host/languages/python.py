"""Python."""

from __future__ import annotations

import re

from pglint_locks.sources.host import escapes
from pglint_locks.sources.host.language import Does, Form, Language, kinds

_QUOTE = "(?P<quote>\"\"\"|'''|\"|')"
_CLOSING = "%(quote)s"
_RAW = "(?=[a-z]*r)"
_FORMATTED = "(?=[a-z]*[ft])"


def _opening(prefix: str) -> re.Pattern[str]:
    return re.compile(rf"(?i:{prefix}[a-z]*){_QUOTE}")


PYTHON = Language(
    grammar="python",
    forms=(
        Form(_opening(_RAW + _FORMATTED), _CLOSING, escapes.BRACES),
        Form(_opening(_RAW), _CLOSING),
        Form(_opening(_FORMATTED), _CLOSING, escapes.FORMATTED),
        Form(_opening(""), _CLOSING, escapes.BACKSLASH),
    ),
    strings=kinds("string"),
    joined=kinds("concatenated_string"),
    holes=kinds("interpolation"),
    sums=kinds("binary_operator"),
    signs=frozenset({"+"}),
    percent_sign=True,
    names=kinds("identifier"),
    members=kinds("attribute"),
    invocations=kinds("call"),
    arguments=kinds("argument_list"),
    functions=kinds("function_definition lambda"),
    classes=kinds("class_definition"),
    bodies=kinds("module block"),
    branches=kinds("if_statement"),
    loops=kinds("for_statement while_statement"),
    tries=kinds("try_statement"),
    handlers=kinds("except_clause except_group_clause"),
    cases=kinds("case_clause"),
    leaves=kinds("return_statement raise_statement"),
    choices={"conditional_expression": (0, 2)},
    not_assignments=kinds("keyword_argument default_parameter typed_default_parameter"),
    lists=kinds("list tuple set"),
    scoped=kinds("with_statement"),
    docstrings=True,
    anonymous=kinds("lambda"),
    calls={
        "format": Does.BRACES,
        "join": Does.JOIN_FIRST,
        "append": Does.ADD,
        "extend": Does.EXTEND,
        "getvalue": Does.SAME,
        "text": Does.SAME_AS_FIRST,
        "SQL": Does.SAME_AS_FIRST,
        "RawSQL": Does.SAME_AS_FIRST,
        "dedent": Does.SAME_AS_FIRST,
        "cleandoc": Does.SAME_AS_FIRST,
        "str": Does.SAME_AS_FIRST,
        "Composed": Does.SAME_AS_FIRST,
        "strip": Does.SAME,
        "lstrip": Does.SAME,
        "rstrip": Does.SAME,
        "encode": Does.SAME,
        "Identifier": Does.IDENTIFIER,
        "Literal": Does.LITERAL,
    },
)
