"""SQL text found in a file, and what became of the clauses that could not be read."""

from __future__ import annotations

from typing import NamedTuple

from pglint_locks.text import SourceMap, SourceText, Span


class SqlUnit(NamedTuple):
    """SQL text with the map from its offsets to the file's.

    `label` names what holds it, such as `function app.claim(integer)`; None for a
    file's own top level.
    """

    source: SourceText
    text: str
    map: SourceMap
    label: str | None = None

    @classmethod
    def whole_file(cls, source: SourceText) -> SqlUnit:
        """A file that is SQL from its first to its last character."""
        return cls(source, source.text, SourceMap.identity(len(source.text)))

    def part(self, span: Span) -> SqlUnit:
        """A range of the unit as a unit of its own."""
        return self._replace(text=self.text[span.start : span.end], map=self.map.part(span))


class NotAnalysed(NamedTuple):
    """A locking clause that was seen but not analysed: why, and where in the file."""

    reason: str
    source: SourceText
    span: Span
