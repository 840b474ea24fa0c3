"""PGL004: a locking clause that was seen in the text but could not be analysed."""

from __future__ import annotations

from pglint_locks.findings import Hazard, Rule, Severity, Subject
from pglint_locks.text import Span

RULE = Rule(
    code="PGL004",
    name="unread-lock",
    summary="a locking clause was seen but not analysed",
    severities=(Severity.NOTE,),
    subject=Subject.LINTER,
    opt_in=True,
)


def hazard(reason: str, span: Span) -> Hazard:
    """What to say of a clause at a place, and why it was not analysed."""
    return Hazard(
        span=span,
        severity=Severity.NOTE,
        message=f"this locking clause was not analysed: {reason}",
        advice="look at it yourself, or write it so that its text shows",
        label="not looked at",
    )
