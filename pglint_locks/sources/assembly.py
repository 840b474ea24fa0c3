"""SQL put together from places of a file."""

from __future__ import annotations

from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import Piece, SourceMap, SourceText, Span


class Assembly:
    """A unit in the making: copies from the file, and what takes the place of its text."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._texts: list[str] = []
        self._pieces: list[Piece] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def copy(self, span: Span) -> None:
        """Go on with a range of the file as it stands."""
        self.put(self._source.text[span.start : span.end], span)

    def put(self, text: str, file: Span) -> None:
        """Go on with a text that was written in another way at a range of the file."""
        if text:
            self._pieces.append(Piece(Span(self._length, self._length + len(text)), file))
            self._texts.append(text)
            self._length += len(text)

    def add(self, unit: SqlUnit) -> None:
        """Go on with the text of another unit of the file."""
        for piece in unit.map.pieces:
            text = unit.text[piece.unit.start : piece.unit.end]
            self.put(text, piece.file)

    def unit(self, label: str | None = None) -> SqlUnit:
        """What was put together."""
        pieces = self._pieces or [Piece(Span(0, 0), Span(0, 0))]
        return SqlUnit(self._source, self.text, SourceMap(tuple(pieces)), label)
