"""PGL501: an aggregate over SKIP LOCKED answers for the rows that nobody holds."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, at the first aggregate over its rows."""
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED or model.is_by_key(mark.item):
            continue
        calls = sorted(model.aggregates_over(mark.level), key=lambda call: call.location)
        if not calls:
            continue
        span, name = clause.statement.function_name(calls[0]), calls[0].name
        yield Hazard(
            span=span,
            severity=Severity.WARNING,
            message=(
                f"{name} leaves out every row of {mark.table} that another transaction holds: "
                "SKIP LOCKED drops locked rows without a word, so the answer is lowest when "
                "work is busiest"
            ),
            label="sees only rows that nobody holds",
            advice=f"compute {name} over a SELECT without a locking clause",
            evidence="10 ready rows, 4 of them held elsewhere: count said 6, and locked those 6",
            table=str(mark.table),
            places=(Place(clause.span, f"locked rows of {mark.table} are dropped here"),),
        )
        return


RULE = Rule(
    code="PGL501",
    name="aggregate-over-skip-locked",
    summary="an aggregate over SKIP LOCKED leaves out the rows that others hold",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
)
