"""PGL502: a test of whether rows exist takes those that others hold for absent."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject
from pglint_locks.text import Span


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, at the nearest test that its rows go into."""
    for mark in clause.marks:
        if mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED:
            continue
        for test in model.absence_tests(mark):
            yield Hazard(
                span=_span(clause, test),
                severity=Severity.WARNING,
                message=(
                    f"{test.words} takes a row of {mark.table} that another transaction holds "
                    "for one that is not there: SKIP LOCKED drops it without a word"
                ),
                label="a held row counts as absent",
                advice=(
                    "test without a locking clause, or lock without SKIP LOCKED and wait for "
                    "the true answer"
                ),
                evidence="with the row held elsewhere EXISTS said false and NOT IN said true",
                table=str(mark.table),
                places=(Place(clause.span, f"held rows of {mark.table} are dropped here"),),
            )
            return


def _span(clause: model.LockingClause, test: model.AbsenceTest) -> Span:
    if test.link is None or test.link.kind is model.SubLinkKind.SCALAR:
        return clause.statement.opening_word(test.query)
    return clause.statement.opener(test.link)


RULE = Rule(
    code="PGL502",
    name="absence-under-skip-locked",
    summary="a test of whether rows exist takes rows that others hold for absent",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
)
