"""PGL803: the server's plan of a claim reads the table from its beginning, each time."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject

_SMALL, _LARGE = 100, 1000  # cost units: some 5,000 and 50,000 rows of a queue


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each claim with a sequential scan, where PGL804 does not tell why."""
    found = model.scan_of_claim(clause)
    if found is None or found.scan.cost < _SMALL or _is_told(found.mark):
        return
    table = str(found.scan.relation)
    level = found.mark.level
    words = clause.statement.limit_words(level)
    read = (
        f"reads and sorts all rows of {table}"
        if found.is_sorted
        else f"reads {table} from its beginning"
    )
    is_costly = found.is_sorted and found.scan.cost >= _LARGE
    yield Hazard(
        span=clause.span,
        severity=Severity.WARNING if is_costly else Severity.NOTE,
        message=(
            f"each poll {read}: {words} bounds what is locked, and the plan has a Seq Scan below it"
        ),
        label="found by a Seq Scan",
        advice=(
            "state the condition of a partial index as a constant, not as a parameter, or make an "
            f"index of {table} for WHERE and ORDER BY"
        ),
        evidence=f"this server's plan: Seq Scan on {table}, cost {found.scan.cost:,.0f}",
        table=table,
        places=(Place(clause.statement.limit_clause(level), "bounds what is locked, not read"),),
    )


def _is_told(mark: model.RowMark) -> bool:
    path = model.claim_path(mark)
    return path is not None and path.served is not model.Served.ROWS


RULE = Rule(
    code="PGL803",
    name="seqscan-claim",
    summary="the server's plan of a claim reads the table sequentially at each poll",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
)
