"""PGL106: a claim in two statements, whose lock is held over all that runs in between."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each SKIP LOCKED clause of a SELECT that a later statement makes a claim."""
    if clause.statement.is_write:
        return
    for mark in clause.marks:
        if (
            mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED
            or not mark.strength.is_exclusive
            or model.is_by_key(mark.item)
        ):
            continue
        updates = [use for use in model.row_uses(clause, mark) if use.write.columns]
        if not updates:
            continue
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"the claim of {mark.table} takes two statements: the rows stay locked, and their "
                "transaction open, over the round trip and all that is done before the UPDATE"
            ),
            label="locked until the later UPDATE's transaction ends",
            advice=(
                "claim in one statement and commit: UPDATE … RETURNING over a WITH query that "
                "locks, or lock nothing and let each UPDATE by key test the state again"
            ),
            table=str(mark.table),
            places=(Place(updates[0].span, "the claim is completed here"),),
        )
        return


RULE = Rule(
    code="PGL106",
    name="split-claim",
    summary="a claim is a SELECT and a later UPDATE, and holds its lock in between",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
    opt_in=True,
)
