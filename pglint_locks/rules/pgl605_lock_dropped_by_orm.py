"""PGL605: a lock that an ORM is asked for and does not send."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Place, Rule, Severity, Subject


def visit(statement: model.Statement) -> Iterator[Hazard]:
    """One hazard for a chain of calls whose end leaves out the lock, or all but one of its rows."""
    dropped = statement.call.dropped if statement.call is not None else None
    if dropped is None or (dropped.leaves_one and not _may_match_several(statement)):
        return
    lock, call, table = dropped.lock, dropped.name, dropped.table
    severity = Severity.NOTE
    if dropped.leaves_one:
        what = f"{call} adds LIMIT 1, so {lock.clause} locks one row of {table} at most"
    elif not statement.is_write:
        severity = Severity.WARNING
        what = f"{call} sends no {lock.clause}: no row of {table} is locked"
    elif lock.wait is not None:
        severity = Severity.WARNING
        what = f"{call} sends no {lock.clause}: it waits for rows of {table} that others hold"
    elif dropped.in_order and _may_match_several(statement):
        severity = Severity.WARNING
        what = (
            f"{call} sends neither {lock.clause} nor ORDER BY: it locks rows of {table} in "
            "whatever order the plan reads them"
        )
    else:
        what = f"{call} sends no {lock.clause}: it locks rows of {table} as it changes them"
    if dropped.unless is not None:
        severity = Severity.NOTE
        what = f"unless {dropped.unless}, {what}"
    asked = Place(
        dropped.place.shifted(statement.start),
        "for one row at most" if dropped.leaves_one else "not sent",
    )
    drops = Place(
        dropped.by_place.shifted(statement.start),
        "adds LIMIT 1" if dropped.leaves_one else "leaves the lock out",
    )
    # What a name holds may be gone on with in several places, each with its own end.
    first, second = (drops, asked) if dropped.apart else (asked, drops)
    yield Hazard(
        span=first.span,
        severity=severity,
        message=what,
        label=first.message,
        advice="run the query with the lock first, and go on with the rows that it gives",
        evidence=(
            "of 3 rows, Django's count() and aggregate() locked none and exists() one; update() "
            "after SKIP LOCKED waited for a row that another session held"
        ),
        table=table,
        places=(second,),
    )


def _may_match_several(statement: model.Statement) -> bool:
    """Whether its conditions may hold for several rows: they pin no key."""
    return not any(
        model.is_by_key(item) or model.may_be_one_row(item)
        for level in statement.levels
        for item in (*level.items, level.target)
        if item is not None
    )


RULE = Rule(
    code="PGL605",
    name="lock-dropped-by-orm",
    summary="a lock that an ORM is asked for and does not send with this call",
    severities=(Severity.WARNING, Severity.NOTE),
    subject=Subject.STATEMENT,
    visit=visit,
)
