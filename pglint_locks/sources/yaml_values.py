"""SQL in YAML: the scalars under keys that say so, read line by line.

Block scalars (`|`, `>`), quoted and plain ones, and lists of them.  What stands in braces
or brackets is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.keys import holds_sql
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceText, Span

_ENTRY = re.compile(
    r"""(?P<indent>[ ]*)
    (?: (?P<comment>\#[^\r\n]*)
    |   (?P<dashes>(?:-[ ]+)*)
        (?:(?P<key>"[^"\r\n]*"|'[^'\r\n]*'|[\w.$/-]+)[ ]*:(?=[ \r\n]|\Z))?
        [ ]*(?:[!&][^\s,\[\]{}]+[ ]+)*(?P<value>[^\r\n]*))
    (?P<end>\r\n|\r|\n|\Z)""",
    re.VERBOSE,
)
_LINE = re.compile(r"(?P<indent>[ ]*)(?P<text>[^\r\n]*)(?:\r\n|\r|\n|\Z)")
_BLOCK = re.compile(r"[|>][-+\d]*[ ]*(?:\#.*)?\Z")
_COMMENT_BEHIND = re.compile(r"[ \t]\#")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"'(?:[^']|'')*'")
_ESCAPE = re.compile(
    r"\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|(?P<line>\r\n|\r|\n)|(?P<other>.))"
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "0": "", "e": "", "N": "\n"}


class _Reading:
    """One pass over a file's lines."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.scripts: list[SqlUnit] = []
        self.comments: list[Comment] = []
        self.statements: list[Span] = []
        self.unread: list[NotAnalysed] = []
        self._listed: int | None = None  # the indent of the key whose list is read

    def read(self) -> None:
        at, text = 0, self.source.text
        while at < len(text):
            entry = _ENTRY.match(text, at)
            if entry is None:  # pragma: no cover - every line is an entry
                return
            if entry["comment"]:
                self.comments.append(Comment(Span(*entry.span("comment")), entry["comment"]))
                at = entry.end()
            else:
                at = max(self._entry(entry), entry.end())

    def _entry(self, entry: re.Match[str]) -> int:
        """Read one entry; where the next one begins."""
        key, value = entry["key"], entry["value"].strip()
        indent = len(entry["indent"]) + len(entry["dashes"])
        if not (key or value):
            return entry.end()
        is_item = key is None and bool(entry["dashes"])
        if self._listed is not None and len(entry["indent"]) < self._listed + (not is_item):
            self._listed = None
        is_sql = holds_sql(key) if key else is_item and self._listed is not None
        if key and is_sql and not value:
            self._listed = len(entry["indent"]) + len(entry["dashes"])
        start = entry.start("value")
        if _BLOCK.match(value):
            floor = indent if key else len(entry["indent"])
            end = self._behind_deeper_lines(entry.end(), floor)
            span = Span(entry.end(), end)
        elif value.startswith(("'", '"')):
            return self._quoted(start, entry, is_sql)
        else:
            end = self._behind_deeper_lines(entry.end(), indent) if is_sql and value else 0
            behind = _COMMENT_BEHIND.search(entry["value"])
            stop = start + behind.start() if behind else max(end, entry.end("value"))
            span = Span(start, stop)
        if is_sql and value and not value.startswith(("{", "[", "*")):
            self.statements.append(Span(entry.start() + len(entry["indent"]), span.end))
            self.scripts.append(SqlUnit.whole_file(self.source).part(span))
        return end

    def _behind_deeper_lines(self, at: int, indent: int) -> int:
        """Where the lines end that stand further to the right."""
        text, end = self.source.text, at
        while at < len(text):
            line = _LINE.match(text, at)
            assert line is not None
            if line["text"]:
                if len(line["indent"]) <= indent:
                    break
                end = line.end()
            at = line.end()
        return end

    def _quoted(self, start: int, entry: re.Match[str], is_sql: bool) -> int:
        text = self.source.text
        pattern = _DOUBLE_QUOTED if text[start] == '"' else _SINGLE_QUOTED
        scalar = pattern.match(text, start)
        if scalar is None:
            if is_sql:
                for words in lock_word_spans(text[start:]):
                    place = words.shifted(start)
                    self.unread.append(NotAnalysed("broken YAML", self.source, place))
            return len(text) if is_sql else entry.end()
        if is_sql:
            assembly = Assembly(self.source)
            at, end = scalar.start() + 1, scalar.end() - 1
            for span, meaning in _escapes(text, Span(at, end), text[start]):
                assembly.copy(Span(at, span.start))
                assembly.put(meaning, span)
                at = span.end
            assembly.copy(Span(at, end))
            self.statements.append(Span(entry.start() + len(entry["indent"]), scalar.end()))
            self.scripts.append(assembly.unit())
        line = _LINE.match(text, scalar.end())
        return line.end() if line else len(text)


def _escapes(text: str, span: Span, quote: str) -> Iterator[tuple[Span, str]]:
    """The escapes in a quoted scalar, each with its meaning."""
    if quote == "'":
        for found in re.compile("''").finditer(text, span.start, span.end):
            yield Span(*found.span()), "'"
        return
    for found in _ESCAPE.finditer(text, span.start, span.end):
        digits = found["x"] or found["u"] or found["U"]
        if digits:
            code = int(digits, 16)
            valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
            yield Span(*found.span()), chr(code) if valid else "\ufffd"
        elif found["line"]:
            yield Span(*found.span()), ""
        else:
            yield Span(*found.span()), _CONTROLS.get(found["other"], found["other"])


def read(source: SourceText) -> FileContent:
    """Each scalar under a key that holds SQL, also in a list there, as a script of its own."""
    reading = _Reading(source)
    reading.read()
    return FileContent(
        scripts=tuple(reading.scripts),
        comments=tuple(reading.comments),
        statements=tuple(reading.statements),
        not_analysed=tuple(reading.unread),
    )
