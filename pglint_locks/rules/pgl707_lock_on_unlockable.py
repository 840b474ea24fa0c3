"""PGL707: rows of relations that the server does not lock, or does not lock as asked."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The executor's own words, or that a remote server is not told not to wait."""
    refusal = clause.refusal
    if refusal is not None and refusal.kind is model.RefusalKind.UNLOCKABLE:
        yield Hazard(
            span=clause.span,
            severity=Severity.ERROR,
            message=refusal.message,
            label="the server refuses the statement",
            advice="lock rows of the tables that it is made from",
            sqlstate=refusal.sqlstate,
        )
        return
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.BLOCK and model.is_remote(mark):
            yield _waits(clause, mark)
            return


def _waits(clause: model.LockingClause, mark: model.RowMark) -> Hazard:
    policy = str(mark.wait_policy)
    return Hazard(
        span=clause.span,
        severity=Severity.WARNING,
        message=(
            f"{policy} is not sent to the server of foreign table {mark.table}: the statement "
            "waits there for rows that others have locked"
        ),
        label="waits all the same",
        advice="run the statement on the remote server, or set lock_timeout for it there",
        evidence="postgres_fdw sends FOR UPDATE alone; the claim waited for the row's owner",
        table=str(mark.table),
    )


RULE = Rule(
    code="PGL707",
    name="lock-on-unlockable",
    summary="rows of a materialized view, sequence or foreign table are not locked as asked",
    severities=(Severity.ERROR, Severity.WARNING),
    subject=Subject.CLAUSE,
    visit=visit,
)
