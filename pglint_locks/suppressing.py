"""Writes the comments that suppress findings, each only as far as a second look bears it out.

A comment is kept where the findings that it is for are gone, nothing else has changed, and
the same statements and clauses are read.  So it never ends up in a literal, or out of reach.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pglint_locks.directives import UNKNOWN, UNUSED
from pglint_locks.findings import Edit, Finding
from pglint_locks.fingerprints import fingerprint
from pglint_locks.run import FileReport
from pglint_locks.sources.kinds import SQL, FileKind, kind_of
from pglint_locks.text import SourceText, Span

Lint = Callable[[str], FileReport | None]
"""What linting a text gives, as that of one file; None where it fails."""

Sign = tuple[str, str]
"""How a comment opens and closes."""

_OF_SQL: Sign = ("-- ", "")
_ABOUT_DIRECTIVES = frozenset({UNUSED, UNKNOWN})
_MOST_ABOVE = 4
# What drivers, formats and literals might take for their own, be it in a comment.
_SPECIAL = re.compile(r"[\"`\\{}$%?:@&<>#]+")
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
    # From the last one on: what is put in moves nothing that is still to come.
    for group in reversed(_by_statement(findings)):
        kept = None
        for edits in _candidates(source, report, group, reason) if report else ():
            changed = _with(text, edits)
            after = lint(changed)
            if report and after and _bears_out(report, after, group):
                kept = changed, after
                break
        if kept:
            text, report = kept
            done += group
        else:
            left += group
    return Suppressed(text, tuple(done), tuple(left))


def _by_statement(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings that can be suppressed, in the order of their statements."""
    groups: dict[Span, list[Finding]] = {}
    for finding in findings:
        if finding.rule.code not in _ABOUT_DIRECTIVES:
            groups.setdefault(finding.origin.span, []).append(finding)
    return [groups[span] for span in sorted(groups)]


def _bears_out(before: FileReport, after: FileReport, group: Sequence[Finding]) -> bool:
    """Whether the findings of a group are gone and nothing else is different.

    What rests on other files is not found in this one alone: there a comment seems unused.
    """
    if (after.statements, after.clauses, len(after.not_analysed)) != (
        before.statements,
        before.clauses,
        len(before.not_analysed),
    ):
        return False
    expected, wanted = _counts(before.findings), _counts(group)
    rests_elsewhere = wanted - expected
    expected.subtract(wanted - rests_elsewhere)
    found = _counts(
        finding
        for finding in after.findings
        if not (rests_elsewhere and finding.rule.code == UNUSED)
    )
    if rests_elsewhere:
        expected = Counter({key: count for key, count in expected.items() if key[0] != UNUSED})
    return found == +expected


def _counts(findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
    return Counter((finding.rule.code, fingerprint(finding)) for finding in findings)


def _candidates(
    source: SourceText, report: FileReport, group: Sequence[Finding], reason: str
) -> Iterator[list[Edit]]:
    """The ways to suppress a group of findings, the best ones first."""
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
            yield [place(source, row, sign, _codes(found), said) for row, found in by_row.items()]


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


def _with(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.content + text[edit.span.end :]
    return text
