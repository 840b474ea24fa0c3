"""A body's tokens, and where the statements and expressions among them end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from pglint_locks.sources.plpgsql.tokens import Kind, Token, tokenise, unquoted
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.text import Span

_OPENING = {"(", "["}
_CLOSING = {")", "]"}

# Words at the beginning of a line that begin a statement of their own, unless the
# statement before them, which has no semicolon then, parses with them.
_BEGINNINGS = frozenset(
    """begin case close commit continue declare delete else elseif elsif end exception execute
    exit fetch for foreach get if insert loop merge move open perform raise return rollback
    select update while with""".split()
)
_NEVER_IN_SQL = frozenset("elseif elsif end exception perform raise return".split())
_LOCK_WORDS = frozenset("update share no key".split())
_MAX_CUTS = 6
_EFFORT_OF_TRY = 100
_MAX_CREATE = 500


class BodyTokens:
    """The tokens of a body's text, by index; what is out of range is no word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens, self.comments = tokenise(text)
        self._semicolons = [i for i, token in enumerate(self.tokens) if token.word == ";"]
        self._allowance = 4 * len(text) + (1 << 16)  # characters to be parsed for repair

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def word(self, index: int) -> str:
        """A keyword, unquoted name (in lower case) or sign; "" for anything else."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def is_name(self, index: int) -> bool:
        """Whether the token can be a name: quoted, or any word."""
        kind = self.tokens[index].kind if 0 <= index < len(self.tokens) else None
        return kind in (Kind.NAME, Kind.WORD)

    def name(self, index: int) -> str:
        """A name as the server folds it."""
        return unquoted(self.source(index, index))

    def span(self, first: int, last: int) -> Span:
        """From one token's start to another's end."""
        return Span(self.tokens[first].span.start, self.tokens[last].span.end)

    def source(self, first: int, last: int) -> str:
        """The text from one token to another, both included."""
        span = self.span(first, last)
        return self.text[span.start : span.end]

    def key(self, first: int, last: int) -> str:
        """The same for two expressions that differ in white space and comments only."""
        return " ".join(
            self.tokens[index].word or self.source(index, index) for index in range(first, last + 1)
        )

    def shallow(self, first: int, end: int) -> Iterator[int]:
        """Indexes of the tokens from `first` to before `end` that stand in no brackets.

        An opening bracket itself does, and a closing one that none of them opens.
        """
        depth = 0
        for index in range(first, end):
            word = self.tokens[index].word
            if depth == 0:
                yield index
            if word in _OPENING:
                depth += 1
            elif word in _CLOSING:
                depth = max(depth - 1, 0)

    def find(self, first: int, end: int, *words: str) -> int:
        """The first of the words that stands in no brackets, before `end`; else `end`."""
        return next((i for i in self.shallow(first, end) if self.word(i) in words), end)

    def split(self, first: int, end: int, sign: str) -> list[tuple[int, int]]:
        """The runs, as first and end, that a sign parts in no brackets; none is empty."""
        parts = []
        for index in self.shallow(first, end):
            if self.word(index) == sign:
                parts.append((first, index))
                first = index + 1
        return [(start, stop) for start, stop in [*parts, (first, end)] if start < stop]

    def semicolon(self, first: int) -> int:
        """The semicolon that ends what begins at `first`, else the number of tokens.

        Brackets keep none in, but in CREATE: one too many must not cost the whole body.
        """
        near = bisect_left(self._semicolons, first)
        plain = self._semicolons[near] if near < len(self._semicolons) else len(self)
        if self.word(first) == "create":
            far = min(first + _MAX_CREATE, len(self))
            outer = self.find(first, far, ";")
            return outer if outer < far else plain
        return plain

    def until(self, first: int, *words: str) -> int:
        """The first of the words in no brackets, else the semicolon, else the end."""
        return self.find(first, self.semicolon(first), *words)

    def behind(self, first: int, word: str) -> int:
        """Behind the word, if it comes before the semicolon; else where that is."""
        at = self.until(first, word)
        return at + (self.word(at) == word)

    def statement_end(self, first: int, lead: str = "", blank: Span | None = None) -> int:
        """Behind the last token of the statement or expression that begins at `first`.

        That is where its semicolon is; where that was forgotten, a word that begins
        another statement.  It is parsed only if there is such a word other than END, with
        `lead` in front and without what is `blank`.
        """
        stop = self.semicolon(first)
        cuts: list[int] = []
        for cut in islice(self._beginnings(first + 1, stop), _MAX_CUTS):
            if self.word(cut) == "end":  # it would pass for a column's name
                stop = cut
                break
            cuts.append(cut)
        if not cuts or self._parses(first, stop, lead, blank):
            return stop
        for cut in cuts:
            if self._parses(first, cut, lead, blank):
                return cut
        return next((cut for cut in cuts if self.word(cut) in _NEVER_IN_SQL), stop)

    def _parses(self, first: int, end: int, lead: str, blank: Span | None) -> bool:
        span = self.span(first, end - 1)
        self._allowance -= span.end - span.start + _EFFORT_OF_TRY
        if self._allowance < 0:
            return False
        text = self.source(first, end - 1)
        if blank is not None:
            text = blanked(text, blank.shifted(-span.start))
        return isinstance(parse(lead + text), Parsed)

    def _beginnings(self, first: int, end: int) -> Iterator[int]:
        """Where another statement may begin: at the beginning of a line, or at `x :=`."""
        cases = 0
        for index in self.shallow(first, end):
            word = self.word(index)
            if cases and word == "end":
                cases -= 1
            elif not cases and word in _BEGINNINGS and self.begins_line(index):
                if word != "for" or self.word(index + 1) not in _LOCK_WORDS:
                    yield index
                cases += word == "case"
            elif word == "case":
                cases += 1
            elif not cases and word == ":=" and self.is_name(index - 1) and index - 1 >= first:
                yield index - 1

    def begins_line(self, index: int) -> bool:
        """Whether a token is the first one on its line."""
        if index == 0:
            return True
        before, here = self.tokens[index - 1].span.end, self.tokens[index].span.start
        gap = self.text[before:here]
        return "\n" in gap or "\r" in gap


def blanked(text: str, span: Span) -> str:
    """The text with a range made blank, at equal length; line ends stay."""
    inside = "".join(sign if sign in "\r\n" else " " for sign in text[span.start : span.end])
    return text[: span.start] + inside + text[span.end :]
