"""PGL201: a locking clause that reaches only WITH queries locks nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pglint_locks import model
from pglint_locks.findings import UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """An error where no row is locked, a note where the WITH queries lock by themselves."""
    ctes = model.ctes_reached(clause)
    if not ctes or (clause.marks and not _is_locked_already(clause, ctes)):
        return
    names = _listed(f"WITH query {cte.name}" for cte in ctes)
    inside = {cte.name: model.tables_locked_inside(cte, clause.strength) for cte in ctes}
    below = model.table_below(ctes[0])
    if all(inside.values()):
        severity = Severity.NOTE
        tables = _listed(str(table) for each in inside.values() for table in each)
        message = f"{clause.words} does nothing here: {names} locks its rows of {tables} itself"
        advice = f"leave {clause.words} out here"
    else:
        severity = Severity.ERROR
        message = f"{clause.words} locks no row: a locking clause never reaches into {names}"
        advice = _advice(clause, ctes, names)
    yield Hazard(
        span=clause.span,
        severity=severity,
        message=message,
        label="stops at the WITH query",
        advice=advice,
        evidence=model.seen_without_lock(clause)
        or (_EVIDENCE if severity is Severity.ERROR else None),
        table=str(clause.marks[0].table) if clause.marks else str(below) if below else None,
        places=tuple(
            Place(clause.statement.cte_name(cte), f"{cte.name} is read without a lock")
            for cte in ctes
            if not inside[cte.name]
        ),
        fix=_fix(clause, ctes) if severity is Severity.ERROR else None,
    )


def _advice(clause: model.LockingClause, ctes: list[model.Cte], names: str) -> str:
    table = model.table_below(ctes[0])
    if table is None:
        return f"leave {clause.words} out: {names} reads no table"
    if all(model.may_hold_clause(cte, clause.words) for cte in ctes):
        return f"put {clause.words} inside {names}"
    return f"join {table} to {names} by its key and lock that: {clause.words} OF {table}"


def _fix(clause: model.LockingClause, ctes: list[model.Cte]) -> Fix | None:
    if len(ctes) > 1 or not model.may_hold_clause(ctes[0], clause.words):
        return None
    edits = model.moved_into(clause, ctes[0])
    return Fix(UNSAFE, f"move {clause.words} into {ctes[0].name}", edits) if edits else None


def _is_locked_already(clause: model.LockingClause, ctes: list[model.Cte]) -> bool:
    """Whether the tables beside the WITH queries are just those that they lock."""
    inside = [table for cte in ctes for table in model.tables_locked_inside(cte, clause.strength)]
    return all(any(mark.table.same_table(table) for table in inside) for mark in clause.marks)


def _listed(words: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(words))


_EVIDENCE = "10 rows read, none locked, accepted without a word"

RULE = Rule(
    code="PGL201",
    name="lock-stops-at-with",
    summary="a locking clause over WITH queries alone locks no row",
    severities=(Severity.ERROR, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
)
