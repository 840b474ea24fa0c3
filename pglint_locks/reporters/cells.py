"""How many cells of a terminal a text takes, and lines broken to fit that many."""

from __future__ import annotations

from unicodedata import category, east_asian_width

_EMOJI_STYLE = "\ufe0f"
# The vowels and final consonants of decomposed Hangul are drawn into the cell before them.
_HANGUL_JOINING = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))


def char_width(char: str, before: str = "") -> int:
    """Cells of one character that stands after `before`: 0, 1 or 2.

    Characters that `escape` replaces have no width of their own: escape first.
    """
    if char.isascii():
        return 1
    if char == _EMOJI_STYLE:
        # Asks for the coloured, two cells wide form of a symbol such as U+26A0.
        return 1 if before and category(before) == "So" and char_width(before) == 1 else 0
    if category(char) in ("Mn", "Me") or any(ord(char) in some for some in _HANGUL_JOINING):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def text_width(text: str) -> int:
    """Cells of a text without line ends and tabs."""
    if text.isascii():
        return len(text)
    return sum(map(char_width, text, ["", *text]))


def wrap(text: str, first: int, rest: int) -> list[str]:
    """Break a text at spaces: the first line takes `first` cells at most, others `rest`.

    A word longer than its line is not broken.  The first line is empty where not even
    the first word fits it; a later line never is.
    """
    lines: list[str] = []
    line: str | None = None
    room = first
    for word in text.split(" "):
        joined = word if line is None else f"{line} {word}"
        if text_width(joined) <= room:
            line = joined
            continue
        lines.append(line or "")
        line, room = word, rest
    return [*lines, line or ""]
