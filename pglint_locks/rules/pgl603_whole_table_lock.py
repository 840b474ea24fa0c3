"""PGL603: a locking SELECT of a whole table writes to every row of it."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, for the first table that nothing restricts."""
    for mark in clause.marks:
        if not model.locks_whole_table(clause, mark):
            continue
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"{clause.words} without WHERE or LIMIT locks {mark.table} row by row: the "
                "header of every row is written, and written to the WAL"
            ),
            label="locks every row",
            advice=(
                f"restrict the rows, or LOCK TABLE {mark.table} if the whole table is meant; a "
                "table of a single row is fine as it is"
            ),
            evidence="100,000 rows: 5.6 MB of WAL, 17 MB after a checkpoint; LOCK TABLE: none",
            table=str(mark.table),
        )
        return


RULE = Rule(
    code="PGL603",
    name="whole-table-lock",
    summary="a locking SELECT of a whole table writes to every row of it",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
)
