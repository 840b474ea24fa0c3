"""A piece of a source file with places in it underlined and explained."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from pglint_locks.reporters.cells import text_width, wrap
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.linefit import ELLIPSIS, fit
from pglint_locks.text import SourceText, Span

# Marked rows further apart than this have the rows between them left out.
_NEAR = 3
_LEADING_ROWS = 2
# A span over more rows than this is marked in its first and last row only.
_ALL_ROWS_MARKED = 4
# A row that ends a statement, is a comment, or a command to psql.
_ENDS_CODE = re.compile(r";\s*(?:--.*|/\*.*\*/)?\Z|\A(?:--|/\*|\\|(?:(?!/\*).)*\*/\Z)")
# A label with less room than this beside its mark goes below it.
_LABEL_ROOM = 24


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of file offsets to underline with `sign`, and the words to set beside it.

    `style` is the reporter's name for how mark and words are painted.
    """

    span: Span
    sign: str
    style: str
    label: str


class Chunk(NamedTuple):
    """Text that begins at a cell of a row and is painted in one style ("" for none)."""

    cell: int
    text: str
    style: str


class Row(NamedTuple):
    """A row of an excerpt: what stands in the gutter, and chunks from left to right."""

    gutter: str
    chunks: tuple[Chunk, ...] = ()


def last_row(source: SourceText, marks: Sequence[Mark]) -> int:
    """The highest row number that an excerpt with these marks shows."""
    return max(row for mark in marks for row in _rows(source, mark.span))


def excerpt(source: SourceText, marks: Sequence[Mark], room: int) -> list[Row]:
    """The marked rows of a file with what is needed round them, each in `room` cells.

    Up to two rows stand before the first marked one, as far as they seem to belong to
    the same statement; rows between marked ones are left out where they are many.
    """
    parts: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        for row, part in _by_row(source, mark):
            parts[row].append(part)
    shown = _shown_rows(source, sorted(parts))
    margin = _margin([source.line(row) for row in shown if row], room)
    rows: list[Row] = []
    for number in shown:
        if number is None:
            rows.append(Row(ELLIPSIS))
            continue
        marked = [
            replace(mark, span=mark.span.shifted(-min(margin, mark.span.start)))
            for mark in parts[number]
        ]
        rows += _marked_row(source.line(number)[margin:], number, marked, room)
    return rows


def _shown_rows(source: SourceText, marked: Sequence[int]) -> list[int | None]:
    """The rows of an excerpt; None where rows are left out."""
    rows: list[int | None] = [*_leading(source, marked[0])]
    for previous, row in pairwise([marked[0], *marked]):
        rows += [None] if row - previous > _NEAR else range(previous + 1, row)
        rows.append(row)
    return rows


def _margin(lines: Sequence[str], room: int) -> int:
    """How much white space all lines begin with, if one of them is short of room."""
    if all(len(line) <= room and text_width(line.expandtabs(4)) <= room for line in lines):
        return 0
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    least = min(indents, key=len, default="")
    return len(least) if all(indent.startswith(least) for indent in indents) else 0


def _leading(source: SourceText, row: int) -> range:
    """The rows before the first marked one that show what it is part of."""
    first = row
    while first > max(row - _LEADING_ROWS, 1):
        above = source.line(first - 1).strip()
        if not above or _ENDS_CODE.search(above):
            break
        first -= 1
    return range(first, row)


def _rows(source: SourceText, span: Span) -> range:
    """The rows that a range has characters in; where it is empty, the one it stands in."""
    end = min(span.end, len(source.text))
    start = min(span.start, end)
    last = source.position(max(end - 1, start)).row
    return range(source.position(start).row, last + 1)


def _by_row(source: SourceText, mark: Mark) -> list[tuple[int, Mark]]:
    """The mark cut at line ends: spans count from the row's start, blanks are left off.

    The label goes with the last part.
    """
    rows = _rows(source, mark.span)
    shown = rows if len(rows) <= _ALL_ROWS_MARKED else (rows[0], rows[-1])
    parts: list[tuple[int, Mark]] = []
    for row in shown:
        line = source.line_span(row)
        start = min(max(mark.span.start, line.start), line.end)
        end = max(min(mark.span.end, line.end), start)
        text = source.text[start:end]
        if len(rows) > 1:
            start += len(text) - len(text.lstrip())
            end = start + len(text.strip())
        if start < end or len(rows) == 1:
            span = Span(start, end).shifted(-line.start)
            parts.append((row, replace(mark, span=span, label="")))
    if not parts:  # nothing but blanks over several rows
        start = min(mark.span.start, source.line_span(rows[0]).end)
        span = Span(start, start).shifted(-source.line_span(rows[0]).start)
        parts = [(rows[0], replace(mark, span=span))]
    row, part = parts[-1]
    return [*parts[:-1], (row, replace(part, label=mark.label))]


def _marked_row(line: str, number: int, marks: Sequence[Mark], room: int) -> list[Row]:
    """A row of source and below it the rows with its marks and their labels."""
    ordered = sorted(marks, key=lambda mark: (mark.span, mark.sign != "^"))
    fitted = fit(line, [mark.span for mark in ordered], room)
    rows = [Row(str(number), (Chunk(0, fitted.text, "source"),))]
    open_row: list[Chunk] = []
    free = 0
    for mark, cells in zip(ordered, fitted.marks, strict=True):
        if open_row and cells.start < free:
            rows.append(Row("", tuple(open_row)))
            open_row = []
        open_row.append(Chunk(cells.start, mark.sign * (cells.end - cells.start), mark.style))
        free = cells.end + 1
        first, *below = _label_chunks(mark, cells, room)
        if first.text:
            open_row.append(first)
            free = first.cell + text_width(first.text) + 1
        if below:
            rows.append(Row("", tuple(open_row)))
            rows += [Row("", (chunk,)) for chunk in below]
            open_row = []
    return [*rows, Row("", tuple(open_row))] if open_row else rows


def _label_chunks(mark: Mark, cells: Span, room: int) -> list[Chunk]:
    """The label, broken to fit: the first chunk stands beside the mark (it may be empty).

    Where that takes fewer rows, the label hangs below the mark, as far left as it must.
    """
    label = escape(mark.label)
    if not label:
        return [Chunk(0, "", mark.style)]
    beside = cells.end + 1
    lines = wrap(label, room - beside, room - beside)
    cell = max(min(cells.start, room - max(_LABEL_ROOM, text_width(label))), 0)
    below = wrap(label, room - cell, room - cell)
    if len(lines) > 1 and (room - beside < _LABEL_ROOM or len(below) + 1 < len(lines)):
        beside, lines = cell, ["", *below]
    return [Chunk(beside, line, mark.style) for line in lines]
