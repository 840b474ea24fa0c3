r"""One pass over a script, on the model of psql's own scanner (`psqlscan.l`).

Semicolons end a statement outside of literals, comments, parentheses and the
`BEGIN ATOMIC … END` of a routine; backslash commands and COPY data are no SQL.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from pglint_locks.sql.chunks import Chunk, Comment, first_words
from pglint_locks.sql.copydata import CopyData, reads_client_data, slash_copy_query
from pglint_locks.sql.literals import (
    DOLLAR_DELIMITER,
    LETTER,
    LETTER_OR_DIGIT,
    LINE_ENDING_SEMICOLON,
    SPACE,
    WORD,
    WORD_OR_COLON,
    block_comment_end,
    dollar_quote_end,
    escape_string_end,
    word_around,
)
from pglint_locks.sql.slash import (
    DROPS_STATEMENT,
    ENDS_STATEMENT,
    SlashCommand,
    line_end,
    slash_command,
)
from pglint_locks.text import Span

_SPACES = re.compile(f"[{SPACE}]*")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_BLANK_LINE = re.compile(r"\n[ \t\f\v]*\r?\n|\r[ \t\f\v]*\r(?!\n)")
_ROUTINES = [
    (*create, kind)
    for create in (("create",), ("create", "or", "replace"))
    for kind in ("function", "procedure")
]


_BEGIN = re.compile("[bB][eE][gG][iI][nN]")

# What may follow an opening parenthesis without a closer look; nothing has to match behind
# it, so it is never gone back for.  The bound keeps the engine's own stack small.
_FLAT = r"""[^'"$\\;()/\-]*"""
_RUN = rf"""{_FLAT}(?:(?<![eE])'[^']*'{_FLAT}){{0,50}}"""


@lru_cache
def _token_pattern(*, words: bool) -> re.Pattern[str]:
    """What the splitter stops at; a match without a named group means nothing to it.

    The set in front lets the regular expression engine leap over everything else.  With
    `words` it also stops at those that open and close the body of a routine.
    """
    word = rf"""
        | (?<=[bBcCeE])(?<!{WORD_OR_COLON}[bBcCeE])
          (?i: (?<=b)egin(?P<begin>) | (?<=c)ase(?P<case>) | (?<=e)nd(?P<end>) )(?!{WORD})
    """
    return re.compile(
        rf"""['"$\\;()/\-{"bBcCeE" if words else ""}](?:
          (?<=') (?: (?<=[eE]')(?<!{WORD_OR_COLON}[eE]')(?P<escape>) | [^']*' | (?P<unclosed>) )
        | (?<=\() {_RUN} (?: \) | (?P<open>) )
        | (?<=\)) (?P<close>)
        | (?<=;) [{SPACE}]* (?P<semicolon>)
        | (?<=-) -[^\r\n]* (?P<line>)
        | (?<=/) \* (?P<block>)
        | (?<=") (?: [^"]*" | (?P<unclosed_name>) )
        | (?<=\\) (?P<slash>)
        | (?<=\$) (?:{LETTER}{LETTER_OR_DIGIT}*)?\$ (?P<dollar>)
        {word if words else ""}
        )""",
        re.VERBOSE,
    )


def allowance(length: int) -> int:
    """How many characters of a text of some length may be read again, behind cuts.

    What follows a cut is read anew, to the end if need be.  A text made to do harm could
    ask for that at every line, so there is an end to it.
    """
    return 8 * length + (1 << 20)


def start_of(item: Chunk | Comment) -> int:
    """Where it begins: a key to find it by."""
    return item.span.start


class _Branches:
    r"""An open `\if`: where its statement began, and what its branches left behind."""

    def __init__(self, start: int, depth: int) -> None:
        self.start = start
        self.depth = depth
        self.skipped_from: int | None = None
        self.depths_behind: list[int] = []


class Reading:
    """One pass over a text.

    `start` is where the current statement's first token is.  Between two statements it is
    where the next token is: a statement is open once the pass has come further than that.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.chunks: list[Chunk] = []
        self.comments: list[Comment] = []
        self.known: tuple[Chunk, ...] = ()  # where one of these begins the pass may end
        self.stops = False  # between two statements, as soon as nothing is pending there
        self.start = 0
        self._reads_words = False
        self._depth = 0  # of parentheses
        self._body = 0  # of BEGIN and CASE
        self._holes: list[Span] = []  # in the current statement: what psql does not send
        self._opaque: list[Span] = []  # dollar quotes in the current statement
        self._branches: list[_Branches] = []  # the \if that are open
        self._unsent: int | None = None  # the first of the statements that `\;` joined
        self._unsent_copies = 0  # COPY FROM STDIN among what is not sent yet
        self._copies = 0  # sent ones, whose data begin on the next line
        self._copy_data = CopyData(text)
        self.reread = 0

    def read(self, at: int) -> int:
        """Read from `at`, where a statement may begin; how far that went.

        The end is that of the text, or a known statement's start, or where it `stops`.
        """
        text, size = self.text, len(self.text)
        self._begin(at)
        while self.start < size:
            if self.known and self._at_known_statement():
                return at
            if self.stops and self.chunks and self._is_between(at):
                return at
            limit = line_end(text, at) if self._copies else size
            resume = self._read_to(at, limit)
            if resume < 0:
                if limit < size:
                    resume = self._skip_copy_data(limit)
                elif self._depth or self._body:
                    resume = self._cut_short()
                else:
                    self.close(size)
                    self.start = size
            at = resume
        return size

    def _read_to(self, at: int, limit: int) -> int:
        """Read until something wants a closer look; where to go on, or -1 at `limit`."""
        text, depth, start, reads_words = self.text, self._depth, self.start, self._reads_words
        pattern = _token_pattern(words=reads_words)
        for token in pattern.finditer(text, at, limit):
            kind = token.lastgroup
            if kind is None:
                continue
            if kind == "semicolon":
                if depth or self._body:
                    continue
                end = token.start()
                if end > start and text[start] in "cC" and self._is_routine(end):
                    return self._read_again_with_words()
                self.close(end)
                waits = self._unsent_copies or self._unsent is not None
                if waits or self.known or self.stops or reads_words:
                    self._begin(end + 1)
                    self._send()
                    return end + 1
                self.start = start = token.end()  # what _begin does, where every step counts
                if self._holes or self._opaque:
                    self._begin(end + 1)
            elif kind == "open":
                self._depth = depth = depth + 1
            elif kind == "close":
                if depth:
                    self._depth = depth = depth - 1
            elif kind == "line":
                start = self._comment(token.start(), token.end())
            elif kind == "begin" or kind == "case" or kind == "end":
                if not depth:
                    self._count_word(kind)
            else:
                return self._look_closer(kind, token.start(), at, limit)
        return -1

    def _look_closer(self, kind: str, here: int, floor: int, limit: int) -> int:
        """Pass over what a regular expression cannot; the text before `floor` was passed."""
        text = self.text
        if kind == "slash":
            return self._slash(here)
        if kind == "block":
            end = block_comment_end(text, here)
        elif kind == "escape":
            end = escape_string_end(text, here + 1)
        elif kind == "dollar":
            end = self._dollar(here, floor)
        else:
            end = -1
        if limit < len(text) and not here < end <= limit and self.reread <= allowance(len(text)):
            self._blank_copy_data(limit)
            return here
        if end < 0:
            return self._cut_short()
        if kind == "block":
            self._comment(here, end)
        return end

    def _dollar(self, here: int, floor: int) -> int:
        end = word_around(self.text, here, floor)
        if end > here:
            return end
        delimiter = DOLLAR_DELIMITER.match(self.text, here)
        end = dollar_quote_end(self.text, here, delimiter[0] if delimiter else "$")
        if end >= 0:
            self._opaque.append(Span(here, end))
        return end

    def _slash(self, here: int) -> int:
        """Carry out the backslash at `here`; where to go on."""
        forced = self.text[here + 1 : here + 2]
        if forced == ";":
            if self._unsent is None:
                self._unsent = len(self.chunks)
            self.close(here)
            self._begin(here + 2)
            return here + 2
        if forced == ":":
            self._hole(here, here + 1)
            return here + 2
        command = slash_command(self.text, here)
        if command.name in ENDS_STATEMENT:
            self.close(here)
            self._begin(command.end)
            self._send()
        elif command.name in DROPS_STATEMENT:
            if self._unsent is not None:
                del self.chunks[self._unsent :]
            self._unsent, self._unsent_copies = None, 0
            self._begin(command.end)
        else:
            if command.name.lower() == "copy":
                self._slash_copy(command)
            elif command.name in ("if", "elif", "else", "endif"):
                self._condition(command.name, here)
            self._hole(here, command.end)
        return command.end

    def _condition(self, name: str, here: int) -> None:
        r"""Read every branch of an `\if`; but of parts of one statement, only the first.

        Like psql, begin each branch at the depth of parentheses that the `\if` stands in.
        Where they end at different depths, one is broken, and the lowest ends the statement.
        """
        if name == "if":
            self._branches.append(_Branches(self.start, self._depth))
        elif self._branches:
            branches = self._branches[-1]
            in_one_statement = branches.start == self.start < here
            if name == "endif":
                self._branches.pop()
                if in_one_statement and branches.skipped_from is not None:
                    while self._holes and self._holes[-1].start >= branches.skipped_from:
                        self._holes.pop()
                    self._hole(branches.skipped_from, here)
                    self._depth = min(*branches.depths_behind, self._depth)
            elif in_one_statement:
                if branches.skipped_from is None:
                    branches.skipped_from = here
                branches.depths_behind.append(self._depth)
                self._depth = branches.depth

    def _slash_copy(self, command: SlashCommand) -> None:
        start = command.arguments - len("copy")
        if query := slash_copy_query(self.text, start, command.end):
            self.chunks.append(Chunk(*query))
        elif reads_client_data(self.text[start : command.end]):
            self._copies += 1

    def _skip_copy_data(self, line_feed: int) -> int:
        """Leap over the data that begin behind the line feed; where to go on."""
        at = self._copy_data_end(line_feed)
        if self.start >= line_feed:
            self._begin(at)
        else:
            self._hole(line_feed, at)
        return at

    def _blank_copy_data(self, line_feed: int) -> None:
        """Take the data out of a literal or comment that goes on behind them."""
        text, end = self.text, self._copy_data_end(line_feed)
        blank = _NOT_LINE_END.sub(" ", text[line_feed:end])
        self.text = text[:line_feed] + blank + text[end:]
        self.reread += len(text)

    def _copy_data_end(self, line_feed: int) -> int:
        """Where the data end that begin behind the line feed; there if there are none."""
        at = line_feed
        for _ in range(self._copies):
            end = self._copy_data.end(at)
            if end == at:
                break
            at = end - 1  # the next data begin behind this line's end
        self._copies = 0
        return line_feed if at == line_feed else at + 1

    def _comment(self, here: int, end: int) -> int:
        """Note a comment; returns where the statement begins now."""
        self.comments.append(Comment(Span(here, end), self.text[here:end]))
        if here == self.start:
            self.start = self._behind_spaces(end)
        return self.start

    def _hole(self, here: int, end: int) -> None:
        """Note what psql does not send."""
        if here <= self.start:
            self.start = self._behind_spaces(end)
        else:
            self._holes.append(Span(here, end))

    def _send(self) -> None:
        """What was read is sent now: the data of its COPY begin on the next line."""
        self._copies += self._unsent_copies
        self._unsent, self._unsent_copies = None, 0

    def _begin(self, at: int) -> int:
        """Be between statements at `at`; returns where the next one begins."""
        self.start = self._behind_spaces(at)
        self._depth = self._body = 0
        self._reads_words = False
        self._holes.clear()
        self._opaque.clear()
        return self.start

    def _behind_spaces(self, at: int) -> int:
        spaces = _SPACES.match(self.text, at)
        return spaces.end() if spaces else at

    def close(self, end: int, *, unterminated: bool = False) -> None:
        """Note the statement from `start` to before `end`, if one is open there."""
        start = self.start
        if end <= start:
            return
        end = self._tail(end)
        text = self._without_holes(start, end) if self._holes else self.text[start:end]
        self.chunks.append(Chunk(Span(start, end), text, unterminated))
        if text[:4].lower() == "copy" and not unterminated and reads_client_data(text):
            self._unsent_copies += 1

    def _without_holes(self, start: int, end: int) -> str:
        """The text from `start` to `end` with its holes blanked; line ends stay."""
        pieces, at = [], start
        for hole in self._holes:
            pieces.append(self.text[at : min(hole.start, end)])
            pieces.append(
                _NOT_LINE_END.sub(" ", self.text[min(hole.start, end) : min(hole.end, end)])
            )
            at = min(hole.end, end)
        return "".join([*pieces, self.text[at:end]])

    def _tail(self, end: int) -> int:
        """The end of the last token before `end`: no white space, comment or hole after it."""
        text, comments, holes = self.text, self.comments, self._holes
        comment, hole = len(comments), len(holes)
        while True:
            while text[end - 1] in SPACE:
                end -= 1
            if comment and comments[comment - 1].span.end >= end:
                comment -= 1
                end = min(end, comments[comment].span.start)  # it may be in a hole
            elif hole and holes[hole - 1].end >= end:
                hole -= 1
                end = holes[hole].start
            else:
                return end

    def _is_routine(self, end: int) -> bool:
        """Whether this first semicolon of the statement may stand in a routine's body."""
        start = self.start
        if self._reads_words or self.text[start : start + 6].lower() != "create":
            return False
        if not self._has_begin(end):
            return False
        words = tuple(first_words(self.text[start:end]))
        return any(words[: len(routine)] == routine for routine in _ROUTINES)

    def _has_begin(self, end: int) -> bool:
        """Whether the word may stand outside of the statement's dollar quotes."""
        at = self.start
        for quote in self._opaque:
            if _BEGIN.search(self.text, at, quote.start):
                return True
            at = quote.end
        return _BEGIN.search(self.text, at, end) is not None

    def _read_again_with_words(self) -> int:
        start = self.start
        self._forget_behind(start)
        self._begin(start)
        self._reads_words = True
        return start

    def _count_word(self, kind: str) -> None:
        """Psql's rule for the body of a routine: CASE ends with END too."""
        if kind == "begin" or (kind == "case" and self._body):
            self._body += 1
        elif kind == "end" and self._body:
            self._body -= 1

    def _cut_short(self) -> int:
        """Cut the statement, in which something never ends; where to go on."""
        size = len(self.text)
        end, resume = next(self.cuts(self.start), (-1, -1))
        if end < 0:
            blank = _BLANK_LINE.search(self.text, self.start)
            end, resume = blank.span() if blank else (size, size)
        self._forget_behind(resume)
        self.close(end, unterminated=True)
        self._begin(resume)
        self.reread += size - resume
        if self.reread > allowance(len(self.text)):
            self._read_blindly(resume)
        return resume

    def cuts(self, at: int) -> Iterator[tuple[int, int]]:
        """Line-ending semicolons from `at` on, outside of comments and dollar quotes."""
        for semicolon in LINE_ENDING_SEMICOLON.finditer(self.text, at):
            here = semicolon.start()
            if not (self._in_comment(here) or self._in_dollar_quote(here)):
                yield here, semicolon.end()

    def _in_comment(self, at: int) -> bool:
        near = bisect_right(self.comments, at, key=start_of)
        return near > 0 and self.comments[near - 1].span.end > at

    def _in_dollar_quote(self, at: int) -> bool:
        near = bisect_right(self._opaque, Span(at, at))
        return near > 0 and self._opaque[near - 1].end > at

    def _forget_behind(self, at: int) -> None:
        """Forget what was noted behind `at`: it is going to be read again."""
        while self.comments and self.comments[-1].span.end > at:
            self.comments.pop()
        while self.chunks and self.chunks[-1].span.start >= at:  # a \copy's
            self.chunks.pop()
        self._copies = self._unsent_copies = 0
        self._branches.clear()
        if self._unsent is not None and self._unsent > len(self.chunks):
            self._unsent = None

    def _read_blindly(self, at: int) -> None:
        """Cut the rest at its line-ending semicolons, whatever they stand in."""
        for semicolon in LINE_ENDING_SEMICOLON.finditer(self.text, at):
            self._begin(at)
            self.close(semicolon.start())
            at = semicolon.end()
        self._begin(at)
        self.close(len(self.text))
        self.start = len(self.text)

    def _is_between(self, at: int) -> bool:
        """Whether nothing that was read matters to what follows: no statement is open."""
        pending = self._branches or self._copies or self._unsent_copies or self._depth
        return (
            not (pending or self._body or self._reads_words)
            and self._unsent is None
            and self.start == self._behind_spaces(at)
        )

    def _at_known_statement(self) -> bool:
        near = bisect_left(self.known, self.start, key=start_of)
        return near < len(self.known) and self.known[near].span.start == self.start
