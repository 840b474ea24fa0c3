"""Code actions: repair, suppress, and read about what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from pglint_locks.directives import UNKNOWN, UNUSED
from pglint_locks.findings import Edit, Finding
from pglint_locks.lsp.analysis import Analysed
from pglint_locks.lsp.greeting import EXPLAIN, FIX_ALL
from pglint_locks.sources.kinds import kind_of
from pglint_locks.text import LINE_END, Span

_REASON = "reason"


def actions(
    analysed: Analysed, params: types.CodeActionParams, versions: bool
) -> Iterator[types.CodeAction]:
    """What can be done about the findings that touch a place, and about the whole file.

    `versions`: the client knows edits that tell the version of the document.
    """
    for action in _actions(analysed, params):
        if action.edit is not None and not versions:
            changes = action.edit.document_changes or ()
            edits = [edit for each in changes for edit in getattr(each, "edits", ())]
            action.edit = types.WorkspaceEdit({analysed.document.uri: edits})
        yield action


def _actions(analysed: Analysed, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    only = params.context.only
    place = analysed.document.span(params.range)
    here = [finding for finding in analysed.shown if finding.span.touches(place)]
    if _wants(only, types.CodeActionKind.QuickFix) and here:
        given = params.context.diagnostics
        yield from _repairs(analysed, here, given)
        for finding in here:
            yield from _suppressions(analysed, finding, given)
        for rule in {finding.rule.code: finding.rule for finding in here}.values():
            yield types.CodeAction(
                f"Read about {rule.code} {rule.name}",
                kind=types.CodeActionKind.QuickFix,
                command=types.Command("Read about it", EXPLAIN, arguments=[rule.code]),
            )
    if only and _wants(only, FIX_ALL):
        yield from _whole(analysed, "Apply all safe fixes of pglint-locks", FIX_ALL, ())


def _wants(only: Sequence[str] | None, kind: str) -> bool:
    """Whether actions of a kind are asked for: that very kind, or one that it is part of."""
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _repairs(
    analysed: Analysed, here: Sequence[Finding], given: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """The fixes that bear out of the findings here, and of all that are like them."""
    document, report = analysed.document, analysed.report
    repaired = analysed.linter.repaired(document.body, here, report)
    for finding in repaired:
        fix = finding.fix
        assert fix is not None
        look = "" if fix.is_safe else " (look at it: the meaning may change)"
        yield types.CodeAction(
            f"{finding.rule.code}: {fix.message}{look}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=_told(analysed, finding, given),
            is_preferred=fix.is_safe,
            edit=_edit(analysed, fix.edits),
        )
    safe = {each.rule.code for each in repaired if each.fix and each.fix.is_safe}
    for code in sorted(safe):
        alike = [each for each in analysed.shown if each.rule.code == code and each.fix]
        if len(alike) > 1:
            others = [each for each in report.findings if each.rule.code != code]
            title = f"Fix all of {code} in this file"
            yield from _whole(analysed, title, types.CodeActionKind.QuickFix, others)


def _suppressions(
    analysed: Analysed, finding: Finding, given: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """Comments that suppress a finding: here, and in all of the file."""
    code, document = finding.rule.code, analysed.document
    if code in (UNUSED, UNKNOWN):
        return
    done = analysed.linter.suppressed(document.body, finding, _REASON)
    if done is not None:
        yield types.CodeAction(
            f"Suppress {code} here, with a reason",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=_told(analysed, finding, given),
            edit=_edit(analysed, [_difference(document.body, done)]),
        )
    opens, closes = kind_of(analysed.linter.name).comment
    end = LINE_END.search(document.body)
    comment = f"{opens}pglint: ignore-file[{code}] {_REASON}{closes}{end[0] if end else chr(10)}"
    top = _top(document.body)
    if analysed.linter.suppresses(document.body, comment, top, code):
        yield types.CodeAction(
            f"Suppress {code} in this file, with a reason",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=_told(analysed, finding, given),
            edit=_edit(analysed, [Edit(Span(top, top), comment)]),
        )


def _top(text: str) -> int:
    """Where a comment for all of a file may stand: its start, behind a line that begins `#!`."""
    end = LINE_END.search(text)
    return end.end() if text.startswith("#!") and end else 0


def _told(
    analysed: Analysed, finding: Finding, given: Sequence[types.Diagnostic]
) -> list[types.Diagnostic]:
    """The diagnostics that a client sent that tell a finding."""
    place = analysed.document.range(finding.span)
    return [each for each in given if each.code == finding.rule.code and each.range == place]


def _whole(
    analysed: Analysed, title: str, kind: str, spared: Sequence[Finding]
) -> Iterator[types.CodeAction]:
    """All safe fixes but those of findings that are spared, if there are any."""
    text = analysed.document.body
    hidden = set(map(id, analysed.shown))
    unseen = [each for each in analysed.report.findings if id(each) not in hidden]
    fixed = analysed.linter.fixed(text, [*spared, *unseen])
    if fixed != text:
        yield types.CodeAction(title, kind=kind, edit=_edit(analysed, [_difference(text, fixed)]))


def _difference(old: str, new: str) -> Edit:
    """The one edit between what two texts have in common at their starts and at their ends."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Edit(Span(start, len(old) - end), new[start : len(new) - end])


def _edit(analysed: Analysed, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    document = analysed.document
    changes = [types.TextEdit(document.range(edit.span), edit.content) for edit in edits]
    version = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(version, changes)])
