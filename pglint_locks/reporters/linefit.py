"""One line of source, made to fit a number of terminal cells without losing its marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pglint_locks.reporters.cells import char_width
from pglint_locks.reporters.escape import escape
from pglint_locks.text import Span

ELLIPSIS = "…"
_TAB_STOP = 4
# A line is cut at a blank where one is no further than this from where it must be cut.
_LONGEST_SCRAP = 12


class FittedLine(NamedTuple):
    """The line as shown, and for each mark the cells that it takes there (never none)."""

    text: str
    marks: tuple[Span, ...]


def fit(line: str, marks: Sequence[Span], room: int) -> FittedLine:
    """Show a line in `room` cells: unsafe characters escaped, tabs as spaces.

    `marks` are ranges of the line, in code points; an empty one, also at the line's
    end, gets one cell.  A line too long for the room keeps its marks and as much
    around them as fits, an ellipsis for each part left out; a mark that is itself too
    long keeps its two ends.  Only with more marks than there is room for does the
    result become longer than `room`.
    """
    cells = _Cells(line, marks, room)
    if any(mark.start >= len(line) for mark in marks):
        room -= 1  # for the mark that stands behind the text
    parts = [Span(0, len(line))]
    if not cells.whole or cells.cost(parts) > room:
        needed = _essential(marks, cells, room)
        parts = [_cut_at_blanks(part, needed, cells) for part in _grown(needed, cells, room)]
    return _joined(parts, marks, cells)


class _Cells:
    """What each character of a line shows as, and how wide; of a huge line, near marks."""

    def __init__(self, line: str, marks: Sequence[Span], room: int) -> None:
        self.length = len(line)
        places = [at for mark in marks for at in (mark.start, mark.end)] or [0]
        near = [Span(at - room, at + room) for at in places]
        if self.length <= room * 4:
            near = [Span(0, self.length)]
        self.measured = _merged([self.clamped(span) for span in near])
        self.whole = self.measured == [Span(0, self.length)]
        self.text: dict[int, str] = {}
        self.width: dict[int, int] = {}
        self._column: dict[int, int] = {}  # counted from the start of what was measured
        for span in self.measured:
            self._measure(line, span)

    def _measure(self, line: str, span: Span) -> None:
        column = 0
        for at in range(span.start, span.end):
            char = line[at]
            if char == "\t":
                shown = " " * (_TAB_STOP - column % _TAB_STOP)
                width = len(shown)
            else:
                shown = escape(char)
                before = line[at - 1] if at else ""
                width = len(shown) if shown != char else char_width(char, before)
            self.text[at] = shown
            self.width[at] = width
            self._column[at] = column
            column += width
        self._column[span.end] = column

    def clamped(self, span: Span) -> Span:
        """The part of a range that lies in the line."""
        start = min(max(span.start, 0), self.length)
        return Span(start, max(min(span.end, self.length), start))

    def cost(self, parts: Sequence[Span]) -> int:
        """Cells that these parts of the line take together with their ellipses."""
        left_out = len(parts) - 1 + (parts[0].start > 0) + (parts[-1].end < self.length)
        return left_out + sum(self.taken(part) for part in parts)

    def know(self, parts: Sequence[Span]) -> bool:
        """Whether all these parts of the line were measured."""
        return all(
            any(span.start <= part.start and part.end <= span.end for span in self.measured)
            for part in parts
        )

    def taken(self, part: Span) -> int:
        """Cells of one run of characters."""
        return self._column[part.end] - self._column[part.start]

    def left_of(self, at: int) -> int | None:
        """Where the character before `at` begins, with what joins it; None: not known."""
        at -= 1
        while self.width.get(at) == 0 and at - 1 in self.width:
            at -= 1
        return at if at in self.width else None

    def right_of(self, at: int) -> int | None:
        """Where the character at `at` ends, with what joins it; None: not known."""
        if at not in self.width:
            return None
        at += 1
        while self.width.get(at) == 0:
            at += 1
        return at


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The same characters as ranges in order that neither overlap nor touch."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _essential(marks: Sequence[Span], cells: _Cells, room: int) -> list[Span]:
    """What must be shown: from first mark to last, or the marks, or the ends of each."""
    whole = _merged([cells.clamped(mark) for mark in marks]) or [Span(0, 0)]
    for wanted in ([Span(whole[0].start, whole[-1].end)], whole):
        if cells.know(wanted) and cells.cost(wanted) <= room:
            return wanted
    share = max((room - len(whole) - 1) // len(whole), 5)
    return _merged([end for part in whole for end in _ends(part, cells, share)])


def _ends(part: Span, cells: _Cells, share: int) -> list[Span]:
    """A run as it is if it takes at most `share` cells, else its first and last ones."""
    half = (share - 1) // 2
    head, taken = part.start, 0
    while head < part.end and taken + cells.width[head] <= share:
        taken += cells.width[head]
        head += 1
    if head == part.end:
        return [part]
    while taken > half and head > part.start + 1:
        head -= 1
        taken -= cells.width[head]
    while head < part.end and cells.width[head] == 0:
        head += 1
    tail, taken = part.end, 0
    while tail - 1 > head and taken + cells.width[tail - 1] <= half:
        tail -= 1
        taken += cells.width[tail]
    while tail < part.end and cells.width[tail] == 0:
        tail += 1
    return [Span(part.start, head), Span(tail, part.end)]


def _grown(parts: list[Span], cells: _Cells, room: int) -> list[Span]:
    """The parts widened character by character, to both sides in turn, while they fit."""
    growing = True
    while growing:
        growing = False
        for index in range(len(parts) * 2):
            part = parts[min(index // 2, len(parts) - 1)]
            wider = _widened(part, cells, to_left=index % 2 == 0)
            if wider == part:
                continue
            candidate = _merged([*(other for other in parts if other != part), wider])
            if cells.cost(candidate) <= room:
                parts, growing = candidate, True
    return parts


def _widened(part: Span, cells: _Cells, to_left: bool) -> Span:
    """The run with one more character on one side, or as it is where there is none."""
    if to_left:
        start = cells.left_of(part.start)
        return part if start is None else Span(start, part.end)
    end = cells.right_of(part.end)
    return part if end is None else Span(part.start, end)


def _cut_at_blanks(part: Span, needed: Sequence[Span], cells: _Cells) -> Span:
    """The run without the piece of a word at a cut end, if it is short and not needed."""
    inside = [need for need in needed if part.start <= need.start and need.end <= part.end]
    start, end = part.start, part.end
    if start > 0:
        last = min(start + _LONGEST_SCRAP, inside[0].start)
        start = next((at for at in range(start, last) if cells.text[at] == " "), start)
    if end < cells.length:
        first = max(end - _LONGEST_SCRAP, inside[-1].end)
        end = next((at + 1 for at in range(end - 1, first - 1, -1) if cells.text[at] == " "), end)
    return Span(start, end)


def _joined(parts: Sequence[Span], marks: Sequence[Span], cells: _Cells) -> FittedLine:
    """Put the parts together and find out where the marks have come to stand."""
    shown: list[str] = []
    column = 0
    begin: dict[int, int] = {}
    end: dict[int, int] = {}
    previous = 0
    for part in parts:
        if part.start > previous:
            shown.append(ELLIPSIS)
            column += 1
        for at in range(part.start, part.end):
            begin[at] = column
            shown.append(cells.text[at])
            column += cells.width[at]
            end[at] = column
        previous = part.end
    if previous < cells.length:
        shown.append(ELLIPSIS)
    return FittedLine(
        "".join(shown), tuple(_placed(mark, begin, end, column, cells) for mark in marks)
    )


def _placed(
    mark: Span, begin: dict[int, int], end: dict[int, int], behind: int, cells: _Cells
) -> Span:
    """The cells of a mark; one that covers nothing with a width gets its base's cell."""
    start = begin.get(mark.start, behind)
    if cells.width.get(mark.start) == 0:
        base = cells.left_of(mark.start + 1)
        start = begin.get(mark.start if base is None else base, start)
    stop = end.get(max(mark.end, mark.start + 1) - 1, start)
    return Span(start, max(stop, start + 1))
