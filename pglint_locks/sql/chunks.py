"""What a script is split into: statements as text, and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.sql.literals import LETTER, SPACE, WORD, block_comment_end
from pglint_locks.text import Span

_WORD_OR_COMMENT = (
    rf"""(?:(?![eEbBxXnN]'|[uU]&['"])(?P<word>{LETTER}{WORD}*)|--[^\r\n]*|(?P<block>/\*))"""
)
_FIRST_WORD = re.compile(rf"[{SPACE}(]*{_WORD_OR_COMMENT}")
_NEXT_WORD = re.compile(rf"[{SPACE}]*{_WORD_OR_COMMENT}")


class Chunk(NamedTuple):
    """One statement: what lies between two semicolons, as offsets into the script.

    `span` leads from the first token to behind the last one: no semicolon, no white space
    or comments around.  `text` has the length of the span; what psql does not send
    (backslash commands, COPY data) is blanked in it, line ends are kept.  `unterminated`
    says that a literal, comment, parenthesis or BEGIN ATOMIC in it never ends, and that
    the place where it was cut is a guess.
    """

    span: Span
    text: str
    unterminated: bool = False

    @property
    def first_words(self) -> tuple[str, ...]:
        """The words that the statement begins with, in lower case, four at most.

        Opening parentheses and comments between them are passed over; the first token of
        any other kind ends them: `("create", "or", "replace", "function")`, `("commit",)`,
        `("select",)` for `(SELECT 1)`.
        """
        return tuple(first_words(self.text))


class Comment(NamedTuple):
    """A comment with its signs (`-- …` without the line end, `/* … */`)."""

    span: Span
    text: str


class Script(NamedTuple):
    """The statements of a script and its comments, each in the order of the text.

    `reread` is how many characters `recut` has read again to get here.
    """

    chunks: tuple[Chunk, ...]
    comments: tuple[Comment, ...]
    reread: int = 0


def first_words(text: str) -> Iterator[str]:
    """The words that a text begins with: see `Chunk.first_words`."""
    at, pattern, left = 0, _FIRST_WORD, 4
    while left and (found := pattern.match(text, at)):
        at = found.end()
        if word := found["word"]:
            yield word.lower()
            pattern = _NEXT_WORD
            left -= 1
        elif found["block"]:
            at = block_comment_end(text, found.start("block"))
            if at < 0:
                return
