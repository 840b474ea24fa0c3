"""PGL804: each poll of a claim walks the table, as no index leads it to its rows."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause with a LIMIT whose WHERE and ORDER BY no index serves."""
    for mark in clause.marks:
        if mark.clauses[0] is not clause or not model.is_run(clause):
            continue
        path = model.claim_path(mark)
        if path is not None and path.served is not model.Served.ROWS:
            yield _hazard(clause, mark, path)
            return


def _hazard(clause: model.LockingClause, mark: model.RowMark, path: model.ClaimPath) -> Hazard:
    table = str(mark.table)
    limit = clause.statement.limit_clause(mark.level)
    words = clause.statement.words(limit)
    tested = " and ".join(path.tested)
    in_order = path.served is model.Served.ORDER
    if in_order:
        what = (
            f"an index of {table} gives the order, but none leads to the rows that WHERE wants "
            f"({tested}): each poll walks past all that come before them until {words} is reached"
        )
    else:
        by = f" or sorts by {', '.join(path.sorted_by)}" if path.sorted_by else ""
        what = (
            f"no index of {table} leads to the rows that WHERE wants ({tested}){by}: each poll "
            f"reads the whole table for {words}"
        )
    return Hazard(
        span=clause.span,
        severity=Severity.NOTE if in_order else Severity.WARNING,
        message=what,
        label="its rows are found by reading the table",
        advice=f"CREATE INDEX ON {table} {path.wanted}",
        evidence=model.seen_scan(clause)
        or "100,000 rows, 10 of them ready: 100,000 read by each poll, 10 with the index",
        table=table,
        places=(Place(limit, "bounds what is locked, not what is read"),),
    )


RULE = Rule(
    code="PGL804",
    name="claim-without-index",
    summary="no index leads a claim to its rows: each poll walks the table",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
)
