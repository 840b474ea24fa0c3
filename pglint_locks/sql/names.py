"""How names are written in SQL."""

from __future__ import annotations

import re

from pglast.keywords import RESERVED_KEYWORDS, TYPE_FUNC_NAME_KEYWORDS

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_$]*")
_KEYWORDS = RESERVED_KEYWORDS | TYPE_FUNC_NAME_KEYWORDS


def quoted(name: str) -> str:
    """A folded name as it must be written (`quote_identifier`)."""
    if _PLAIN_NAME.fullmatch(name) and name not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'
