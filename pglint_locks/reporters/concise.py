"""`concise`: one line a finding, for editors and for grep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pglint_locks.findings import Finding
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.options import RenderOptions

if TYPE_CHECKING:
    from pglint_locks.run import Run


def render(run: Run, _options: RenderOptions) -> str:
    """`path:row:col: CODE severity message` for each finding of the run."""
    return "".join(f"{_line(finding)}\n" for finding in run.findings)


def _line(finding: Finding) -> str:
    at = finding.source.position(finding.span.start)
    return (
        f"{escape(finding.source.name)}:{at.row}:{at.column}: "
        f"{finding.rule.code} {finding.severity.value} {escape(finding.text)}"
    )
