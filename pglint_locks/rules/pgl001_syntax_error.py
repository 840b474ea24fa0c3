"""PGL001: a statement that holds a locking clause and does not parse."""

from __future__ import annotations

from pglint_locks.findings import Hazard, Rule, Severity, Subject
from pglint_locks.text import Span

RULE = Rule(
    code="PGL001",
    name="syntax-error",
    summary="a statement with a locking clause does not parse, so the clause was not looked at",
    severities=(Severity.WARNING,),
    subject=Subject.LINTER,
)


def hazard(reason: str, span: Span) -> Hazard:
    """What to say of a statement that the parser refused, and where it stopped."""
    advice = "mend the statement, or exclude the file if it is not PostgreSQL's SQL"
    if "SKIP LOCKED and WITH TIES" in reason:
        advice = "take WITH TIES or SKIP LOCKED away: a skipped row has no ties to compare with"
    return Hazard(
        span=span,
        severity=Severity.WARNING,
        message=f"{_shortened(reason)}: the locking clause of this statement was not looked at",
        advice=advice,
        label="here the parser stopped",
    )


def _shortened(reason: str) -> str:
    """The parser's words; a quoted token that is long (an open comment) is cut."""
    words = " ".join(reason.split())
    return words if len(words) <= _LONGEST else f'{words[: _LONGEST - 2]}…"'


_LONGEST = 90
