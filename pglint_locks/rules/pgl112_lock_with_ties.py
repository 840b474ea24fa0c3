"""PGL112: WITH TIES has to look at one row more, and that row is locked."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause at the level of a FETCH … WITH TIES."""
    for mark in clause.marks:
        level = model.level_with_ties(mark)
        if level is None or model.is_by_key(mark.item):
            continue
        fetch = clause.statement.limit_clause(level)
        words = clause.statement.words(fetch)
        yield Hazard(
            span=clause.span,
            severity=Severity.NOTE,
            message=(
                f"{words} locks one row of {mark.table} more than it returns: the row that ends "
                "the ties is locked before it is seen to be none"
            ),
            label="locks one row too many",
            advice="write LIMIT or FETCH … ROWS ONLY, with the key as the last ORDER BY column",
            evidence="FETCH FIRST 3 ROWS WITH TIES: 3 returned, 4 locked",
            table=str(mark.table),
            places=(Place(fetch, "looks one row ahead"),),
        )
        return


RULE = Rule(
    code="PGL112",
    name="lock-with-ties",
    summary="FETCH … WITH TIES locks one row more than it returns",
    severities=(Severity.NOTE,),
    subject=Subject.CLAUSE,
    visit=visit,
    opt_in=True,
)
