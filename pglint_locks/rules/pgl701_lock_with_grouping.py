"""PGL701: a locking clause that the server refuses beside grouping and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The server's own words for a clause that it refuses (`CheckSelectLocking`)."""
    refusal = clause.refusal
    if refusal is None or refusal.kind is not model.RefusalKind.GROUPING:
        return
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=refusal.message,
        label="the server refuses the statement",
        advice=(
            "drop the locking clause, or lock the rows in a FROM sub-SELECT or WITH query "
            "and compute over that"
        ),
        sqlstate=refusal.sqlstate,
    )


RULE = Rule(
    code="PGL701",
    name="lock-with-grouping",
    summary="the server refuses a locking clause beside grouping, DISTINCT, aggregates or UNION",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
