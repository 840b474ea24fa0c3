"""What is told of a finding to people, however it is printed."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks.findings import Finding
from pglint_locks.reporters.excerpt import Mark
from pglint_locks.text import SourceText

_FIX_OPTIONS = {"safe": "--fix", "unsafe": "--unsafe-fixes"}


def marked_sources(finding: Finding) -> Iterator[tuple[SourceText, list[Mark]]]:
    """The finding's file and those of its related places, with the marks in each."""
    marks = {finding.source.name: [Mark(finding.span, "^", finding.severity.value, finding.label)]}
    sources = {finding.source.name: finding.source}
    for related in finding.related:
        sources.setdefault(related.source.name, related.source)
        mark = Mark(related.span, "-", "related", related.message)
        marks.setdefault(related.source.name, []).append(mark)
    for name, source in sources.items():
        yield source, marks[name]


def notes(finding: Finding) -> Iterator[tuple[str, str]]:
    """What stands below the source: a key and its text."""
    if finding.unit:
        yield "in", finding.unit
    if finding.sqlstate:
        yield "server", f"SQLSTATE {finding.sqlstate}"
    if finding.evidence:
        yield "seen", finding.evidence
    repair = finding.advice or (finding.fix.message if finding.fix else None)
    if repair:
        by = f" ({_FIX_OPTIONS[finding.fix.applicability]} does it)" if finding.fix else ""
        key = "write" if repair.startswith("write ") else "help"
        yield key, repair.removeprefix("write ") + by
    yield "more", f"pglint-locks explain {finding.rule.code}"
