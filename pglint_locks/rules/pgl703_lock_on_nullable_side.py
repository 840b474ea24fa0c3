"""PGL703: a locking clause on the nullable side of an outer join is refused."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import SAFE, Fix, Hazard, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """The planner's own words, where no condition makes the join an inner one."""
    refusal = clause.refusal
    if refusal is None or refusal.kind is not model.RefusalKind.NULLABLE_SIDE:
        return
    names = model.preserved_names(clause.query)
    advice = (
        f"lock the other side alone: {clause.words} OF {', '.join(names)}"
        if names
        else "lock the rows in a FROM sub-SELECT of their own and join to that"
    )
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=refusal.message,
        label="the server refuses the statement",
        advice=advice,
        sqlstate=refusal.sqlstate,
        fix=_fix(clause, names),
    )


def _fix(clause: model.LockingClause, names: list[str]) -> Fix | None:
    """OF what may be locked; of an OF list, what of it may be."""
    listed = [relation.relname for relation in clause.node.lockedRels or ()]
    kept = [name for name in listed if name in names] if listed else names
    edits = model.with_names(clause, kept)
    return Fix(SAFE, f"write OF {', '.join(kept)}", edits) if edits else None


RULE = Rule(
    code="PGL703",
    name="lock-on-nullable-side",
    summary="the server refuses a locking clause on the nullable side of an outer join",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
)
