"""PGL504: a claim is guarded by a test of other rows, which nobody locks."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject
from pglint_locks.text import Span


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause: the guard whose answer the claim itself makes wrong."""
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED or not mark.strength.is_exclusive:
            continue
        for guard in model.unlocked_guards(clause, mark):
            yield _hazard(clause, guard)
            return


def _hazard(clause: model.LockingClause, guard: model.Guard) -> Hazard:
    table = str(guard.mark.table)
    changed = "the claim changes what it tests"
    what = (
        f"{changed} ({' and '.join(guard.changes)}), so two sessions find it true and both claim"
        if guard.changes
        else f"if {changed}, two sessions find it true and both claim"
    )
    return Hazard(
        span=_span(clause.statement, guard),
        severity=Severity.WARNING if guard.changes else Severity.NOTE,
        message=(
            f"this guard keeps no two claims apart: it tests rows of {table} that nobody locks, "
            f"and {what}"
        ),
        label="two sessions can both find this true",
        advice=(
            "in a statement before this one lock a row that stands for the whole group (its row "
            "in another table), or take pg_advisory_xact_lock on the group's key"
        ),
        evidence="with one row of a key claimed and not yet committed, the next worker got another",
        table=table,
        places=(Place(clause.span, f"locks only the rows of {table} that are claimed"),),
    )


def _span(statement: model.Statement, guard: model.Guard) -> Span:
    opener = guard.opener
    if guard.limits and isinstance(opener, model.SubLink):
        return statement.limit_word(opener.holder)
    if isinstance(opener, model.SubLink):
        return statement.opener(opener)
    if opener.query is not None:
        return statement.opening_word(opener.query)
    return statement.item_name(opener)


RULE = Rule(
    code="PGL504",
    name="unlocked-guard",
    summary="a claim is guarded by a test of other rows that nobody locks",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
