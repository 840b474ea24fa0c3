"""Makes text from linted files safe for a terminal; every text format goes through here."""

from __future__ import annotations

import re

# What moves the cursor, starts a control sequence, turns the reading direction, or shows
# nothing at all; and lone surrogates, which no output encoding can carry.
_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # reading direction
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d"  # nothing to see
    "\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff"
    "\u2028\u2029"  # line ends to some
    "\ud800-\udfff"
    "]"
)
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def escape(text: str) -> str:
    r"""The text with every unsafe character shown: `\n`, `\x1b`, `\u202e`, `\U000e0020`.

    A tab counts as unsafe here: in a name or a message it only hides.  Backslashes that
    stand in the text already are left alone: this is for reading, not for reading back.
    """
    return _UNSAFE.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
