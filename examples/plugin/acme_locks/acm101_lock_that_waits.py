"""ACM101: a locking clause that waits as long as it takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pglint_locks import Edit, Fix, Hazard, Rule, Severity, Span, Subject, model


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that waits for locked rows."""
    if not clause.marks or clause.wait_policy is not model.WaitPolicy.BLOCK:
        return
    table = clause.marks[0].table
    end = clause.span.end
    yield Hazard(
        span=clause.span,
        severity=Severity.WARNING,
        message=f"{clause.words} waits for rows of {table} as long as another session holds them",
        label="waits without end",
        advice=f"write {clause.words} NOWAIT and try again later",
        table=str(table),
        fix=Fix("unsafe", "add NOWAIT", (Edit(Span(end, end), " NOWAIT"),)),
    )


RULE = Rule(
    code="ACM101",
    name="lock-that-waits",
    summary="a locking clause waits as long as another session holds the rows",
    severities=(Severity.WARNING,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
    pages=Path(__file__).parent / "pages",
    pages_url="https://example.com/acme-locks",
)
