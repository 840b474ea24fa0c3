"""PGL704: a STABLE or IMMUTABLE function that locks rows fails when it is called."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """An error, or a warning for a SQL function that is inlined where FROM calls it."""
    routine, refusal = clause.statement.routine, clause.refusal
    if routine is None:
        return
    if refusal is not None and refusal.kind is model.RefusalKind.NONVOLATILE:
        yield Hazard(
            span=clause.span,
            severity=Severity.ERROR,
            message=refusal.message,
            label=f"refused when {routine.name} is called",
            advice=f"declare {routine.name} VOLATILE, or leave the locking clause to its caller",
            sqlstate=refusal.sqlstate,
        )
    elif clause.unless_inlined is not None:
        yield Hazard(
            span=clause.span,
            severity=Severity.WARNING,
            message=(
                f"{clause.words} in the {routine.volatility.upper()} function {routine.name} "
                "works only where a call in FROM is inlined; any other call, and every call "
                "once it is STRICT, SECURITY DEFINER or has a SET or a second statement, fails "
                f"with: {clause.unless_inlined.message}"
            ),
            label="works as long as calls are inlined",
            advice=f"declare {routine.name} VOLATILE",
            sqlstate=clause.unless_inlined.sqlstate,
        )


RULE = Rule(
    code="PGL704",
    name="lock-in-nonvolatile-function",
    summary="the server refuses to lock rows in a STABLE or IMMUTABLE function",
    severities=(Severity.ERROR, Severity.WARNING),
    subject=Subject.CLAUSE,
    visit=visit,
)
