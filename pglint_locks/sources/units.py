"""SQL text found in a file, and what became of the clauses that could not be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pglint_locks.text import SourceMap, SourceText, Span

Escape = Callable[[str], str | None]
"""How text is written where a unit stands: None for what cannot be written there."""


def plain(text: str) -> str | None:
    """Text is written as it is."""
    return text


_SAME_EVERYWHERE = re.compile(r"[A-Za-z0-9_ ()\[\],.*=+/|-]*")


def in_any_literal(text: str) -> str | None:
    """Only what the literals of every language, formats and all, write as it is."""
    return text if _SAME_EVERYWHERE.fullmatch(text) else None


class SqlUnit(NamedTuple):
    """SQL text with the map from its offsets to the file's.

    `label` names what holds it, such as `function app.claim(integer)`; None for a
    file's own top level.  `escape` writes text so that the file holds it where the unit
    stands, in a literal, say; None where that is not known: then nothing is fixed there.
    """

    source: SourceText
    text: str
    map: SourceMap
    label: str | None = None
    escape: Escape | None = None

    @classmethod
    def whole_file(cls, source: SourceText) -> SqlUnit:
        """A file that is SQL from its first to its last character."""
        return cls(source, source.text, SourceMap.identity(len(source.text)), escape=plain)

    def part(self, span: Span) -> SqlUnit:
        """A range of the unit as a unit of its own."""
        return self._replace(text=self.text[span.start : span.end], map=self.map.part(span))


class NotAnalysed(NamedTuple):
    """A locking clause that was seen but not analysed: why, and where in the file."""

    reason: str
    source: SourceText
    span: Span
