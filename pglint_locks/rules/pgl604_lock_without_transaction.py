"""PGL604: a lock outside any transaction is gone when its statement ends."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause of a SELECT that a script runs by itself."""
    if not clause.marks or not model.runs_by_itself(clause.statement):
        return
    yield Hazard(
        span=clause.span,
        severity=Severity.NOTE,
        message=(
            f"{clause.words} on {clause.marks[0].table} stands outside any transaction: the "
            "lock is gone when this SELECT ends"
        ),
        label="released at the end of the statement",
        advice=(
            "put it between BEGIN and COMMIT with what it protects, or name the file in "
            "assume-in-transaction where the tool that runs it begins one"
        ),
        table=str(clause.marks[0].table),
    )


RULE = Rule(
    code="PGL604",
    name="lock-without-transaction",
    summary="a lock outside any transaction is gone when its statement ends",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    opt_in=True,
)
