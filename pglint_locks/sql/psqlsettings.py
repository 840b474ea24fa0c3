r"""Whether psql's variables are set again between two statements of a script."""

from __future__ import annotations

import re

_SETS = re.compile(r"\\(?:set|unset|prompt|getenv)\b(?P<arguments>[^\r\n\\]*)|\\gset\b")
_VARIABLE = re.compile(r":['\"]?(\w+)['\"]?")


def may_set(between: str, written: str) -> bool:
    r"""Whether a variable, written `:name`, may be set by the text between two statements.

    `\gset` sets those that the statement before it names; which ones is not looked at.
    """
    variable = _VARIABLE.fullmatch(written)
    if variable is None:
        return False
    return any(
        found["arguments"] is None or variable[1] in found["arguments"].split()
        for found in _SETS.finditer(between)
    )
