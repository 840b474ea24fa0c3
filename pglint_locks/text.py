"""Source text and places in it: the one module that turns offsets into rows and columns.

Inside the program a place is an offset in code points.  There are two kinds, and the
names say which: a *unit offset* counts in the text of an SQL unit (what the parser
saw), a *file offset* counts in the decoded file without its byte order mark (what the
person sees).  A `SourceMap` leads from the first to the second; a `SourceText` leads
from there to rows and columns, once, at the edge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"
LINE_END = re.compile(r"\r\n|\n|\r")
"""Where a row ends: at LF, CRLF or CR, and nowhere else."""


class Span(NamedTuple):
    """A half-open range of offsets, in code points: `start` is in it, `end` is not."""

    start: int
    end: int

    def shifted(self, by: int) -> Span:
        """The same range, `by` code points further on."""
        return Span(self.start + by, self.end + by)

    def covers(self, other: Span) -> bool:
        """Whether another range stands in this one."""
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: Span) -> bool:
        """Whether the two ranges share a character (an empty one counts by its place)."""
        return self.start < max(other.end, other.start + 1) and other.start < max(
            self.end, self.start + 1
        )


class Position(NamedTuple):
    """A place as a person names it: row and column count from 1, columns in code points.

    A byte order mark is no column, a tab is one; rows end at LF, CRLF or CR.
    """

    row: int
    column: int


@dataclass(frozen=True)
class SourceText:
    """A decoded file (or standard input): its shown name and its text without BOM.

    `mark` is the byte order mark that stands before the text, or nothing.
    """

    name: str
    text: str = field(repr=False)
    mark: str = ""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    @property
    def row_count(self) -> int:
        """How many rows the text has; a final line end opens one more, empty row."""
        return len(self._line_starts)

    def position(self, offset: int) -> Position:
        """Row and column of a file offset (one past the last character is allowed)."""
        row = bisect_right(self._line_starts, offset)
        return Position(row, offset - self._line_starts[row - 1] + 1)

    def utf16_position(self, offset: int) -> Position:
        """The same with the column in UTF-16 code units, as editors and SARIF count."""
        return self._position(offset, "utf-16-le", 2)

    def utf8_position(self, offset: int) -> Position:
        """The same with the column in bytes of UTF-8, as reviewdog counts."""
        return self._position(offset, "utf-8", 1)

    def _position(self, offset: int, encoding: str, size: int) -> Position:
        row = self.position(offset).row
        before = self.text[self._line_starts[row - 1] : offset]
        return Position(row, len(before.encode(encoding, "surrogatepass")) // size + 1)

    def offset(self, position: Position) -> int:
        """The file offset of a row and column: the inverse of `position`."""
        return self._line_starts[position.row - 1] + position.column - 1

    def line_span(self, row: int) -> Span:
        """File offsets of a row, without its line end."""
        start = self._line_starts[row - 1]
        end = self._line_starts[row] if row < self.row_count else len(self.text)
        return Span(start, start + len(self.text[start:end].rstrip("\r\n")))

    def line(self, row: int) -> str:
        """The text of a row, without its line end."""
        span = self.line_span(row)
        return self.text[span.start : span.end]


class Piece(NamedTuple):
    """A run of a unit's text that stands in the file as one run.

    Where both lengths are equal the run is a plain copy, character by character.
    Where they differ it is one indivisible substitution (an escape that was undone,
    a doubled quote, a hole): every offset in it maps to the whole of `file`.
    """

    unit: Span
    file: Span

    @property
    def is_copy(self) -> bool:
        """Whether each character of the unit's run is the file's character."""
        return self.unit.end - self.unit.start == self.file.end - self.file.start


class SourceMap:
    """Leads from unit offsets to file offsets through an ordered run of pieces.

    The pieces cover the unit's text without gaps, in order of `unit.start`.
    """

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces
        self._starts = [piece.unit.start for piece in pieces]

    @classmethod
    def identity(cls, length: int, file_start: int = 0) -> SourceMap:
        """The map of a unit that is one plain copy of the file from `file_start` on."""
        return cls((Piece(Span(0, length), Span(file_start, file_start + length)),))

    def file_span(self, unit: Span) -> Span:
        """The file range that a unit range was read from; an empty one keeps its place."""
        start = self._character(unit.start).start
        if unit.end <= unit.start:
            return Span(start, start)
        end = self._character(unit.end - 1).end
        if end > start:
            return Span(start, end)
        # Text that was put together in another order than it is written in: its first run.
        first = next(self._within(unit))
        return Span(start, max(first.file.end, start))

    def part(self, unit: Span) -> SourceMap:
        """The map of a part of the unit, whose own offsets count from the part's start."""
        if unit.end <= unit.start:
            place = self._character(unit.start).start
            return SourceMap((Piece(Span(0, 0), Span(place, place)),))
        return SourceMap(
            tuple(
                Piece(piece.unit.shifted(-unit.start), piece.file) for piece in self._within(unit)
            )
        )

    def composed(self, inner: SourceMap) -> SourceMap:
        """The map of a unit inside this one.

        `inner` leads from the inner unit's offsets to this unit's, the result from there
        to the file.
        """
        pieces: list[Piece] = []
        for piece in inner.pieces:
            if not piece.is_copy or piece.unit.end == piece.unit.start:
                pieces.append(Piece(piece.unit, self.file_span(piece.file)))
                continue
            by = piece.unit.start - piece.file.start
            for outer in self._within(piece.file):
                pieces.append(Piece(outer.unit.shifted(by), outer.file))
        return SourceMap(tuple(pieces))

    def _within(self, unit: Span) -> Iterator[Piece]:
        """The pieces of a range of unit offsets, the first and last cut to fit."""
        index = max(bisect_right(self._starts, unit.start) - 1, 0)
        while index < len(self.pieces) and self.pieces[index].unit.start < unit.end:
            piece = self.pieces[index]
            last = index == len(self.pieces) - 1
            index += 1
            start = max(piece.unit.start, unit.start)
            end = unit.end if last else min(piece.unit.end, unit.end)
            if start >= end:
                continue
            if piece.is_copy:
                by = piece.file.start - piece.unit.start
                yield Piece(Span(start, end), Span(start + by, end + by))
            else:
                yield Piece(Span(start, end), piece.file)

    def _character(self, offset: int) -> Span:
        """The file range of the one character at a unit offset."""
        piece = self.pieces[max(bisect_right(self._starts, offset) - 1, 0)]
        if not piece.is_copy and offset < piece.unit.end:
            return piece.file
        start = piece.file.start + (offset - piece.unit.start)
        return Span(start, start + 1)
