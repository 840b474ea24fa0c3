"""The first look for claims that hold no lock words: an UPDATE that reads a LIMIT.

The words UPDATE, SET, SELECT and LIMIT (or FETCH) in one stretch of text, in any case and
order: a WITH query's LIMIT stands before UPDATE, a MERGE's UPDATE behind the LIMIT.  A
stretch ends with a semicolon at the end of a line.  What the words are there, the parser
says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# For raw bytes in any ASCII-like encoding: what lies beyond ASCII (a byte order mark, a
# letter) stands beside a word or in it, and is not told apart.  Compiled when first used.
_WORDS = tuple(rb"(?<!\w)(?:%s)(?!\w)" % word for word in (rb"limit|fetch", rb"update", rb"set"))
_END = rb";[ \t\r\f\v]*(?:\n|\Z|--)"


def has_claim_shape(data: bytes) -> bool:
    """Whether any stretch of a file, as raw bytes, has the words of an unlocked claim."""
    data = data.lower()
    return _has_all_words(data) and any(map(_has_all_words, _stretches(data)))


# In code the words are common by themselves: there they stand near each other.
_UPDATE_SET = rb"\bupdate\b(?:.{1,200}?)\bset\b"
_NEAR = 3000


def has_claim_in_code(data: bytes) -> bool:
    """Whether a file of code has, near each other, the words of an unlocked claim."""
    data = data.lower()
    if not _has_all_words(data):
        return False
    return any(
        _has_all_words(data[max(found.start() - _NEAR, 0) : found.end() + _NEAR])
        for found in re.finditer(_UPDATE_SET, data, re.DOTALL)
    )


def _has_all_words(data: bytes) -> bool:
    if b"update" not in data or (b"limit" not in data and b"fetch" not in data):
        return False
    return b"select" in data and all(re.search(word, data) for word in _WORDS)


def _stretches(data: bytes) -> Iterator[bytes]:
    """The text between semicolons that end a line; one behind `--` on its line is a comment's."""
    start = at = 0
    in_comment = False
    for found in re.finditer(_END, data):
        line = data.rfind(b"\n", at, found.start()) + 1
        in_comment = (in_comment and not line) or data.find(b"--", line or at, found.start()) >= 0
        at = found.end()
        if not in_comment:
            yield data[start : found.start()]
            start = at
        in_comment = found[0].endswith(b"-") or (in_comment and not found[0].endswith(b"\n"))
    yield data[start:]
