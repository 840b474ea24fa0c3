"""Unified patches as `git apply` and `patch -p1` take them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff

_NO_NEWLINE = "\\ No newline at end of file\n"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MUST_BE_QUOTED = re.compile(r"[\x00-\x1f\x7f\"\\]|[^\x00-\x7f]")


def patch(name: str, before: str, after: str) -> str:
    """The patch that makes one text of the other; empty where they are the same.

    `name` is the file's, relative to where the patch is applied, with `/`.  Only LF ends a
    line: what else stands before it belongs to the line.
    """
    old, new = _lines(before), _lines(after)
    lines = unified_diff(old, new, _header("a/", name), _header("b/", name))
    return "".join(_ended(line) for line in lines)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"


def _header(prefix: str, name: str) -> str:
    """A file's name as git writes it: quoted like C where need be, a tab behind one with spaces.

    The tab keeps what follows a space from being read as a time.
    """
    if _MUST_BE_QUOTED.search(name):
        return f'"{prefix}{"".join(_quoted(name))}"'
    return f"{prefix}{name}\t" if " " in name else f"{prefix}{name}"


def _quoted(name: str) -> Iterator[str]:
    for char in name:
        if char in _ESCAPES:
            yield _ESCAPES[char]
        elif " " <= char <= "~":
            yield char
        else:
            yield from (f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
