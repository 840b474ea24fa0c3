"""PGL702: OF names something that the server does not lock by that name."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The server's own words for each name (`transformLockingClause`)."""
    if clause.refusal is None or clause.refusal.kind is not model.RefusalKind.NAME:
        return
    for refusal in clause.refusals:
        if refusal.kind is model.RefusalKind.NAME:
            yield Hazard(
                span=clause.span if refusal.name is None else clause.name_span(refusal.name),
                severity=Severity.ERROR,
                message=refusal.message,
                label="the server refuses the statement",
                advice=_advice(clause, refusal.message),
                sqlstate=refusal.sqlstate,
            )


def _advice(clause: model.LockingClause, message: str) -> str:
    if message.endswith("to VALUES"):
        return "drop the locking clause: VALUES has no rows of a table to lock"
    if message.endswith("to a WITH query"):
        return "put the locking clause inside the WITH query"
    if message.startswith("recursive "):
        return (
            "give the table another alias, and name that in OF: WITH RECURSIVE takes a name in OF "
            "for the WITH query of that name"
        )
    names = model.lockable_names(clause.query)
    if not names:
        return "drop the locking clause: this FROM has nothing to lock"
    which = " or ".join(names)
    if message.endswith("unqualified relation names"):
        return f"name the table as FROM calls it, without its schema and column: {which}"
    if message.endswith("FROM clause"):
        return f"name what this FROM calls by that name or alias: {which}"
    return f"name the tables themselves: {which}"


RULE = Rule(
    code="PGL702",
    name="lock-of-wrong-name",
    summary="OF names something that the server does not lock by that name",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
