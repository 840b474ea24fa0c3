"""PGL107: an advisory lock is taken for rows that the query does not return."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(statement: model.Statement) -> Iterator[Hazard]:
    """One hazard for each call of an advisory-lock function that runs for too many rows."""
    for stray in model.stray_locks(statement):
        name = stray.call.name
        why, evidence = _why(stray)
        yield Hazard(
            span=statement.function_name(stray.call),
            severity=Severity.WARNING,
            message=f"{name} also locks keys of rows that are not returned: {why}",
            label="runs for rows that do not come out",
            advice=(
                "pick the rows in a FROM sub-SELECT with LIMIT (or OFFSET 0), or in a sorted "
                f"WITH … AS MATERIALIZED query, and call {name} outside it"
            ),
            evidence=evidence,
            table=None if stray.table is None else str(stray.table),
        )


def _why(stray: model.StrayLock) -> tuple[str, str]:
    match stray.reason:
        case model.StrayReason.CONDITION:
            return (
                "the planner decides which condition of WHERE is tested first",
                "1,000 locks for 500 rows returned",
            )
        case model.StrayReason.SORT:
            return (
                "WHERE is computed before the rows are sorted and LIMIT takes the first",
                "1,000 locks for LIMIT 1, of 500 rows that qualify",
            )
        case model.StrayReason.JOIN:
            return "it may run before the join drops rows", "1,000 locks for 5 rows returned"
        case model.StrayReason.OFFSET:
            return "it runs for the rows that OFFSET skips", "11 locks for LIMIT 1 OFFSET 10"
        case model.StrayReason.DISTINCT:
            return "it runs before DISTINCT drops rows", "500 locks for 1 row returned"
    return "ORDER BY computes it for every row before the first is given", "500 locks for LIMIT 1"


RULE = Rule(
    code="PGL107",
    name="stray-advisory-lock",
    summary="an advisory lock is taken for rows that the query does not return",
    severities=(Severity.WARNING,),
    subject=Subject.STATEMENT,
    visit=visit,
)
