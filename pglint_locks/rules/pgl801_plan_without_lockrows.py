"""PGL801: the server's plan locks no row for a clause that by its text does."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause whose tables are below no LockRows of the plan."""
    if not model.lacks_lock(clause):
        return
    table = str(clause.marks[0].table)
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=(
            f"{clause.words} locks no row of {table}: no table stands below a LockRows of the plan"
        ),
        label="not in the plan",
        advice=f"look at what {table} is on this server (a view?), and lock rows of a table",
        evidence="this server's plan",
        table=table,
    )


RULE = Rule(
    code="PGL801",
    name="plan-without-lockrows",
    summary="the server's plan has no LockRows for a locking clause: it locks nothing",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
