"""PGL503: SKIP LOCKED in a plain read gives an answer with holes in it."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that skips rows of a table that nothing goes on to write."""
    if not model.is_run(clause):
        return
    if any(model.is_written(clause.statement, mark.table) for mark in clause.marks):
        return
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED:
            continue
        if not model.reads_all_that_match(mark):
            continue
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"this read of {mark.table} leaves out every row that another transaction holds, "
                "and nothing here takes the others as work"
            ),
            label="skips rows that others hold",
            advice="read without a locking clause: a plain SELECT never waits for row locks",
            evidence="with 4 of 10 rows held elsewhere 6 were read, and locked",
            table=str(mark.table),
        )
        return


RULE = Rule(
    code="PGL503",
    name="skip-locked-read",
    summary="SKIP LOCKED with no LIMIT and no write leaves rows out of a plain read",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    opt_in=True,
)
