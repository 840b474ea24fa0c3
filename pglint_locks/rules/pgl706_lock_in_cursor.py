"""PGL706: WITH HOLD, SCROLL and INSENSITIVE cursors cannot lock rows."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The server's own words (`transformDeclareCursorStmt`)."""
    refusal = clause.refusal
    if refusal is None or refusal.kind is not model.RefusalKind.CURSOR:
        return
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=refusal.message,
        label="the server refuses the cursor",
        advice=(
            "declare the cursor without WITH HOLD, SCROLL and INSENSITIVE, or without the "
            "locking clause"
        ),
        sqlstate=refusal.sqlstate,
    )


RULE = Rule(
    code="PGL706",
    name="lock-in-cursor",
    summary="the server refuses a locking clause in a WITH HOLD, SCROLL or INSENSITIVE cursor",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
