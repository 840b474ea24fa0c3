"""SQL in Jupyter notebooks: what a `%sql` magic command runs, and the strings of other cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent, content_within
from pglint_locks.sources.json_values import unread_behind
from pglint_locks.sources.jsonstrings import BrokenJsonError, put_value, strings
from pglint_locks.sources.kinds import kind_of
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.lockwords import has_folded_lock_words
from pglint_locks.text import SourceText, Span

_CELL = re.compile(r"\s*(?:%%sql\b|#!sql\b)(?P<line>[^\n]*)\n?")
_LINE = re.compile(r"^[ \t]*(?:\w[\w.]*[ \t]*=[ \t]*)?%sql[ \t]+(?P<sql>[^\n]*)", re.MULTILINE)
# What stands between a magic command and its SQL: options, a connection.
_ARGUMENTS = re.compile(
    r"(?:[ \t]*(?:--?\w[\w-]*(?:[= ][\w./]+)?|\w+(?:\+\w+)?://\S+|@\w+))*[ \t]*"
)


def read(source: SourceText) -> FileContent:
    """Each code cell under `%%sql` as a script, each line behind `%sql`, and the code of others."""
    found: list[FileContent] = []
    try:
        for cell in _code_cells(source):
            scripts = tuple(_sql_of(cell))
            found.append(FileContent(scripts) if scripts else _code_of(cell))
    except BrokenJsonError as error:
        found.append(FileContent(not_analysed=tuple(unread_behind(source, error.at))))
    return FileContent(*(tuple(chain.from_iterable(parts)) for parts in zip(*found, strict=True)))


def _code_of(cell: SqlUnit) -> FileContent:
    """What SQL the Python code of a cell holds."""
    if not has_folded_lock_words(cell.text.encode("utf-8", "replace")):
        return FileContent()
    from pglint_locks.sources.host import read_kind

    code = SourceText(cell.source.name, cell.text)
    return content_within(read_kind(code, kind_of("cell.py")), cell)


def _code_cells(source: SourceText) -> Iterator[SqlUnit]:
    """What stands in each code cell."""
    cells: dict[int | str, Assembly] = {}
    kinds: dict[int | str, str] = {}
    for found in strings(source.text):
        match found.path:
            case ("cells", number, "cell_type"):
                kinds[number] = source.text[found.span.start + 1 : found.span.end - 1]
            case ("cells", number, "source", *_):
                put_value(cells.setdefault(number, Assembly(source)), source.text, found.span)
    for number, cell in cells.items():
        if kinds.get(number) == "code":
            yield cell.unit()


def _sql_of(cell: SqlUnit) -> Iterator[SqlUnit]:
    magic = _CELL.match(cell.text)
    if magic is None:
        for line in _LINE.finditer(cell.text):
            yield cell.part(_without_arguments(cell.text, Span(*line.span("sql"))))
        return
    behind = _without_arguments(cell.text, Span(*magic.span("line")))
    start = behind.start if cell.text[behind.start : behind.end].strip() else magic.end()
    yield cell.part(Span(start, len(cell.text)))


def _without_arguments(text: str, span: Span) -> Span:
    arguments = _ARGUMENTS.match(text, span.start, span.end)
    return Span(arguments.end() if arguments else span.start, span.end)
