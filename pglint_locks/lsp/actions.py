"""Code actions: repair, suppress, and read about what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.findings import Finding
from pglint_locks.fixes import apply_edits
from pglint_locks.lsp.diagnostics import diagnostic
from pglint_locks.lsp.documents import Document
from pglint_locks.text import Span

FIX_ALL = "source.fixAll.pglint-locks"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)
_REASON = "reason"


def actions(
    document: Document,
    place: Span,
    findings: Sequence[Finding],
    settings: Settings,
    only: Sequence[str] | None,
) -> Iterator[types.CodeAction]:
    """What can be done about the findings that touch a place, and about the whole file."""
    here = [finding for finding in findings if finding.span.touches(place)]
    if _wants(only, types.CodeActionKind.QuickFix):
        for finding in here:
            yield from _repair(document, finding)
        for finding in here:
            yield from _repair_alike(document, finding, findings)
        for finding in here:
            yield from _suppress(document, finding, settings)
        for finding in here:
            yield _explain(document, finding)
    if _wants(only, FIX_ALL):
        fixed = engine.fix_text(
            document.text, document.name, settings, unsafe=False, memory=document.trials
        )
        if fixed.text != document.text:
            yield types.CodeAction(
                "Apply all safe fixes of pglint-locks",
                kind=FIX_ALL,
                edit=_whole(document, fixed.text),
            )


def _wants(only: Sequence[str] | None, kind: str) -> bool:
    """Whether actions of a kind are asked for: that very kind, or one that it is part of."""
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _repair(document: Document, finding: Finding) -> Iterator[types.CodeAction]:
    if finding.fix is None:
        return
    look = "" if finding.fix.is_safe else " (look at it: the meaning may change)"
    edits = [types.TextEdit(document.range(edit.span), edit.content) for edit in finding.fix.edits]
    yield types.CodeAction(
        f"{finding.rule.code}: {finding.fix.message}{look}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(finding, document)],
        is_preferred=finding.fix.is_safe,
        edit=_edit(document, edits),
    )


def _repair_alike(
    document: Document, finding: Finding, findings: Sequence[Finding]
) -> Iterator[types.CodeAction]:
    alike = [
        each
        for each in findings
        if each.fix is not None and each.fix.is_safe and each.rule.code == finding.rule.code
    ]
    if finding not in alike or len(alike) < 2:
        return
    taken: list[Finding] = []
    for each in alike:
        spans = [edit.span for other in taken for edit in (other.fix.edits if other.fix else ())]
        own = each.fix.edits if each.fix else ()
        if not any(edit.span.touches(span) for edit in own for span in spans):
            taken.append(each)
    text = document.text[document.lead :]
    edits = [edit for each in taken if each.fix for edit in each.fix.edits]
    changed = document.text[: document.lead] + apply_edits(text, sorted(edits))
    yield types.CodeAction(
        f"Fix all of {finding.rule.code} in this file ({len(taken)})",
        kind=types.CodeActionKind.QuickFix,
        edit=_whole(document, changed),
    )


def _suppress(
    document: Document, finding: Finding, settings: Settings
) -> Iterator[types.CodeAction]:
    done = engine.suppress_text(document.text, finding, _REASON, settings, document.trials)
    if done is not None:
        yield types.CodeAction(
            f"Suppress {finding.rule.code} here, with a reason",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(finding, document)],
            edit=_whole(document, done),
        )


def _explain(document: Document, finding: Finding) -> types.CodeAction:
    return types.CodeAction(
        f"Read about {finding.rule.code} {finding.rule.name}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(finding, document)],
        command=types.Command(
            "Read about it", "pglint-locks.explain", arguments=[finding.rule.code]
        ),
    )


def _whole(document: Document, text: str) -> types.WorkspaceEdit:
    """One edit of what is different: neither its start nor its end is alike."""
    old = document.text
    start = 0
    limit = min(len(old), len(text))
    while start < limit and old[start] == text[start]:
        start += 1
    end = 0
    while end < limit - start and old[-1 - end] == text[-1 - end]:
        end += 1
    place = document.places.range(Span(start, len(old) - end))
    return _edit(document, [types.TextEdit(place, text[start : len(text) - end])])


def _edit(document: Document, edits: Sequence[types.TextEdit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version),
                list(edits),
            )
        ]
    )
