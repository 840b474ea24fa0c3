"""SQL with the tags of a text template, read as SQL: equal in length, line ends kept.

A tag that puts text in is a name that stands for it; all others are blank.  Of what is
there under a condition, one branch is read at a time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.standins import StandIns, stand_in
from pglint_locks.sql.tags import Tag, TagKind, find_tags
from pglint_locks.text import Span

_NOT_LINE_END = re.compile(r"[^\r\n]")
_MAX_TRIES = 24
_MAX_EFFORT = 1_000_000
_NO_BRANCH = -1


class Construct(NamedTuple):
    """Text under a condition: its branches, first those that lock.  A lone one may be absent."""

    span: Span
    branches: tuple[Span, ...]

    @property
    def choices(self) -> tuple[int, ...]:
        """What to try, in this order: the branches, or the branch and none."""
        return tuple(range(len(self.branches))) if len(self.branches) > 1 else (0, _NO_BRANCH)


@dataclass(slots=True)
class Tagged:
    """A template's text.

    `full` has its tags blanked and every branch in it, `text` one branch of each
    construct.  `places` are those of the tags that names stand for.
    """

    full: str
    text: str
    places: tuple[Span, ...]
    constructs: tuple[Construct, ...]
    comments: tuple[Comment, ...]

    @property
    def unread(self) -> list[Span]:
        """Lock words in branches that are not read."""
        read = set(lock_word_spans(self.text))
        return [span for span in lock_word_spans(self.full) if span not in read]

    def within(self, span: Span) -> tuple[Span, ...]:
        """The places of a range, counted from its start."""
        first = bisect_left(self.places, span.start, key=lambda each: each.start)
        last = bisect_left(self.places, span.end, key=lambda each: each.start)
        return tuple(each.shifted(-span.start) for each in self.places[first:last])

    def region(self, span: Span, end: int) -> tuple[Span, list[Construct]]:
        """A range with all of the constructs that it meets before `end`, and those."""
        first = bisect_left(self.constructs, span.start, key=lambda each: each.span.start)
        met: list[Construct] = []
        for each in self.constructs[first:]:
            if each.span.start >= span.end or each.span.end > end:
                break
            met.append(each)
        return Span(span.start, max([span.end, *(each.span.end for each in met)])), met

    def parsing(
        self, region: Span, met: Sequence[Construct], error_in: Callable[[str], int | None]
    ) -> str | None:
        """The text of a region with those branches with which it parses, if there are such."""
        choices = [each.choices for each in met]
        chosen = [0] * len(met)
        effort = 0
        for _ in range(_MAX_TRIES):
            effort += region.end - region.start
            if effort > _MAX_EFFORT or not _choose_next(chosen, choices, met):
                return None
            text = _with_branches(self.full, region, met, choices, chosen)
            wrong = error_in(text)
            if wrong is None:
                return text
        return None


def _choose_next(
    chosen: list[int], choices: Sequence[tuple[int, ...]], met: Sequence[Construct]
) -> bool:
    """The next choice: of the last construct that has one left."""
    for index in range(len(met) - 1, -1, -1):
        if chosen[index] + 1 < len(choices[index]):
            chosen[index] += 1
            chosen[index + 1 :] = [0] * (len(chosen) - index - 1)
            return True
    return False


def _with_branches(
    full: str,
    region: Span,
    met: Sequence[Construct],
    choices: Sequence[tuple[int, ...]],
    chosen: Sequence[int],
) -> str:
    left_out = [
        branch
        for index, each in enumerate(met)
        for number, branch in enumerate(each.branches)
        if number != choices[index][chosen[index]]
    ]
    return _blanked(full, left_out, region)


def read_tagged(text: str) -> Tagged | None:
    """A template's text, read; None if it has no tags."""
    tags = list(find_tags(text))
    if not tags:
        return None
    signs = StandIns(text)
    pieces: list[str] = []
    at = 0
    for tag in tags:
        written = text[tag.span.start : tag.span.end]
        blank = _NOT_LINE_END.sub(" ", written)
        if tag.kind is TagKind.VALUE:
            line = len(written.splitlines()[0])
            sign = signs.sign("".join(written.split()))
            blank = stand_in(sign, line) + blank[line:]
        elif tag.kind in (TagKind.PART, TagKind.DEFINE):
            blank = ";" + blank[1:]
        pieces += (text[at : tag.span.start], blank)
        at = tag.span.end
    full = "".join([*pieces, text[at:]])
    parts, constructs = _constructs(tags, full)
    full = _with_semicolons(full, parts)
    left_out = [branch for each in constructs for branch in each.branches[1:]]
    return Tagged(
        full,
        _blanked(full, left_out, Span(0, len(full))),
        tuple(tag.span for tag in tags if tag.kind is TagKind.VALUE),
        tuple(constructs),
        tuple(
            Comment(tag.span, text[tag.span.start : tag.span.end])
            for tag in tags
            if tag.kind is TagKind.COMMENT
        ),
    )


def _constructs(tags: Sequence[Tag], full: str) -> tuple[list[int], list[Construct]]:
    """Where definitions end, and the constructs in order whose branches are no scripts.

    A branch with a semicolon holds whole statements: all of its construct's are read.
    """
    semicolons = [found.start() for found in re.finditer(";", full)]
    ends: list[int] = []
    found: list[Construct] = []
    opened: list[tuple[Tag, list[int]]] = []
    for tag in tags:
        if tag.kind in (TagKind.OPEN, TagKind.DEFINE):
            opened.append((tag, [tag.span.end]))
        elif tag.kind is TagKind.ELSE and opened:
            opened[-1][1].extend((tag.span.start, tag.span.end))
        elif tag.kind is TagKind.CLOSE and opened:
            opening, edges = opened.pop()
            if opening.kind is TagKind.DEFINE:
                ends.append(tag.span.start)
                continue
            edges.append(tag.span.start)
            branches = tuple(map(Span, edges[::2], edges[1::2]))
            near = bisect_left(semicolons, opening.span.start)
            if near == len(semicolons) or semicolons[near] >= tag.span.end:
                span = Span(opening.span.start, tag.span.end)
                found.append(Construct(span, _locking_first(full, branches)))
    return ends, sorted(found)


def _locking_first(full: str, branches: tuple[Span, ...]) -> tuple[Span, ...]:
    if len(branches) == 1:
        return branches
    return tuple(sorted(branches, key=lambda each: not _locks(full[each.start : each.end])))


def _locks(text: str) -> bool:
    return next(iter(lock_word_spans(text)), None) is not None


def _with_semicolons(full: str, places: Sequence[int]) -> str:
    pieces: list[str] = []
    at = 0
    for place in sorted(places):
        pieces += (full[at:place], ";")
        at = place + 1
    return "".join([*pieces, full[at:]])


def _blanked(full: str, left_out: Sequence[Span], region: Span) -> str:
    """The text of a region without some ranges, which may lie in one another."""
    pieces: list[str] = []
    at = region.start
    for span in sorted(left_out):
        if span.end > at:
            start = max(span.start, at)
            pieces += (full[at:start], _NOT_LINE_END.sub(" ", full[start : span.end]))
            at = span.end
    return "".join([*pieces, full[at : region.end]])
