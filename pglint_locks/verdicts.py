"""Whether a text is better with some fixes than without, and which of them are to blame if not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from pglint_locks.findings import Edit, Finding, Severity
from pglint_locks.run import FileReport


class Verdict(NamedTuple):
    """Why fixes are not to be kept: None where they are.

    `blamed` are those of them that seem to be why, by their index, each with its reason.
    """

    reason: str | None
    blamed: dict[int, str]


GOOD = Verdict(None, {})
UNREADABLE = Verdict("its result cannot be linted", {})


def judge(
    before: FileReport, after: FileReport, fixed: Sequence[Finding], edits: Sequence[Edit]
) -> Verdict:
    """Compare what linting gives before and after the fixes of some findings.

    `edits` are all of theirs, in order.  Each finding must be gone and none may have come.
    """
    if after.statements != before.statements or len(after.not_analysed) > len(before.not_analysed):
        return Verdict("its result does not parse", {})
    moved = Moved(edits)
    places = {place_of(finding, finding.span.start) for finding in after.findings}
    blamed = {
        index: "the finding would stay"
        for index, finding in enumerate(fixed)
        if place_of(finding, moved.place(finding.span.start)) in places
    }
    allowed = _counts(before.findings)
    allowed.subtract(_counts(fixed))
    counts = _counts(after.findings)
    new = {code for code, count in counts.items() if count > allowed[code]}
    if not new:
        new = _heavier(before, after)
    if not new and not blamed:
        return GOOD
    for code, index in _surplus(before, after, fixed, moved, new):
        blamed.setdefault(index, f"it would bring {code}")
    reason = f"it would bring {' and '.join(sorted(new))}" if new else "the finding would stay"
    return Verdict(reason, blamed)


def _surplus(
    before: FileReport,
    after: FileReport,
    fixed: Sequence[Finding],
    moved: Moved,
    codes: set[str],
) -> list[tuple[str, int]]:
    """The findings of some codes that were not there before, with the fix nearest to each."""
    old = Counter(
        place_of(finding, moved.place(finding.span.start))
        for finding in before.findings
        if finding.rule.code in codes
    )
    found: list[tuple[str, int]] = []
    order = sorted(range(len(fixed)), key=lambda index: fixed[index].span)
    starts = [moved.place(fixed[index].span.start) for index in order]
    for finding in after.findings:
        if finding.rule.code not in codes:
            continue
        place = place_of(finding, finding.span.start)
        if old[place] > 0:
            old[place] -= 1
        else:
            found.append((finding.rule.code, order[_nearest(starts, finding.span.start)]))
    return found


def _nearest(starts: Sequence[int], offset: int) -> int:
    """Index of the place nearest to an offset."""
    behind = bisect_left(starts, offset)
    if behind == len(starts):
        return behind - 1
    if behind and offset - starts[behind - 1] <= starts[behind] - offset:
        return behind - 1
    return behind


def _heavier(before: FileReport, after: FileReport) -> set[str]:
    """The codes of which more findings have a severity, or a heavier one, than before."""
    return {
        code
        for severity in Severity
        for code, count in (_counts(after.findings, severity)).items()
        if count > _counts(before.findings, severity)[code]
    }


def _counts(findings: Sequence[Finding], severity: Severity = Severity.NOTE) -> Counter[str]:
    return Counter(finding.rule.code for finding in findings if finding.severity >= severity)


def place_of(finding: Finding, start: int) -> tuple[str, int]:
    """What a finding is known by that starts at an offset."""
    return finding.rule.code, start


class Moved:
    """Where places of a text are once edits, in order, are made."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts = [edit.span.start for edit in edits]
        grown = (len(edit.content) - (edit.span.end - edit.span.start) for edit in edits)
        self._by = [0, *accumulate(grown)]

    def place(self, offset: int) -> int:
        """The place of an offset; what stood in a replaced range is where that begins."""
        index = bisect_right(self._starts, offset)
        if index and self._edits[index - 1].span.end > offset:
            return self._starts[index - 1] + self._by[index - 1]
        return offset + self._by[index]
