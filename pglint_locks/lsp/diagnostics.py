"""Findings as diagnostics.

They are written as JSON straight away: for a file with hundreds of them, `lsprotocol` takes
longer to do that than the linter to find them.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from pglint_locks.directives import UNUSED
from pglint_locks.findings import Finding, Related, Severity
from pglint_locks.lsp.documents import Document
from pglint_locks.lsp.greeting import SOURCE
from pglint_locks.lsp.positions import Places
from pglint_locks.text import Span

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error.value,
    Severity.WARNING: types.DiagnosticSeverity.Warning.value,
    Severity.NOTE: types.DiagnosticSeverity.Information.value,
}


def diagnostic(finding: Finding, document: Document) -> dict[str, Any]:
    """A finding as the editor shows it: what happens, in the next line what to write."""
    advice = f"\n{finding.advice}" if finding.advice else ""
    found = {
        "range": _range(document, finding.span),
        "message": f"{finding.message}{advice}",
        "severity": _SEVERITIES[finding.severity],
        "code": finding.rule.code,
        "codeDescription": {"href": finding.rule.url},
        "source": SOURCE,
    }
    if finding.rule.code == UNUSED:
        found["tags"] = [types.DiagnosticTag.Unnecessary.value]
    if finding.related:
        found["relatedInformation"] = [
            {
                "location": _location(finding, place, document),
                "message": place.message,
            }
            for place in finding.related
        ]
    return found


def _location(finding: Finding, place: Related, document: Document) -> dict[str, Any]:
    """Where a second place is: in the document, or in another file."""
    if place.source.name == finding.source.name:
        return {"uri": document.uri, "range": _range(document, place.span)}
    path = document.path_named(place.source.name, finding.source.name)
    places = Places(place.source.mark + place.source.text, document.encoding)
    lead = len(place.source.mark)
    return {"uri": path.as_uri(), "range": _between(*places.pairs(place.span.shifted(lead)))}


def _range(document: Document, span: Span) -> dict[str, Any]:
    return _between(*document.places.pairs(span.shifted(document.lead)))


def _between(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }
