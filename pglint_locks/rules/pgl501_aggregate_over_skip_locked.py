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
                f"{name} is computed without the rows of {mark.table} that other transactions "
                "hold: SKIP LOCKED drops them without a word, most of them in the busiest minute"
            ),
            label="sees only rows that nobody holds",
            advice=f"compute {name} over a SELECT without a locking clause",
            evidence="of 10 ready rows 4 were held elsewhere: count said 6, min(id) 5",
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
