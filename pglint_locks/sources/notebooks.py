"""SQL in Jupyter notebooks: the cells and lines that a `%sql` magic command runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.json_values import unread_behind
from pglint_locks.sources.jsonstrings import BrokenJsonError, put_value, strings
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.text import SourceText, Span

_CELL = re.compile(r"\s*(?:%%sql\b|#!sql\b)(?P<line>[^\n]*)\n?")
_LINE = re.compile(r"^[ \t]*(?:\w[\w.]*[ \t]*=[ \t]*)?%sql[ \t]+(?P<sql>[^\n]*)", re.MULTILINE)
# What stands between a magic command and its SQL: options, a connection.
_ARGUMENTS = re.compile(
    r"(?:[ \t]*(?:--?\w[\w-]*(?:[= ][\w./]+)?|\w+(?:\+\w+)?://\S+|@\w+))*[ \t]*"
)


def read(source: SourceText) -> FileContent:
    """Each code cell under `%%sql` as a script of its own, and each line behind `%sql`."""
    scripts: list[SqlUnit] = []
    unread: tuple[NotAnalysed, ...] = ()
    try:
        for cell in _code_cells(source):
            scripts.extend(_sql_of(cell))
    except BrokenJsonError as error:
        unread = tuple(unread_behind(source, error.at))
    return FileContent(scripts=tuple(scripts), not_analysed=unread)


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
