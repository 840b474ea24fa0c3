"""From a fix as a rule gives it, in unit offsets, to the edits of the file."""

from __future__ import annotations

from pglint_locks.findings import Edit, Fix
from pglint_locks.sources.units import Escape, SqlUnit
from pglint_locks.text import Span


def placed(fix: Fix, unit: SqlUnit) -> Fix | None:
    """The fix with its edits in the file; None where one cannot be made there.

    What an edit replaces must stand in the file just as `unit.escape` would write it: that
    is not so for what was put in for a part that is not known, for blanked words, or for a
    literal that goes on behind a line end.
    """
    if unit.escape is None:
        return None
    edits = [_in_file(edit, unit, unit.escape) for edit in fix.edits]
    found = tuple(sorted(edit for edit in edits if edit is not None))
    return fix._replace(edits=found) if len(found) == len(edits) else None


def _in_file(edit: Edit, unit: SqlUnit, escape: Escape) -> Edit | None:
    at = unit.map.file_span(edit.span)
    old = escape(unit.text[edit.span.start : edit.span.end])
    new = escape(edit.content)
    if old is None or new is None or old != unit.source.text[at.start : at.end]:
        return None
    return _trimmed(Edit(at, new), old)


def _trimmed(edit: Edit, old: str) -> Edit:
    """The edit without what stays at its start or its end."""
    at, new = edit
    if new.startswith(old):
        return Edit(Span(at.end, at.end), new[len(old) :])
    if new.endswith(old):
        return Edit(Span(at.start, at.start), new[: len(new) - len(old)])
    return edit
