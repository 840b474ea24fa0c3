"""Names that stand for what is not known of a statement: a parameter, a template's tag.

Such a name begins with a character of Unicode's private use, which to PostgreSQL is a
letter and which nobody writes.  So it is never a name of the statement's own, and can be
told from all others in a message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FIRST, _FIRST_OF_TAGS, _END = 0xE000, 0xF000, 0xF900
_LONGEST = 60  # PostgreSQL cuts names at 63 bytes; the first character takes three
STAND_IN = re.compile("[\ue000-\uf8ff]_*")


def stand_in(number: int, length: int) -> str:
    """A text of a length that is one name, and spaces where it would be too long for one."""
    return _name(_FIRST + number % (_FIRST_OF_TAGS - _FIRST), length)


def tag_stand_in(number: int, length: int) -> str:
    """The same for a template's tag: no placeholder's name is the same."""
    return _name(_FIRST_OF_TAGS + number % (_END - _FIRST_OF_TAGS), length)


def _name(first: int, length: int) -> str:
    return (chr(first) + "_" * (min(length, _LONGEST) - 1)).ljust(length)


def as_written(text: str, names: Mapping[str, str]) -> str:
    """A message with what was written in place of the names that stand for it."""
    if STAND_IN.search(text) is None:
        return text
    for name in sorted(names, key=len, reverse=True):
        if STAND_IN.search(name):
            text = text.replace(name, names[name])
    return STAND_IN.sub("…", text)
