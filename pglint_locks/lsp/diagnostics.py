"""Findings as diagnostics."""

from __future__ import annotations

from lsprotocol import types

from pglint_locks.directives import UNUSED
from pglint_locks.findings import Finding, Severity
from pglint_locks.lsp.documents import Document

SOURCE = "pglint-locks"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def diagnostic(finding: Finding, document: Document) -> types.Diagnostic:
    """A finding as the editor shows it: what happens, in the next line what to write."""
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(document.uri, document.range(place.span)), place.message
        )
        for place in finding.related
        if place.source.name == finding.source.name
    ]
    unused = [types.DiagnosticTag.Unnecessary] if finding.rule.code == UNUSED else None
    advice = f"\n{finding.advice}" if finding.advice else ""
    return types.Diagnostic(
        range=document.range(finding.span),
        message=f"{finding.message}{advice}",
        severity=_SEVERITIES[finding.severity],
        code=finding.rule.code,
        code_description=types.CodeDescription(finding.rule.url),
        source=SOURCE,
        tags=unused,
        related_information=related or None,
    )
