"""`json` and `jsonl`: for programs; `findings.schema.json` beside this file describes both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pglint_locks.findings import Edit, Finding, Fix
from pglint_locks.reporters.asciijson import document, line
from pglint_locks.reporters.filenames import decodable
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.run import Run


def render_array(run: Run, _options: RenderOptions) -> str:
    """One JSON array with an object for each finding of the run, in ASCII."""
    return document([_object(finding) for finding in run.findings])


def render_lines(run: Run, _options: RenderOptions) -> str:
    """One JSON object in a line for each finding of the run, in ASCII."""
    return "".join(line(_object(finding)) for finding in run.findings)


def _object(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.value,
        "message": finding.text,
        "filename": decodable(finding.source.name),
        **_range(finding.source, finding.span),
        "table": finding.table or None,
        "unit": finding.unit or None,
        "url": finding.rule.url,
        "fix": finding.fix and _fix(finding.source, finding.fix),
        "related": [
            {
                "message": related.message,
                "filename": decodable(related.source.name),
                **_range(related.source, related.span),
            }
            for related in finding.related
        ],
        "sqlstate": finding.sqlstate or None,
    }


def _fix(source: SourceText, fix: Fix) -> dict[str, Any]:
    return {
        "applicability": fix.applicability,
        "message": fix.message,
        "edits": [_edit(source, edit) for edit in fix.edits],
    }


def _edit(source: SourceText, edit: Edit) -> dict[str, Any]:
    return {"content": edit.content, **_range(source, edit.span)}


def _range(source: SourceText, span: Span) -> dict[str, dict[str, int]]:
    """The first character's place and the place after the last one."""
    return {
        "location": _location(source, span.start),
        "end_location": _location(source, span.end),
    }


def _location(source: SourceText, offset: int) -> dict[str, int]:
    at = source.position(offset)
    return {"row": at.row, "column": at.column}
