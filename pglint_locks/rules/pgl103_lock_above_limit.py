"""PGL103: the rows are chosen without a lock, and the lock comes after the choice."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, for the first choice that decides what it gets to lock."""
    for mark in clause.marks:
        if not mark.strength.is_exclusive:
            continue
        for choice in model.unlocked_choices(clause, mark):
            retested = model.retested_columns(clause, mark, choice)
            if not model.is_by_key(choice.item) and not _is_meant(clause, mark, choice, retested):
                yield _hazard(clause, mark, choice, retested)
                return


def _is_meant(
    clause: model.LockingClause, mark: model.RowMark, choice: model.Choice, retested: list[str]
) -> bool:
    """A mutex on one row whatever its state, or a choice that is checked once it is locked."""
    if mark.wait_policy is not model.WaitPolicy.BLOCK:
        return choice.is_random and bool(retested)
    if not choice.states:
        return not set(model.changed_columns(clause, mark)) & choice.tested
    return bool(retested) and (choice.is_random or choice.is_by_group)


def _hazard(
    clause: model.LockingClause, mark: model.RowMark, choice: model.Choice, retested: list[str]
) -> Hazard:
    chosen = choice.words(clause.statement)
    waits = mark.wait_policy is model.WaitPolicy.BLOCK
    fails = waits and clause.statement.context.keeps_snapshot
    doubled = waits and not fails and not retested
    outcome = "the others wait and fail (40001)" if fails else _outcome(mark, retested)
    return Hazard(
        span=clause.span,
        severity=Severity.ERROR if doubled else Severity.WARNING,
        message=(
            f"the rows of {mark.table} are chosen by {chosen} before they are locked, so every "
            f"session chooses the same ones: {outcome}"
        ),
        label="comes after the choice",
        advice=(
            "lock where the rows are chosen: WHERE, ORDER BY, LIMIT and "
            f"{clause.words} SKIP LOCKED in one SELECT"
        ),
        evidence=(
            "29 claims of 12 jobs by 4 workers, 17 of them double"
            if doubled
            else "10 ready rows, 3 of them claimed: the next session got none of the other 7"
        ),
        table=str(mark.table),
        places=(Place(choice.span(clause.statement), "chosen here, without a lock"),),
    )


def _outcome(mark: model.RowMark, retested: list[str]) -> str:
    match mark.wait_policy:
        case model.WaitPolicy.SKIP_LOCKED:
            return "while one holds them the others get nothing, though more rows qualify"
        case model.WaitPolicy.NOWAIT:
            return "while one holds them the others fail (55P03), though more rows qualify"
    if retested:
        names = " and ".join(retested)
        return f"the others wait for it and then, where {names} has changed, get nothing"
    return "the others wait for it and then get the very rows that it has had"


RULE = Rule(
    code="PGL103",
    name="lock-above-limit",
    summary="rows are chosen by an unlocked LIMIT and locked afterwards",
    severities=(Severity.ERROR, Severity.WARNING),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
)
