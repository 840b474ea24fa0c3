"""PGL203: a locking clause below which there is no table locks nothing."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for a clause that reaches neither a table nor a WITH query."""
    if clause.refusal is not None or clause.marks or model.ctes_reached(clause):
        return
    found = " and ".join(sorted(model.kinds_reached(clause)))
    why = f"its FROM holds only {found}" if found else "its SELECT has no FROM"
    below = model.tables_in_sub_links(clause.query)
    advice = "drop it, or lock the rows of a table"
    if below:
        advice = f"put {clause.words} inside the sub-SELECT that reads {below[0]}"
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=f"{clause.words} locks no row: {why}, and only rows of tables can be locked",
        label="nothing to lock here",
        advice=advice,
        evidence=model.seen_without_lock(clause) or "accepted without a word, no row locked",
        table=str(below[0]) if below else None,
    )


RULE = Rule(
    code="PGL203",
    name="lock-without-table",
    summary="a locking clause over functions, VALUES or no FROM at all locks nothing",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_missing=True,
)
