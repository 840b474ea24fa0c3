"""`rdjson`: the Reviewdog Diagnostic Format, as one JSON object.

Columns count bytes of UTF-8, as `reviewdog.proto` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pglint_locks.findings import PROJECT_URL, Finding, Fix, Severity
from pglint_locks.fixes import apply_edits
from pglint_locks.reporters.asciijson import document
from pglint_locks.reporters.filenames import decodable
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.run import Run

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def render(run: Run, _options: RenderOptions) -> str:
    """One `DiagnosticResult` with a diagnostic for each finding of the run."""
    return document(
        {
            "source": {"name": "pglint-locks", "url": PROJECT_URL},
            "diagnostics": [_diagnostic(finding) for finding in run.findings],
        }
    )


def _diagnostic(finding: Finding) -> dict[str, Any]:
    source, rule = finding.source, finding.rule
    diagnostic: dict[str, Any] = {
        "message": finding.text,
        "location": {"path": decodable(source.name), "range": _range(source, finding.span)},
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": rule.code, "url": rule.url},
    }
    # A reviewer takes a suggestion with one click and is not told that it is unsafe.
    if finding.fix and finding.fix.is_safe:
        diagnostic["suggestions"] = [_suggestion(source, finding.fix)]
    return diagnostic


def _suggestion(source: SourceText, fix: Fix) -> dict[str, Any]:
    """A fix as one replacement: each suggestion is applied by itself."""
    whole = Span(fix.edits[0].span.start, fix.edits[-1].span.end)
    edits = [edit._replace(span=edit.span.shifted(-whole.start)) for edit in fix.edits]
    text = apply_edits(source.text[whole.start : whole.end], edits)
    return {"range": _range(source, whole), "text": text}


def _range(source: SourceText, span: Span) -> dict[str, dict[str, int]]:
    """The first character's place and the place after the last one."""
    return {"start": _position(source, span.start), "end": _position(source, span.end)}


def _position(source: SourceText, offset: int) -> dict[str, int]:
    at = source.utf8_position(offset)
    return {"line": at.row, "column": at.column}
