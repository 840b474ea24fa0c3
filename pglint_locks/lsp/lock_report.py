"""The lock report of a document: what each of its locking clauses does, and what is found there."""

from __future__ import annotations

from pglint_locks.lsp.analysis import Analysed
from pglint_locks.lsp.hover import facts, written
from pglint_locks.text import SourceText, Span


def lock_report(analysed: Analysed) -> str:
    """All locking clauses in Markdown, in the order of their places."""
    body = analysed.document.body
    source = SourceText(analysed.linter.name, body)
    clauses = analysed.linter.clauses(body, Span(0, len(body)))
    lines = [f"# Locks of {source.name}", "", _counted(len(clauses), len(analysed.shown))]
    for seen in clauses:
        lines += [
            "",
            f"## Line {source.position(seen.span.start).row}: {written(seen, source)}",
            "",
        ]
        lines += facts(seen, source)
    if analysed.shown:
        lines += ["", "## Found", ""]
    for finding in analysed.shown:
        row, rule = finding.location.row, finding.rule
        lines.append(
            f"- line {row}, {finding.severity.value} [{rule.code}]({rule.url}): {finding.text}"
        )
    return "\n".join(lines) + "\n"


def _counted(clauses: int, findings: int) -> str:
    def some(count: int, noun: str) -> str:
        return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

    return f"{some(clauses, 'locking clause')}, {some(findings, 'finding')}."
