"""PGL303: a locking clause over a join, without OF, locks the rows of every table in it."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import SAFE, UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for a clause without OF that locks the rows of two items or more."""
    if len(clause.marks) < 2 or clause.names_tables or not model.is_run(clause):
        return
    if any(other.names_tables for mark in clause.marks for other in mark.clauses):
        return  # another clause names some with OF, so this one means the rest
    names = [_name(mark) for mark in clause.marks]
    policies = {mark.wait_policy for mark in clause.marks}
    written = [mark for mark in clause.marks if model.row_uses(clause, mark)]
    severity, happens, evidence = _harm(policies)
    yield Hazard(
        span=clause.span,
        severity=severity,
        message=f"{clause.words} locks the rows of {' and '.join(names)} alike: {happens}",
        label="locks each table of the join",
        advice=_advice(clause, written),
        evidence=evidence,
        table=str((written or clause.marks)[0].table),
        places=tuple(
            Place(use.span, f"only {mark.item.refname} is changed")
            for mark in written[:1]
            for use in model.row_uses(clause, mark)[:1]
            if len(written) == 1 and not use.same_statement
        ),
        fix=_fix(clause, written),
    )


def _name(mark: model.RowMark) -> str:
    """What the statement calls a table; in a view it has no name of its own."""
    return str(mark.item.refname if mark.level.view_item is None else mark.table)


def _harm(policies: set[model.WaitPolicy]) -> tuple[Severity, str, str | None]:
    if model.WaitPolicy.NOWAIT in policies:
        return (
            Severity.WARNING,
            "it fails (55P03) while another session holds a row of any one of them",
            None,
        )
    if model.WaitPolicy.SKIP_LOCKED in policies:
        return (
            Severity.ERROR,
            "while another session holds a row of one, what is joined to it is skipped, and its "
            "rows of the other may stay locked all the same",
            "with one job's parent held, the next worker got no job and locked all that were left",
        )
    return (
        Severity.NOTE,
        "others wait for rows that are only read here, and two queries with the tables in "
        "different order can deadlock",
        None,
    )


def _fix(clause: model.LockingClause, written: list[model.RowMark]) -> Fix | None:
    """Safe where the statement itself shows that it changes one table only."""
    if len(written) != 1 or written[0].item not in clause.items or not written[0].item.refname:
        return None
    name = written[0].item.refname
    edits = model.with_names(clause, [name])
    own = all(use.same_statement for use in model.row_uses(clause, written[0]))
    return Fix(SAFE if own else UNSAFE, f"write OF {name}", edits) if edits else None


def _advice(clause: model.LockingClause, written: list[model.RowMark]) -> str:
    named = [mark for mark in written if mark.item in clause.items]
    if len(written) == 1 and named:
        return f"write {clause.words} OF {named[0].item.refname}: only its rows are changed"
    if all(mark.level.view_item is not None for mark in clause.marks):
        return f"join the table whose rows are meant to the view, and write {clause.words} OF it"
    return f"write {clause.words} OF and the table whose rows are meant"


RULE = Rule(
    code="PGL303",
    name="join-locks-every-table",
    summary="a locking clause over a join, without OF, locks the rows of every table in it",
    severities=(Severity.ERROR, Severity.WARNING, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
    about_others=True,
)
