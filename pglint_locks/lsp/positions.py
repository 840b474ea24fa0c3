"""Places as the protocol counts them: lines from 0, and characters in units of an encoding.

A line ends at LF, CRLF or CR and nowhere else; a character counts one unit in UTF-32, one or
two in UTF-16, one to four in UTF-8.  (LSP 3.17, "Text Documents" and "Position".)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from lsprotocol import types

from pglint_locks.text import LINE_END, Span

_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")

UTF8, UTF32 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf32


class Places:
    """The places of one text, in one encoding."""

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        self.text = text
        self._encoding = encoding

    @cached_property
    def _line_starts(self) -> Sequence[int]:
        if "\r" in self.text:
            return [0, *(end.end() for end in LINE_END.finditer(self.text))]
        lines = self.text.split("\n")[:-1]
        return [0, *accumulate(len(line) + 1 for line in lines)]

    @cached_property
    def _is_plain(self) -> bool:
        """Whether every character is one unit."""
        return self._encoding == UTF32 or self.text.isascii()

    def pairs(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """Line and character of where a range of offsets begins, and of where it ends."""
        return self._pair(span.start), self._pair(span.end)

    def position(self, offset: int) -> types.Position:
        """The place of an offset, which counts code points."""
        return types.Position(*self._pair(offset))

    def range(self, span: Span) -> types.Range:
        """The places where a range of offsets begins and ends."""
        return types.Range(self.position(span.start), self.position(span.end))

    def line(self, offset: int) -> Span:
        """The offsets of the line in which an offset is, without its end."""
        line = self._pair(offset)[0]
        return Span(self._line_starts[line], self._end_of(line))

    def _pair(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset) - 1
        return line, self._units(self._line_starts[line], offset)

    def offset(self, position: types.Position) -> int:
        """The offset of a place; one behind a line's or the text's end means that end.

        A place between the two halves of a surrogate pair is the character's start.
        """
        if position.line >= len(self._line_starts):
            return len(self.text)
        start, end = self._line_starts[position.line], self._end_of(position.line)
        if self._is_plain:
            return min(start + position.character, end)
        low, high = start, end
        while low < high:
            middle = (low + high + 1) // 2
            if self._units(start, middle) <= position.character:
                low = middle
            else:
                high = middle - 1
        return low

    def span(self, place: types.Range) -> Span:
        """The offsets of a range."""
        start = self.offset(place.start)
        return Span(start, max(start, self.offset(place.end)))

    def _end_of(self, line: int) -> int:
        """Where a line ends, without its line end."""
        if line + 1 == len(self._line_starts):
            return len(self.text)
        end = self._line_starts[line + 1]
        return end - 2 if self.text.startswith("\r\n", end - 2) else end - 1

    def _units(self, start: int, end: int) -> int:
        if self._is_plain:
            return end - start
        if self._encoding == UTF8:
            return len(self.text[start:end].encode("utf-8", "surrogatepass"))
        return end - start + len(_BEYOND_BMP.findall(self.text, start, end))
