"""Names that stand for what is not known of a statement: a parameter, a template's tag.

Such a name begins with a character of Unicode's private use, which to PostgreSQL is a
letter and which nobody writes.  So it is never a name of the statement's own, and can be
told from all others in a message.  What is written alike gets the same name in every
statement; what is anonymous, as `?` is, gets one that other statements do not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from zlib import crc32

_NAMED, _ANONYMOUS, _COUNT = 0xF0000, 0x100000, 0xFFFE
_LONGEST = 60  # PostgreSQL cuts names at 63 bytes; the first character takes four
STAND_IN = re.compile("[\U000f0000-\U0010fffd]_*")

_HOLE = re.compile(r"_h\d*")  # what `sources.bodies.templates` puts into a hole


def is_stand_in(name: str) -> bool:
    """Whether a name stands for one that is not known, all of it."""
    return STAND_IN.search(name) is not None or _HOLE.fullmatch(name) is not None


class StandIns:
    """The first characters of the names in one text."""

    def __init__(self, text: str) -> None:
        self._next_anonymous = crc32(text.encode())
        self._known: dict[str, str] = {}
        self._taken: set[str] = set()

    def sign(self, key: str | None) -> str:
        """The character for what is written as `key`; another one each time for None."""
        if key is None:
            self._next_anonymous += 1
            return chr(_ANONYMOUS + self._next_anonymous % _COUNT)
        if key not in self._known:
            number = crc32(key.encode())
            while chr(_NAMED + number % _COUNT) in self._taken and len(self._taken) < _COUNT:
                number += 1
            self._known[key] = chr(_NAMED + number % _COUNT)
            self._taken.add(self._known[key])
        return self._known[key]


def stand_in(sign: str, length: int) -> str:
    """A text of a length that is one name, and spaces where it would be too long for one."""
    return (sign + "_" * (min(length, _LONGEST) - 1)).ljust(length)


def as_written(text: str, names: Mapping[str, str]) -> str:
    """A message with what was written in place of the names that stand for it."""
    if STAND_IN.search(text) is None:
        return text
    for name in sorted(names, key=len, reverse=True):
        if STAND_IN.search(name):
            text = text.replace(name, names[name])
    return STAND_IN.sub("…", text)
