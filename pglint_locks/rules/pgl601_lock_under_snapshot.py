"""PGL601: under REPEATABLE READ and SERIALIZABLE a lock may end in 40001."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that can meet a row that was changed after its snapshot."""
    level = model.kept_snapshot(clause.statement)
    mark = next((mark for mark in clause.marks if _can_fail(clause, mark)), None)
    if level is None or mark is None:
        return
    said = clause.statement.transaction.characteristics.isolation_at
    waits = mark.wait_policy is model.WaitPolicy.BLOCK
    what = "waits for a row that is being changed and then fails" if waits else "fails"
    yield Hazard(
        span=clause.span,
        severity=Severity.WARNING,
        message=(
            f"{mark.strength} on {mark.table} under {level} {what} with 40001 where a row was "
            "changed after the transaction's snapshot; READ COMMITTED would go on"
        ),
        label="may fail with 40001",
        advice=(
            "lock under READ COMMITTED, or run the whole transaction in a loop that tries it "
            "again on 40001"
        ),
        evidence="4 workers: 36 of these errors for 12 claims",
        table=str(mark.table),
        places=() if said is None else (Place(said, f"{level} from here on"),),
    )


def _can_fail(clause: model.LockingClause, mark: model.RowMark) -> bool:
    if mark.strength is model.Strength.FOR_KEY_SHARE:
        return False
    return mark.wait_policy is model.WaitPolicy.BLOCK or not clause.statement.transaction.is_first


RULE = Rule(
    code="PGL601",
    name="lock-under-snapshot",
    summary="under REPEATABLE READ and SERIALIZABLE a lock may fail with 40001",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
)
