"""SQL in shell scripts: what psql reads from a here-document or is told with `-c`.

The text may stand in a variable: `SQL='…'`, `read -r -d '' SQL <<'EOF'`, `SQL=$(cat <<'EOF' …)`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.heredocs import Heredoc, behind_substitution, closings, put_heredoc
from pglint_locks.sources.shellvars import SUBSTITUTED, Variables
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceText, Span

_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|\\\r?\n)
    | (?P<comment>(?<![^\s;&|(])\#[^\r\n]*)
    | (?P<heredoc><<(?P<tabs>-?)[ \t]*(?P<quote>['"\\]?)(?P<tag>[A-Za-z_]\w*)['"]?)
    | (?P<here><<<)
    | (?P<end>\r?\n|;;?|&&?|\|\||\$?[()]|`)
    | (?P<pipe>\|&?)
    | (?P<ansi>\$'(?:[^'\\]|\\.)*')
    | (?P<single>'[^']*')
    | (?P<double>")
    | (?P<escaped>\\.)
    | (?P<plain>[^\s;&|'"\\`$<()]+)
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(
    r"""\\(?P<escaped>["\\$`]|\r?\n) | (?P<open>\$\(|`) | (?P<close>")""", re.VERBOSE
)
_PSQL = re.compile(r"(?:\S*/)?[\w.-]*psql[\w.-]*\Z|\$\{?\w*psql\w*\}?\Z", re.IGNORECASE)
# Short options before it in one word take no arguments.
_COMMAND = re.compile(r"--command(?:=|\Z)|-[01AabEeHLlnqSsttVwWXxz]*c")
_PRINTS = frozenset({"echo", "printf"})
_ANSI = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_DECLARES = frozenset({"export", "local", "readonly", "declare", "typeset"})
_MAX_NESTING = 5


class _Word(NamedTuple):
    """A word of a command: what it says as far as it shows, and where it stands."""

    unit: SqlUnit
    span: Span


class _Reading:
    """One pass over a script: simple commands, pipelines and here-documents."""

    def __init__(
        self, source: SourceText, closings: dict[str, list[int]], variables: Variables
    ) -> None:
        self.source = source
        self.scripts: list[SqlUnit] = []
        self.comments: list[Comment] = []
        self.statements: list[Span] = []
        self.unread: list[NotAnalysed] = []
        self._closings = closings
        self._nesting = 0
        self._words: list[_Word] = []
        self._word: Assembly | None = None
        self._word_span = Span(0, 0)
        self._here: int | None = None  # which word is a here-string
        self._printed: list[_Word] = []  # what is piped on
        self._heredocs: list[Heredoc] = []
        self._runs_psql = False
        self._variables = variables
        self._into: str | None = None  # what takes the output of the command that comes
        self._cats: list[SqlUnit] = []  # here-documents that are put out as they are

    def read(self, span: Span) -> None:
        """Read a range of the file."""
        at = span.start
        while at < span.end:
            token = _TOKEN.match(self.source.text, at, span.end)
            assert token is not None
            at = self._take(token, span.end)
        self._end_command()

    def _take(self, token: re.Match[str], limit: int) -> int:
        """Take one token; where the next one begins."""
        span = Span(*token.span())
        match token.lastgroup:
            case "blank":
                self._end_word()
            case "here":
                self._end_word()
                self._here = len(self._words)
            case "comment":
                self.comments.append(Comment(span, token[0]))
            case "tag" | "heredoc":
                self._end_word()
                is_quoted = bool(token["quote"])
                self._heredocs.append(Heredoc(token["tag"], bool(token["tabs"]), is_quoted))
            case "pipe":
                self._end_command(is_piped=True)
            case "end":
                return self._end(token)
            case "single":
                self._part(span).copy(Span(span.start + 1, span.end - 1))
            case "ansi":
                self._ansi_quoted(span)
            case "double":
                return self._double_quoted(span, limit)
            case "escaped":
                self._part(span).put(token[0][1:], span)
            case _:
                self._part(span).copy(span)
        return span.end

    def _part(self, span: Span) -> Assembly:
        """The word that goes on or begins at a place."""
        if self._word is None:
            self._word = Assembly(self.source)
            self._word_span = span
        self._word_span = Span(self._word_span.start, span.end)
        return self._word

    def _ansi_quoted(self, span: Span) -> None:
        """`$'…'`, in which backslashes escape."""
        word, at = self._part(span), span.start + 2
        for found in _ANSI.finditer(self.source.text, at, span.end - 1):
            word.copy(Span(at, found.start()))
            word.put(_CONTROLS.get(found[1], found[1]), Span(*found.span()))
            at = found.end()
        word.copy(Span(at, span.end - 1))

    def _double_quoted(self, quote: Span, limit: int) -> int:
        text, at = self.source.text, quote.end
        word = self._part(quote)
        for found in _IN_DOUBLE.finditer(text, at, limit):
            if found.start() < at:
                continue  # inside of what was substituted
            word.copy(Span(at, found.start()))
            at = found.end()
            if found["close"]:
                self._part(Span(quote.start, at))
                return at
            if found["escaped"]:
                word.put(found["escaped"].strip("\r\n"), Span(*found.span()))
            else:
                at = behind_substitution(text, found.start())
                self._read_inside(Span(found.end(), at - 1))
                word.put(SUBSTITUTED, Span(found.start(), at))
        self._word = None
        self._leave("a quote that is never closed", Span(quote.start, limit))
        return limit

    def _read_inside(self, span: Span) -> None:
        """Read the command whose output is part of a quoted word."""
        if self._nesting >= _MAX_NESTING:
            return
        inner = _Reading(self.source, self._closings, self._variables)
        inner._nesting = self._nesting + 1
        inner.read(span)
        self.scripts += inner.scripts
        self.statements += inner.statements
        self.unread += inner.unread
        self._cats += inner._cats

    def _end_word(self) -> None:
        if self._word is not None:
            self._words.append(_Word(self._word.unit(), self._word_span))
            self._word = None

    def _end(self, token: re.Match[str]) -> int:
        """End a command; here-documents begin behind the line that names them."""
        at = token.end()
        self._end_command(is_opened=token["end"] == "$(")
        if token["end"].endswith("\n"):
            for heredoc in self._heredocs:
                at = self._heredoc(heredoc, at)
            self._heredocs.clear()
        if not self._heredocs:
            self._runs_psql = False
        return at

    def _end_command(self, *, is_piped: bool = False, is_opened: bool = False) -> None:
        """Look at the words of a command for what psql is told to run, and what is set."""
        self._end_word()
        words, here, printed = self._words, self._here, self._printed
        self._set(words, is_opened=is_opened)
        self._words, self._here, self._printed = [], None, []
        names = [index for index, word in enumerate(words) if _PSQL.match(word.unit.text)]
        if names:
            self._runs_psql = True
            run = [*printed, *_commands(words[names[0] + 1 :])]
            run += words[here : here + 1] if here is not None else []
            place = Span((printed or words)[0].span.start, words[-1].span.end)
            for word in run:
                self._run(word.unit)
            self.statements += [place] if run else []
        elif is_piped and words and words[0].unit.text in _PRINTS:
            self._printed = [word for word in words[1:] if not word.unit.text.startswith("-")]
        elif words and words[0].unit.text not in _PRINTS:
            self._variables.pass_on(words[0].unit.text, (word.unit for word in words[1:]))

    def _run(self, unit: SqlUnit) -> None:
        self.scripts += self._variables.run(unit)

    def _set(self, words: list[_Word], *, is_opened: bool) -> None:
        """Take down what variables are set to, or that one takes what comes."""
        into, self._into = self._into, None
        names = [word.unit.text for word in words]
        if names[:1] == ["read"] and self._heredocs:
            into = names[-1]
        elif names[:1] != ["cat"]:
            into = None
            for word in words[names[:1] != [] and names[0] in _DECLARES :]:
                name = self._variables.set(word.unit, self._cats)
                if name is None:
                    break
                self._into = name if is_opened and word is words[-1] else None
        if self._heredocs and names[:1] in (["read"], ["cat"]):
            self._heredocs[-1] = self._heredocs[-1]._replace(into=into or "")

    def _heredoc(self, heredoc: Heredoc, at: int) -> int:
        """Read a here-document whose first line begins at `at`; where it ends."""
        lines = self._closings.get("\t" * heredoc.strips_tabs + heredoc.tag, [])
        near = bisect_left(lines, at)
        if near == len(lines):
            return at
        closing = lines[near]
        if self._runs_psql or heredoc.into is not None:
            assembly = Assembly(self.source)
            put_heredoc(assembly, self.source.text, Span(at, closing), heredoc.is_quoted)
            if self._runs_psql:
                self._run(assembly.unit())
            elif heredoc.into:
                self._variables.hold(heredoc.into, assembly.unit())
            else:
                self._cats.append(assembly.unit())
        return self.source.text.index(heredoc.tag, closing) + len(heredoc.tag)

    def _leave(self, reason: str, span: Span) -> None:
        for words in lock_word_spans(self.source.text[span.start : span.end]):
            self.unread.append(NotAnalysed(reason, self.source, words.shifted(span.start)))


def _commands(words: list[_Word]) -> Iterator[_Word]:
    """What psql is told to run: the words behind `-c` and `--command`."""
    for word, following in zip(words, [*words[1:], None], strict=False):
        option = _COMMAND.match(word.unit.text)
        if option is None:
            continue
        if option.end() < len(word.unit.text):
            rest = Span(option.end(), len(word.unit.text))
            yield word._replace(unit=word.unit.part(rest))
        elif following is not None:
            yield following


def read(source: SourceText) -> FileContent:
    """What each psql reads from a here-document, a pipe or its arguments, as a script each."""
    variables = Variables()
    reading = _Reading(source, closings(source.text), variables)
    reading.read(Span(0, len(source.text)))
    return FileContent(
        scripts=tuple(reading.scripts),
        comments=tuple(reading.comments),
        statements=tuple(reading.statements),
        not_analysed=(*reading.unread, *variables.not_analysed()),
    )
