"""`json` and `jsonl`: for programs; `findings.schema.json` beside this file describes both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pglint_locks.findings import Edit, Finding, Fix
from pglint_locks.reporters.options import RenderOptions
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.run import Run


def render_array(run: Run, _options: RenderOptions) -> str:
    """One JSON array with an object for each finding of the run, in ASCII."""
    return _ascii(json.dumps([_object(finding) for finding in run.findings], indent=2))


def render_lines(run: Run, _options: RenderOptions) -> str:
    """One JSON object in a line for each finding of the run, in ASCII."""
    return "".join(_ascii(json.dumps(_object(finding))) for finding in run.findings)


def _ascii(document: str) -> str:
    """JSON leaves only DEL as it is: with this no control character reaches a terminal."""
    return document.replace("\x7f", "\\u007f") + "\n"


def _object(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.value,
        "message": finding.text,
        "filename": _filename(finding.source),
        **_range(finding.source, finding.span),
        "table": finding.table or None,
        "unit": finding.unit or None,
        "url": finding.rule.url,
        "fix": finding.fix and _fix(finding.source, finding.fix),
        "related": [
            {
                "message": related.message,
                "filename": _filename(related.source),
                **_range(related.source, related.span),
            }
            for related in finding.related
        ],
        "sqlstate": finding.sqlstate or None,
    }


def _filename(source: SourceText) -> str:
    """The shown name; bytes in it that are no UTF-8 become U+FFFD, for JSON has no way to say them.

    Python holds them as lone surrogates, and most readers of JSON reject these.
    """
    return source.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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
