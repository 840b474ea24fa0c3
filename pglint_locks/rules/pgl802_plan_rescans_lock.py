"""PGL802: the server's plan runs a bounded locking sub-SELECT once for each row of another."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that the plan runs again, where PGL101 does not foresee it."""
    found = model.unforeseen_rescan(clause)
    if found is None:
        return
    table = str(found.mark.table)
    where = "on the inner side of a Nested Loop" if found.rescan.is_loop else "in a SubPlan"
    each = "skips the rows already changed" if found.writes else "may find other rows free"
    limit = clause.statement.limit_words(found.limit)
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR if found.writes else Severity.WARNING,
        message=(
            f"{limit} does not bound the rows of {table} that are locked: the plan has the locking "
            f"sub-SELECT {where} and runs it again for each row, and each run {each}"
        ),
        label="run again for each row",
        advice="move the locking sub-SELECT into a WITH … AS MATERIALIZED query: it runs once",
        evidence="this server's plan",
        table=table,
        places=(Place(clause.statement.limit_clause(found.limit), "bounds each run alone"),),
    )


RULE = Rule(
    code="PGL802",
    name="plan-rescans-lock",
    summary="the server's plan runs a bounded locking sub-SELECT again for each row of another",
    severities=(Severity.ERROR, Severity.WARNING),
    subject=Subject.CLAUSE,
    visit=visit,
)
