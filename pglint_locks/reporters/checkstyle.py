"""`checkstyle`: the XML of Checkstyle, which many CI servers and editors read."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pglint_locks.findings import Finding, Severity
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.reporters.xml_text import DECLARATION, attributes, in_ascii

if TYPE_CHECKING:
    from pglint_locks.run import Run

_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}


def render(run: Run, _options: RenderOptions) -> str:
    """One `<file>` for each file with findings, with an `<error>` for each of them."""
    lines = ['<checkstyle version="4.3">']
    for name, findings in groupby(run.findings, key=lambda finding: finding.source.name):
        lines.append(f"  <file{attributes({'name': name})}>")
        lines += [f"    <error{attributes(_error(finding))}/>" for finding in findings]
        lines.append("  </file>")
    return DECLARATION + in_ascii("\n".join([*lines, "</checkstyle>\n"]))


def _error(finding: Finding) -> dict[str, object]:
    at = finding.source.position(finding.span.start)
    return {
        "line": at.row,
        "column": at.column,
        "severity": _SEVERITIES[finding.severity],
        "message": finding.text,
        "source": f"pglint-locks.{finding.rule.code}",
    }
