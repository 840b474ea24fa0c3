"""PGL602: a lock does not keep a row from being inserted that was not there."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause whose row is inserted where the check did not find it."""
    for mark in clause.marks:
        insert = model.insert_after_check(clause, mark)
        if insert is None:
            continue
        columns = " and ".join(insert.columns)
        by = f" by {columns}" if columns else ""
        later = (Place(insert.span, "inserts what was looked for"),)
        yield Hazard(
            span=clause.span,
            severity=Severity.WARNING,
            message=(
                f"{clause.words} locks nothing where no row of {mark.table} is found{by}: two "
                "sessions both find none and both insert, unless a unique constraint refuses one"
            ),
            label="a row that is not there cannot be locked",
            advice=(
                f"have a unique constraint on {columns or 'the tested columns'} and INSERT … ON "
                "CONFLICT, or take an advisory lock on the key first"
            ),
            evidence="two sessions: 2 rows, and neither waited",
            table=str(mark.table),
            places=() if insert.same_statement else later,
        )
        return


RULE = Rule(
    code="PGL602",
    name="check-then-insert",
    summary="a lock does not keep a row from being inserted that was not there",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
