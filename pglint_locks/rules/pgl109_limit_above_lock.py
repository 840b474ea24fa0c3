"""PGL109: a LIMIT above a lock with a sort in between: everything is locked first."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause whose rows all go into a sort (or the like) below a LIMIT."""
    for mark in clause.marks:
        late = model.late_limit(mark.level)
        if late is None or model.is_by_key(mark.item):
            continue
        limit = clause.statement.limit_clause(late.limit)
        words = clause.statement.words(limit)
        what = model.whole_input_reason(late.whole)
        yield Hazard(
            span=clause.span,
            severity=Severity.WARNING,
            message=(
                f"{words} does not bound the rows of {mark.table} that are locked: the {what} "
                "between the two takes all of them first, and each is locked"
            ),
            label="locks every row that reaches it",
            advice=(
                f"put {words}, and what it needs of ORDER BY, at the level of the locking clause"
            ),
            evidence="ORDER BY … LIMIT 3 outside the locking sub-SELECT: 3 returned, 20 locked",
            table=str(mark.table),
            places=(Place(limit, "counts the rows after they are locked"),),
        )
        return


RULE = Rule(
    code="PGL109",
    name="limit-above-lock",
    summary="a LIMIT above a sort, aggregate or DISTINCT does not bound the lock below it",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
)
