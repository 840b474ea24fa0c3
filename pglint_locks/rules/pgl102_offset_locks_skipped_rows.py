"""PGL102: OFFSET at or above a lock: the rows that it skips are locked too."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, at the OFFSET nearest to the lock."""
    for mark in clause.marks:
        for level in model.levels_above(mark.level):
            if not model.skips_rows(level):
                continue
            offset = clause.statement.offset_clause(level)
            words = clause.statement.words(offset)
            yield Hazard(
                span=offset,
                severity=Severity.WARNING,
                message=(
                    f"{words} locks the rows of {mark.table} that it skips as well as those it "
                    "returns: rows are locked first and counted off afterwards"
                ),
                label="skipped, but locked",
                advice=(
                    "page by key instead (WHERE id > the last id seen, ORDER BY id, LIMIT n), "
                    "or, outside a queue, pick the ids without a lock and lock them by id"
                ),
                evidence="LIMIT 3 OFFSET 5 locked 8 rows, OFFSET past the end all 20",
                table=str(mark.table),
                places=(Place(clause.span, "locks every row that OFFSET counts off"),),
            )
            return


RULE = Rule(
    code="PGL102",
    name="offset-locks-skipped-rows",
    summary="OFFSET at or above a lock: the rows that it skips are locked too",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
)
