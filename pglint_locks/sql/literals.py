"""Where PostgreSQL's literals and block comments end, told from the text alone.

The character classes are those of the server's scanner (`scan.l`) and of psql's
(`psqlscan.l`), in which every character beyond ASCII is a letter.
"""

from __future__ import annotations

import re

SPACE = " \t\n\r\f\v"
"""What the server takes for white space: no more than this, whatever Unicode says."""

# Written as what they are not: a class that reaches beyond ASCII takes milliseconds to compile.
LETTER = r"[^\x00-@\[-^`{-\x7f]"
"""What a word begins with."""

LETTER_OR_DIGIT = r"[^\x00-/:-@\[-^`{-\x7f]"

WORD = r"[^\x00-#%-/:-@\[-^`{-\x7f]"
"""What a word goes on with: letters, digits and `$`."""

WORD_OR_COLON = r"[^\x00-#%-/;-@\[-^`{-\x7f]"

LINE_ENDING_SEMICOLON = re.compile(r";(?=[ \t\f\v]*(?:--[^\r\n]*)?(?:[\r\n]|\Z))")
"""A semicolon behind which its line holds no more than a comment."""

DOLLAR_DELIMITER = re.compile(rf"\$(?:{LETTER}{LETTER_OR_DIGIT}*)?\$")

_COMMENT_EDGE = re.compile(r"/\*|\*/")
_LETTER = re.compile(rf"{LETTER}")
_WORD_END = re.compile(rf"{WORD}*")
_ESCAPE_OR_QUOTE = re.compile(r"[\\']")


def block_comment_end(text: str, at: int) -> int:
    """The offset behind the block comment that opens at `at`; -1 if it never ends.

    Block comments nest, and nothing else is looked at inside one.
    """
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, at):
        if edge[0] == "/*":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return edge.end()
    return -1


def escape_string_end(text: str, at: int) -> int:
    """The offset behind the `E'…'` whose first character after the quote is at `at`, or -1."""
    while stop := _ESCAPE_OR_QUOTE.search(text, at):
        if stop[0] == "'":
            return stop.end()
        at = stop.end() + 1  # whatever the backslash stands before
    return -1


def dollar_quote_end(text: str, at: int, delimiter: str) -> int:
    """The offset behind the dollar quote whose opening `delimiter` is at `at`, or -1."""
    closing = text.find(delimiter, at + len(delimiter))
    return closing if closing < 0 else closing + len(delimiter)


def word_around(text: str, at: int, floor: int) -> int:
    """The end of the word that the `$` at `at` belongs to; `at` if it belongs to none.

    A dollar sign may stand in a word but not begin one, and not follow a number:
    `a$b$c` is a word, `1$b$` a number and a dollar quote's delimiter.  The text before
    `floor` is known to belong to other tokens.
    """
    start = at
    while start > floor and _WORD_END.fullmatch(text, start - 1, start):
        start -= 1
    if not _LETTER.search(text, start, at):
        return at
    word = _WORD_END.match(text, at)
    return word.end() if word else at
