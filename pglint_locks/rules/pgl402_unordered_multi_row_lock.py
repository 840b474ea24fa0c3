"""PGL402: many rows are locked in whatever order the plan reads them."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import UNSAFE, Fix, Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that waits for several rows in no order of its own."""
    if not model.is_run(clause):
        return
    for mark in clause.marks:
        if not mark.strength.is_exclusive or mark.wait_policy is not model.WaitPolicy.BLOCK:
            continue
        if model.is_locked_in_order(mark) or not model.locks_many_rows(mark):
            continue
        if not model.locks_whole_table(clause, mark):
            yield _hazard(clause, mark)
            return


def _hazard(clause: model.LockingClause, mark: model.RowMark) -> Hazard:
    table = str(mark.table)
    columns = sorted(model.equal_column_names(mark.item))
    one_row = model.may_be_one_row(mark.item)
    unique = "together are unique" if len(columns) > 1 else "is unique"
    unless = f"unless {' and '.join(columns)} {unique}, " if one_row else ""
    return Hazard(
        span=clause.span,
        severity=Severity.NOTE if one_row else Severity.WARNING,
        message=(
            f"{unless}{mark.strength} locks rows of {table} in whatever order the plan reads "
            "them: if another statement, or another plan of this one, takes the same rows in "
            "another order, the two deadlock"
        ),
        label="no ORDER BY where the rows are locked",
        advice=(
            f"put ORDER BY and the key of {table} before it: rows are locked as they are sorted "
            "(an ORDER BY further out sorts what is locked already)"
        ),
        evidence=(
            "20 of 40 transactions ended by deadlock (40P01) where one read by an index and one "
            "by the heap, none with ORDER BY the key"
        ),
        table=table,
        fix=_fix(clause, mark),
    )


def _fix(clause: model.LockingClause, mark: model.RowMark) -> Fix | None:
    edits = model.ordered_by_key(clause, mark)
    return Fix(UNSAFE, "add ORDER BY the key", edits) if edits else None


RULE = Rule(
    code="PGL402",
    name="unordered-multi-row-lock",
    summary="several rows are locked, waiting, in whatever order the plan reads them",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
