"""PGL105: a claim that waits: the workers of a queue run one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that claims a bounded number of rows and waits for them."""
    for mark in clause.marks:
        limiting = model.limiting_level(mark)
        if (
            limiting is None
            or mark.clauses[0] is not clause
            or mark.wait_policy is not model.WaitPolicy.BLOCK
            or not mark.strength.is_exclusive
            or model.is_by_key(mark.item)
            or model.returns_to_one_row(clause, mark)
            or model.random_sort_key(model.locking_level(mark.level)) is not None
        ):
            continue
        columns = model.claimed_columns(clause, mark)
        is_queue = clause.statement.context.is_queue(mark.table)
        if columns or (is_queue and model.takes_rows_in_turn(mark)):
            yield _hazard(clause, mark, limiting, columns)
            return


def _hazard(
    clause: model.LockingClause, mark: model.RowMark, limiting: model.Query, columns: list[str]
) -> Hazard:
    limit = clause.statement.limit_clause(limiting)
    why = f"the claim changes {', '.join(columns)}" if columns else f"{mark.table} is a queue"
    return Hazard(
        span=clause.span,
        severity=Severity.WARNING,
        message=(
            f"{clause.words} without SKIP LOCKED makes claims of {mark.table} run one at a time "
            f"({why}): each waits for the rows that another session has taken until that one's "
            "transaction ends, while the rows behind them are free"
        ),
        label="waits for the claim before it",
        advice=f"write {clause.words} SKIP LOCKED",
        evidence="12 jobs of 50 ms, 4 workers: 0.62 s, against 0.17 s with SKIP LOCKED",
        table=str(mark.table),
        places=(Place(limit, "the first rows are the same for every session"),),
        fix=_fix(clause),
    )


def _fix(clause: model.LockingClause) -> Fix | None:
    edits = model.with_skip_locked(clause)
    return Fix(UNSAFE, "add SKIP LOCKED", edits) if edits else None


RULE = Rule(
    code="PGL105",
    name="convoy-claim",
    summary="a claim without SKIP LOCKED makes the workers of a queue wait for each other",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
