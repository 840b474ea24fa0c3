"""PGL201: a locking clause that reaches only WITH queries locks nothing."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """An error where no row is locked, a note where the WITH queries lock by themselves."""
    ctes = model.ctes_reached(clause)
    if not ctes or (clause.marks and not _is_locked_already(clause, ctes)):
        return
    names = " and ".join(dict.fromkeys(f"WITH query {cte.name}" for cte in ctes))
    severity, advice = Severity.NOTE, f"leave {clause.words} out here"
    if clause.marks:
        tables = " and ".join(dict.fromkeys(str(mark.table) for mark in clause.marks))
        message = f"{clause.words} does nothing here: {names} has locked the rows of {tables}"
    elif all(model.rows_locked_inside(cte, clause.strength) for cte in ctes):
        message = f"{clause.words} does nothing here: the rows of {names} are locked inside it"
    else:
        severity, advice = Severity.ERROR, f"put {clause.words} inside {names}"
        message = f"{clause.words} locks no row: a locking clause never reaches into {names}"
    yield Hazard(
        span=clause.span,
        severity=severity,
        message=message,
        label="stops at the WITH query",
        advice=advice,
        evidence=_EVIDENCE if severity is Severity.ERROR else None,
        table=str(clause.marks[0].table if clause.marks else model.table_below(ctes[0]) or "")
        or None,
        places=tuple(
            Place(clause.statement.cte_name(cte), f"{cte.name} is read without a lock")
            for cte in ctes
            if not model.rows_locked_inside(cte, clause.strength)
        ),
    )


def _is_locked_already(clause: model.LockingClause, ctes: list[model.Cte]) -> bool:
    """Whether the tables beside the WITH queries are just those that they lock."""
    inside = [table for cte in ctes for table in model.tables_locked_inside(cte)]
    return all(any(mark.table.same_table(table) for table in inside) for mark in clause.marks)


_EVIDENCE = "10 rows read, none locked, accepted without a word"

RULE = Rule(
    code="PGL201",
    name="lock-stops-at-with",
    summary="a locking clause over WITH queries alone locks no row",
    severities=(Severity.ERROR, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
)
