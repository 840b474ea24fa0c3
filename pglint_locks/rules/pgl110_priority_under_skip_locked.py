"""PGL110: under SKIP LOCKED an order holds among the free rows only."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each SKIP LOCKED clause that takes the first rows by some rank."""
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED or not model.limiting_level(mark):
            continue
        level = model.locking_level(mark.level)
        if model.is_by_key(mark.item) or not model.is_ranked(level, mark.item):
            continue
        key = next(iter(clause.statement.sort_keys(level)), clause.span)
        words = clause.statement.words(key)
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"ORDER BY {words} under SKIP LOCKED takes the first rows of {mark.table} that "
                "nobody holds, not the first there are: a later row is often done before an "
                "earlier one, and again where a session rolls back"
            ),
            label="passes over rows that come first",
            advice=(
                "say so where the order is a promise, or take one row at a time without SKIP LOCKED"
            ),
            evidence="the first row was held and given back: the second had been taken meanwhile",
            table=str(mark.table),
            places=(Place(key, "an order among free rows"),),
        )
        return


RULE = Rule(
    code="PGL110",
    name="priority-under-skip-locked",
    summary="ORDER BY a priority under SKIP LOCKED means the highest that is free",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    opt_in=True,
)
