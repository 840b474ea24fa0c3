"""Escapes in the string literals of host languages, and what they mean."""

from __future__ import annotations

import re

_CODES = (
    r"x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|[ux]\{(?P<braced>[0-9a-fA-F]{1,6})\}|(?P<octal>[0-7]{1,3})"
)
BACKSLASH = re.compile(
    rf"\\(?:{_CODES}|(?P<name>N\{{[^}}]*\}})|(?P<line>\r\n|\n|\r)|(?P<other>.))", re.DOTALL
)
"""C's escapes and their kin; a backslash at the end of a line joins it with the next."""
FORMATTED = re.compile(rf"{BACKSLASH.pattern}|(?P<twice>\{{\{{|\}}\}})", re.DOTALL)
"""The same, with doubled braces."""
BRACES = re.compile(r"(?P<twice>\{\{|\}\})")
"""Doubled braces alone: raw f-strings, and what is given to `format`."""
QUOTES = re.compile(r"\\(?P<other>['\\])")
"""A backslash before a quote or another backslash, and no other escape."""
DOUBLED = re.compile(r'(?P<twice>"")')
"""A doubled quote."""
DOUBLED_BRACES = re.compile(r'(?P<twice>""|\{\{|\}\})')
"""A doubled quote or brace."""
LINES_CUT = re.compile(rf"\\(?:{_CODES}|(?P<line>(?:\r\n|\n|\r)\s*)|(?P<other>.))", re.DOTALL)
"""C's escapes; with a line's end the white space behind it goes too."""
SPLICED = re.compile(r"(?P<cut>#)\Z")
"""The sign before what is put in as it is: `#$order`."""
BACKSLASH_SPLICED = re.compile(rf"{BACKSLASH.pattern}|{SPLICED.pattern}", re.DOTALL)
"""The same, with C's escapes."""

_CONTROLS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "s": " ",
    "t": "\t",
    "v": "\v",
}


def meaning(escape: re.Match[str]) -> str:
    """What an escape stands for."""
    found = escape.groupdict()
    for name, base in (("x", 16), ("u", 16), ("U", 16), ("braced", 16), ("octal", 8)):
        if digits := found.get(name):
            code = int(digits, base)
            valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
            return chr(code) if valid else "\ufffd"
    if twice := found.get("twice"):
        return twice[0]
    if found.get("name"):
        return "\ufffd"
    if found.get("line") or found.get("cut"):
        return ""
    other = found.get("other") or ""
    return _CONTROLS.get(other, other)
