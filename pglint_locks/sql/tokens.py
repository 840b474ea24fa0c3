"""The scanner's tokens of one statement, with what the parse tree does not tell: depth."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pglast import parser

from pglint_locks.text import Span

_OPENING = {"ASCII_40", "ASCII_91"}
_CLOSING = {"ASCII_41", "ASCII_93"}
_COMMENTS = {"SQL_COMMENT", "C_COMMENT"}

LEFT_PAREN = "ASCII_40"
COMMA = "ASCII_44"
DOT = "ASCII_46"
SEMICOLON = "ASCII_59"


class Token(NamedTuple):
    """A token of the statement's text: `name` is the scanner's (SELECT, IDENT, ASCII_40 …).

    `depth` counts the open brackets around it and `opener` is the index of the innermost
    one (-1 for none); a bracket itself stands outside.
    """

    name: str
    span: Span
    depth: int
    opener: int


class Tokens:
    """The tokens of one statement without its comments, in order.

    Offsets are code points in the scanned text.  Raises `pglast.parser.ParseError`
    where the scanner fails (an unterminated literal or comment).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens: list[Token] = []
        openers = [-1]
        for scanned in parser.scan(text):
            if scanned.name in _COMMENTS:
                continue
            if scanned.name in _CLOSING and len(openers) > 1:
                openers.pop()
            span = Span(scanned.start, scanned.end + 1)
            self._tokens.append(Token(scanned.name, span, len(openers) - 1, openers[-1]))
            if scanned.name in _OPENING:
                openers.append(len(self._tokens) - 1)
        self._starts = [token.span.start for token in self._tokens]

    def stretch(self, places: Sequence[Span]) -> None:
        """Let the last token in each of these places reach to its end."""
        for place in places:
            index = bisect_left(self._starts, place.end) - 1
            if index >= 0 and place.start < (token := self._tokens[index]).span.end < place.end:
                self._tokens[index] = token._replace(span=Span(token.span.start, place.end))

    def __len__(self) -> int:
        return len(self._tokens)

    def __getitem__(self, index: int) -> Token:
        return self._tokens[index]

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)

    def name(self, index: int) -> str:
        """The token's name at an index; "" before the first and after the last."""
        return self._tokens[index].name if 0 <= index < len(self._tokens) else ""

    def index_from(self, offset: int) -> int:
        """Index of the first token that starts at or after an offset."""
        return bisect_left(self._starts, offset)

    def index_at(self, offset: int) -> int:
        """Index of the token that holds an offset, else of the one before it."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def source(self, span: Span) -> str:
        """The text of a range of offsets."""
        return self.text[span.start : span.end]

    def words(self, span: Span) -> str:
        """The text of a range in one line: comments left out, gaps made one space."""
        parts: list[str] = []
        end = span.start
        for index in range(self.index_from(span.start), len(self._tokens)):
            token = self._tokens[index].span
            if token.start >= span.end:
                break
            parts.append(" " if parts and token.start > end else "")
            parts.append(self.source(token))
            end = token.end
        return "".join(parts)

    def run(self, first: int, last: int) -> Span:
        """The range from one token's start to another's end (indexes, both included)."""
        return Span(self._tokens[first].span.start, self._tokens[last].span.end)

    def word_in_group(self, start: int, word: str) -> int | None:
        """Index of a keyword that stands in the same brackets as the token `start`.

        Only the statement that holds that token counts where `;` parts several.
        """
        home = self._tokens[start]
        first = start
        while first > home.opener + 1 and not self._parts(first - 1, home.depth):
            first -= 1
        index = first
        while index < len(self._tokens) and self._tokens[index].depth >= home.depth:
            if self._parts(index, home.depth):
                return None
            if self._tokens[index].depth == home.depth and self._tokens[index].name == word:
                return index
            index += 1
        return None

    def _parts(self, index: int, depth: int) -> bool:
        return self._tokens[index].name == SEMICOLON and self._tokens[index].depth == depth

    def closing(self, opening: int) -> int:
        """Index of the bracket that closes the one at an index."""
        depth = self._tokens[opening].depth
        return next(
            index
            for index in range(opening + 1, len(self._tokens))
            if self._tokens[index].depth == depth and self._tokens[index].name in _CLOSING
        )

    def body_of_with_query(self, name: int) -> int:
        """Index of the bracket that opens the body of the WITH query whose name is at an offset."""
        index = self.index_at(name)
        depth = self._tokens[index].depth
        while self._tokens[index].name != "AS" or self._tokens[index].depth != depth:
            index += 1
        while self._tokens[index].name != LEFT_PAREN:
            index += 1
        return index

    def last_before(self, first: int, stops: frozenset[str]) -> int:
        """Index of the last token of the run that starts at `first`.

        The run ends before a token of the same depth whose name is in `stops`, before
        the bracket that closes around it, before `;`, or at the end of the statement.
        """
        depth = self._tokens[first].depth
        index = first
        while index + 1 < len(self._tokens):
            following = self._tokens[index + 1]
            if following.depth < depth or (
                following.depth == depth
                and (following.name in stops or following.name == SEMICOLON)
            ):
                break
            index += 1
        return index
