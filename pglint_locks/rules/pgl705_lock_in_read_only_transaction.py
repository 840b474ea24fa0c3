"""PGL705: a READ ONLY transaction cannot lock rows."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The server's own words, and where the script makes the transaction READ ONLY."""
    refusal = clause.refusal
    if refusal is None or refusal.kind is not model.RefusalKind.READ_ONLY:
        return
    transaction = clause.statement.read_only
    said = transaction.characteristics.read_only_at if transaction is not None else None
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=refusal.message,
        label="the server refuses the statement",
        advice="make the transaction READ WRITE, or read without a locking clause",
        sqlstate=refusal.sqlstate,
        places=() if said is None else (Place(said, "READ ONLY from here on"),),
    )


RULE = Rule(
    code="PGL705",
    name="lock-in-read-only-transaction",
    summary="the server refuses to lock rows in a READ ONLY transaction",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
