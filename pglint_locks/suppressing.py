"""Writes the comments that suppress findings, each only as far as a second look bears it out.

A comment is kept where the findings that it is for are gone, nothing else has changed, and
the same statements and clauses are read.  So it never ends up in a literal, or out of reach.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pglint_locks.directives import UNKNOWN, UNUSED
from pglint_locks.findings import Edit, Finding
from pglint_locks.fingerprints import fingerprint
from pglint_locks.fixes import Lint, apply_edits
from pglint_locks.run import FileReport
from pglint_locks.sources.kinds import SQL, FileKind, kind_of
from pglint_locks.text import SourceText, Span
from pglint_locks.verdicts import Moved

Sign = tuple[str, str]
"""How a comment opens and closes."""

_OF_SQL: Sign = ("-- ", "")
_ABOUT_DIRECTIVES = frozenset({UNUSED, UNKNOWN})
_MOST_ABOVE = 4
# What drivers, formats and literals might take for their own, be it in a comment.
_SPECIAL = re.compile(r"[\"`\\{}$%?:@&<>#]+")
_Counts = Counter[tuple[str, str]]
_APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"


class Suppressed(NamedTuple):
    """A text with comments, the findings that those suppress, and those that none could."""

    text: str
    done: tuple[Finding, ...] = ()
    left: tuple[Finding, ...] = ()


def suppress(
    source: SourceText, findings: Sequence[Finding], reason: str, lint: Lint
) -> Suppressed:
    """Add comments to a file's text that suppress findings of it, with a reason.

    One stands above each statement, and tells all its rules; where that is not enough, above
    or behind the lines of the findings.  Findings about suppressions are left as they are.
    """
    text, report = source.text, lint(source.text)
    done: list[Finding] = []
    left: list[Finding] = []
    groups = _by_statement(findings)
    pending = _counts(finding for group in groups for finding in group)
    gone = _Counts()  # of those that are pending: one comment may cover several statements
    while groups:
        group, *groups = groups
        pending -= _counts(group)
        if _counts(group) <= gone:
            gone -= _counts(group)
            done += group
            continue
        for edits in _candidates(SourceText(source.name, text), report, group, reason):
            after = lint(apply_edits(text, edits))
            also = _also_gone(report, after, _counts(group)) if report and after else None
            if also is not None and also <= pending - gone:
                text, report = apply_edits(text, edits), after
                gone += also
                done += group
                groups = [[_moved(finding, Moved(edits)) for finding in each] for each in groups]
                break
        else:
            left += group
    return Suppressed(text, tuple(done), tuple(left))


def _by_statement(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings that can be suppressed, in the order of their statements.

    Of those that begin in one place (a literal goes on in two ways) the one with most is first:
    its comment may do for the others.
    """
    groups: dict[Span, list[Finding]] = {}
    for finding in findings:
        if finding.rule.code not in _ABOUT_DIRECTIVES:
            groups.setdefault(finding.origin.span, []).append(finding)
    return sorted(groups.values(), key=lambda each: (each[0].origin.span.start, -len(each)))


def _moved(finding: Finding, moved: Moved) -> Finding:
    """The finding where it is once comments are put in."""

    def place(span: Span) -> Span:
        start = moved.place(span.start)
        return Span(start, max(moved.place(span.end - 1) + 1, start))

    return finding._replace(
        span=place(finding.span), origin=finding.origin._replace(span=place(finding.origin.span))
    )


def _also_gone(before: FileReport, after: FileReport, wanted: _Counts) -> _Counts | None:
    """What else is gone with the findings that are wanted to; None where they are not.

    Nothing else may be different.  What rests on other files is not found in this one alone:
    there a comment seems unused.
    """
    if (after.statements, after.clauses, len(after.not_analysed)) != (
        before.statements,
        before.clauses,
        len(before.not_analysed),
    ):
        return None
    there, found = _counts(before.findings), _counts(after.findings)
    if wanted - there:
        there, found = _without_unused(there), _without_unused(found)
    expected = there - wanted
    return None if found - expected else expected - found


def _counts(findings: Iterable[Finding]) -> _Counts:
    return _Counts((finding.rule.code, fingerprint(finding)) for finding in findings)


def _without_unused(counts: _Counts) -> _Counts:
    return _Counts({key: count for key, count in counts.items() if key[0] != UNUSED})


def _candidates(
    source: SourceText, report: FileReport | None, group: Sequence[Finding], reason: str
) -> Iterator[list[Edit]]:
    """The ways to suppress a group of findings, the best ones first."""
    if report is None:
        return
    signs = list(dict.fromkeys((kind_of(source.name).comment, _OF_SQL)))
    comments = [
        (sign, said) for sign in signs for said in _reasons(reason, sign, kind_of(source.name))
    ]
    by_row: dict[int, list[Finding]] = {}
    for finding in group:
        by_row.setdefault(source.position(finding.span.start).row, []).append(finding)
    around = _rows_around(source, report, group)
    for sign, said in comments:
        for row in around:
            yield [_above(source, row, sign, _codes(group), said)]
    for place in (_above, _behind):
        for sign, said in comments:
            yield sorted(
                place(source, row, sign, _codes(found), said) for row, found in by_row.items()
            )


def _reasons(reason: str, sign: Sign, kind: FileKind) -> Iterator[str]:
    """The reason as it may be written; where that may be a literal, without special characters."""
    if sign != _OF_SQL or kind is SQL:
        yield reason.replace("--", "\N{EN DASH}") if sign[1] else reason
    if sign == _OF_SQL:
        yield " ".join(
            _SPECIAL.sub(" ", reason).replace("'", "\N{RIGHT SINGLE QUOTATION MARK}").split()
        )


def _rows_around(source: SourceText, report: FileReport, group: Sequence[Finding]) -> list[int]:
    """The rows in which the statements begin that hold the findings, the innermost first."""
    origin = group[0].origin.span
    around = [
        span for span in report.places if span.start <= origin.start and origin.end <= span.end
    ]
    around.sort(key=lambda span: span.end - span.start)
    spans = [origin] if kind_of(source.name) is SQL else [origin, *around]
    rows = [source.position(span.start).row for span in spans]
    return list(dict.fromkeys(rows))[:_MOST_ABOVE]


def _codes(group: Sequence[Finding]) -> str:
    return ", ".join(sorted({finding.rule.code for finding in group}))


def _above(source: SourceText, row: int, sign: Sign, codes: str, reason: str) -> Edit:
    """Put a comment into a line of its own, indented as the one that it stands above."""
    start, line = source.line_span(row).start, source.line(row)
    indent = line[: len(line) - len(line.lstrip())]
    comment = _comment(sign, codes, reason)
    return Edit(Span(start, start), f"{indent}{comment}{_line_end(source, row)}")


def _behind(source: SourceText, row: int, sign: Sign, codes: str, reason: str) -> Edit:
    """Put a comment behind a line."""
    end = source.line_span(row).end
    gap = " " if source.line(row)[-1:].isspace() else "  "
    return Edit(Span(end, end), f"{gap}{_comment(sign, codes, reason)}")


def _comment(sign: Sign, codes: str, reason: str) -> str:
    return f"{sign[0]}pglint: ignore[{codes}] {reason}{sign[1]}"


def _line_end(source: SourceText, row: int) -> str:
    """The line end of a row, or of the one before where it has none."""
    for each in (row, row - 1):
        if 0 < each < source.row_count:
            return source.text[source.line_span(each).end : source.line_span(each + 1).start]
    return "\n"
