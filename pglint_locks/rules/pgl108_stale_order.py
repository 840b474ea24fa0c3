"""PGL108: rows are sorted before they are locked, by a column that changes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each waiting clause whose transaction changes what the rows are sorted by."""
    for mark in clause.marks:
        if (
            mark.wait_policy is not model.WaitPolicy.BLOCK
            or mark.clauses[0] is not clause
            or model.is_by_key(mark.item)
        ):
            continue
        columns = model.stale_order_columns(clause, mark)
        if not columns:
            continue
        level = model.locking_level(mark.level)
        names = " and ".join(columns)
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"rows of {mark.table} are sorted by {names} before they are locked: one whose "
                f"{names} changes while this waits for it keeps its old place, and a LIMIT counts "
                "it as if nothing had happened"
            ),
            label="locks after sorting",
            advice=(
                "sort the locked rows again outside a WITH query that locks them (that mends their "
                "order, not which ones a LIMIT took), or let SKIP LOCKED pass over such rows"
            ),
            evidence="ORDER BY p LIMIT 3: a row moved to p = 100 while waited for came first of 3",
            table=str(mark.table),
            places=tuple(
                Place(key, "sorted by the value before the wait")
                for key in clause.statement.sort_keys(level)[:1]
            ),
        )
        return


RULE = Rule(
    code="PGL108",
    name="stale-order",
    summary="rows are sorted by a column that may change while the lock waits for them",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    opt_in=True,
)
