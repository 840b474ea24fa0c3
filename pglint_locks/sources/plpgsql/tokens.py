"""The tokens of a PL/pgSQL body.  Unlike PostgreSQL's scanner, reading them never fails.

A literal that never ends would swallow the rest of the body: it is cut at a semicolon
that ends a line, so that it costs its own statement alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.literals import (
    LETTER,
    LETTER_OR_DIGIT,
    LINE_ENDING_SEMICOLON,
    SPACE,
    WORD,
    block_comment_end,
    dollar_quote_end,
    escape_string_end,
)
from pglint_locks.text import Span

_OPERATOR = r"+*/<>=~!@\#%^&|`?\-"
_TOKEN = re.compile(
    rf"""
      (?P<space>[{SPACE}]+)
    | (?P<line>--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<escape>[eE]')
    | (?P<string>(?:[bBxXnN]|[uU]&)?')
    | (?P<name>(?:[uU]&)?")
    | (?P<param>\$[0-9]+)
    | (?P<dollar>\$(?:{LETTER}{LETTER_OR_DIGIT}*)?\$)
    | (?P<number>[0-9][0-9_a-zA-Z]*(?:\.(?!\.)[0-9_]*(?:[eE][+-]?[0-9]+)?)?|\.[0-9]+)
    | (?P<word>{LETTER}{WORD}*)
    | (?P<operator>:=|::|\.\.|(?:(?!--|/\*)[{_OPERATOR}])+)
    | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# A literal goes on behind a gap that holds a line end and, before that, only line comments.
_GOES_ON = re.compile(rf"[ \t\f\v]*(?:--[^\r\n]*)?[\r\n](?:[{SPACE}]|--[^\r\n]*[\r\n])*'")

_QUOTE_SIGNS = "'eEnNbBxXuU"
_MAX_RECOVERIES = 30


class Kind(Enum):
    """What a token is."""

    WORD = auto()
    """A keyword or unquoted name."""
    NAME = auto()
    """A quoted name."""
    STRING = auto()
    """A literal of any kind of quotes."""
    NUMBER = auto()
    PARAMETER = auto()
    SIGN = auto()
    """An operator, bracket or other sign."""
    BROKEN = auto()
    """A literal or name that never ends, up to where it was cut."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `word` is the text of a word (in lower case) or sign, "" for all others."""

    kind: Kind
    span: Span
    word: str


def tokenise(text: str) -> tuple[list[Token], list[Comment]]:
    """The tokens of a body and its comments, each in the order of the text."""
    reading = _Reading(text)
    reading.read()
    return reading.tokens, reading.comments


_KINDS = {
    "param": Kind.PARAMETER,
    "number": Kind.NUMBER,
    "word": Kind.WORD,
    "operator": Kind.SIGN,
    "sign": Kind.SIGN,
}


class _Reading:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self._recoveries = 0

    def read(self) -> None:
        text, at = self.text, 0
        while found := _TOKEN.match(text, at):
            kind = found.lastgroup or "sign"
            start, at = found.span()
            if kind == "space":
                continue
            if kind in _KINDS:
                word = text[start:at]
                if kind == "word":
                    word = word.lower()
                elif kind == "number":
                    word = ""
                self.tokens.append(Token(_KINDS[kind], Span(start, at), word))
            elif kind == "line":
                self.comments.append(Comment(Span(start, at), text[start:at]))
            else:
                end = self._end(kind, start, at)
                at = self._keep(kind, start, end) if end >= 0 else self._recover(start)

    def _end(self, kind: str, start: int, at: int) -> int:
        """Behind the literal, quoted name or comment that opens from `start` to `at`; or -1."""
        if self._recoveries > _MAX_RECOVERIES:
            return -1
        text = self.text
        if kind == "block":
            return block_comment_end(text, start)
        if kind == "dollar":
            return dollar_quote_end(text, start, text[start:at])
        if kind == "name":
            return _quoted_end(text, at, '"')
        end = at
        while end >= 0:
            end = escape_string_end(text, end) if kind == "escape" else _quoted_end(text, end, "'")
            if end < 0 or not (goes_on := _GOES_ON.match(text, end)):
                return end
            end = goes_on.end()
        return end

    def _keep(self, kind: str, start: int, end: int) -> int:
        if kind == "block":
            self.comments.append(Comment(Span(start, end), self.text[start:end]))
        else:
            kept = Kind.NAME if kind == "name" else Kind.STRING
            self.tokens.append(Token(kept, Span(start, end), ""))
        return end

    def _recover(self, start: int) -> int:
        """Cut what never ends; where to go on.

        An apostrophe too many turns literals and what is between them inside out: the
        first literal that holds a line-ending semicolon is the suspect.
        """
        self._recoveries += 1
        text = self.text
        if self._recoveries > _MAX_RECOVERIES:
            self.tokens.append(Token(Kind.SIGN, Span(start, start + 1), text[start]))
            return start + 1
        end = len(text)
        suspect = self._suspect() if text[start] in _QUOTE_SIGNS else None
        if suspect is not None:
            start, end = self.tokens[suspect].span.start, self.tokens[suspect].span.end
            del self.tokens[suspect:]
            while self.comments and self.comments[-1].span.start > start:
                self.comments.pop()
        semicolon = LINE_ENDING_SEMICOLON.search(text, start, end)
        cut = semicolon.start() if semicolon else len(text)
        self.tokens.append(Token(Kind.BROKEN, Span(start, cut), ""))
        return cut

    def _suspect(self) -> int | None:
        """The first quoted literal that holds a line-ending semicolon."""
        for index, token in enumerate(self.tokens):
            start, end = token.span.start, token.span.end
            if token.kind is not Kind.STRING or self.text[start] not in _QUOTE_SIGNS:
                continue
            if LINE_ENDING_SEMICOLON.search(self.text, start, end):
                return index
        return None


def _quoted_end(text: str, at: int, quote: str) -> int:
    """The offset behind the closing quote; doubled ones do not close; or -1."""
    while (end := text.find(quote, at)) >= 0:
        if not text.startswith(quote, end + 1):
            return end + 1
        at = end + 2
    return -1


def unquoted(text: str) -> str:
    """A name as the server folds it: quotes undone, or in lower case."""
    if text.startswith('"'):
        return text[1:-1].replace('""', '"')
    return text.lower()
