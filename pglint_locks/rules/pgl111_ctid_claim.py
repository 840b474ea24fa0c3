"""PGL111: a write that finds the rows it has locked by ctid misses those that moved."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that gives a ctid to a write of the same table."""
    for mark in clause.marks:
        use = model.write_by_ctid(clause, mark)
        if use is None:
            continue
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"this {use.write.verb} finds the locked rows of {mark.table} by ctid: a row that "
                "another session updated just before is locked with its new ctid, which the "
                f"{use.write.verb} does not see, so it is locked and left as it is"
            ),
            label="may lock a row that the write misses",
            advice="give out a key that does not change, and join on that",
            evidence="3 rows claimed while one of them was updated: 2 changed, by id all 3",
            table=str(mark.table),
            places=(Place(clause.statement.target_name(use.write.query), "joined on ctid"),),
        )
        return


RULE = Rule(
    code="PGL111",
    name="ctid-claim",
    summary="a write joined on ctid leaves out locked rows that were updated meanwhile",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    opt_in=True,
)
