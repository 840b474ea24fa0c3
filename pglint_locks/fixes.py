"""Applies fixes to the text of a file, each only as far as a second look bears it out.

A fix is kept where the text with it still parses, its finding is gone and no new one has
come.  So each step leaves fewer findings, and the steps come to an end.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pglint_locks.findings import Edit, Finding, Fix
from pglint_locks.run import FileReport
from pglint_locks.text import Span
from pglint_locks.verdicts import UNREADABLE, Moved, judge, place_of

Lint = Callable[[str], FileReport | None]
"""What linting a text gives, as that of one file; None where it fails."""


_MOST_TRIES = 40
_FEW = 8


class Refused(NamedTuple):
    """A finding whose fix was tried and not kept, and why."""

    finding: Finding
    reason: str


class Fixed(NamedTuple):
    """A text after its fixes: the findings that were fixed, and those whose fix was refused.

    `unsafe_left` counts the unsafe fixes that nobody asked for.
    """

    text: str
    fixed: tuple[Finding, ...] = ()
    refused: tuple[Refused, ...] = ()
    unsafe_left: int = 0


def fix_text(text: str, lint: Lint, *, unsafe: bool, spared: Sequence[Finding] = ()) -> Fixed:
    """Apply the safe fixes of a text, and the unsafe ones if asked for, until none is left.

    Fixes that touch the same place take turns.  `spared` are findings that keep theirs.
    """
    report = lint(text)
    fixed: list[Finding] = []
    left_alone = {place_of(finding, finding.span.start) for finding in spared}
    while report is not None:
        fixable = [
            finding
            for finding in report.findings
            if finding.fix and place_of(finding, finding.span.start) not in left_alone
        ]
        step = _step(text, report, lint, [each for each in fixable if unsafe or _is_safe(each)])
        if step.report is None:
            unsafe_left = 0 if unsafe else sum(not _is_safe(finding) for finding in fixable)
            return Fixed(text, tuple(fixed), step.refused, unsafe_left)
        moved = Moved(_edits_of(step.fixed))
        left_alone = {(code, moved.place(start)) for code, start in left_alone}
        text, report = step.text, step.report
        fixed += step.fixed
    return Fixed(text, tuple(fixed))


def borne_out(text: str, report: FileReport, lint: Lint) -> FileReport:
    """The report of a text without the fixes that would not be kept."""
    fixable = [each for each in report.findings if each.fix]
    well = set(map(id, kept(text, report, lint, fixable)))
    findings = (
        finding if id(finding) in well else finding._replace(fix=None)
        for finding in report.findings
    )
    return report._replace(findings=tuple(findings))


def kept(text: str, report: FileReport, lint: Lint, wanted: Sequence[Finding]) -> list[Finding]:
    """Those of some fixable findings of a text whose fixes would be kept."""
    return [each for tried in _trials(text, report, lint, wanted) for each in tried.fixed]


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits, in order and without overlap, made."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.span.start], edit.content)
        at = edit.span.end
    return "".join((*parts, text[at:]))


def _step(text: str, report: FileReport, lint: Lint, wanted: Sequence[Finding]) -> _Trial:
    """Apply as many fixes at once as go together; where none does, all are refused."""
    refused: list[Refused] = []
    for tried in _trials(text, report, lint, wanted):
        if tried.report is not None:
            return tried
        refused += tried.refused
    return _Trial(text, None, refused=tuple(refused))


class _Trial(NamedTuple):
    """What came of some fixes, made at once: a better text and its report, or refusals."""

    text: str
    report: FileReport | None
    fixed: tuple[Finding, ...] = ()
    refused: tuple[Refused, ...] = ()


def _trials(
    text: str, report: FileReport, lint: Lint, findings: Sequence[Finding]
) -> Iterator[_Trial]:
    """Try the fixes of findings, as many at once as may go together: all that keep apart first.

    Those that spoil it are tried by themselves then, and refused where all of many do.  Of a
    few, or where nobody knows which they are, half are tried, and so on.
    """
    groups = list(_layers(findings))
    for _ in range(_MOST_TRIES + len(groups)):
        if not groups:
            return
        group = groups.pop(0)
        edits = _edits_of(group)
        changed = apply_edits(text, edits)
        after = lint(changed)
        verdict = judge(report, after, group, edits) if after is not None else UNREADABLE
        reason, blamed = verdict
        if reason is None:
            yield _Trial(changed, after, fixed=tuple(group))
        elif len(group) == 1 or (len(group) == len(blamed) > _FEW):
            reasons = (blamed.get(index, reason) for index in range(len(group)))
            refused = map(Refused, group, reasons)
            yield _Trial(text, None, refused=tuple(refused))
        else:
            behind = (
                set(blamed)
                if 0 < len(blamed) < len(group)
                else set(range(len(group) // 2, len(group)))
            )
            groups[:0] = [
                [each for index, each in enumerate(group) if index not in behind],
                [each for index, each in enumerate(group) if index in behind],
            ]
    for group in groups:
        yield _Trial(
            text, None, refused=tuple(Refused(each, "too many spoil it") for each in group)
        )


def _layers(findings: Sequence[Finding]) -> Iterator[Sequence[Finding]]:
    """The findings in groups in each of which the fixes keep apart, the largest one first."""
    while findings:
        layer = list(_apart(findings))
        yield layer
        own = set(map(id, layer))
        findings = [finding for finding in findings if id(finding) not in own]


def _apart(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings whose fixes touch no place of one before them."""
    taken: list[Span] = []  # in order, and apart
    for finding in findings:
        spans = [edit.span for edit in _fix_of(finding).edits]
        if not any(_is_touched(span, taken) for span in spans):
            for span in spans:
                insort(taken, span)
            yield finding


def _is_touched(span: Span, taken: Sequence[Span]) -> bool:
    near = bisect_left(taken, span)
    return any(span.touches(other) for other in taken[max(near - 1, 0) : near + 2])


def _edits_of(findings: Sequence[Finding]) -> list[Edit]:
    return sorted(edit for finding in findings for edit in _fix_of(finding).edits)


def _is_safe(finding: Finding) -> bool:
    return _fix_of(finding).is_safe


def _fix_of(finding: Finding) -> Fix:
    assert finding.fix is not None
    return finding.fix
