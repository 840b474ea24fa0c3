"""PGL302: a shared lock on rows that the same transaction then changes."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import SAFE, UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause, for the first step that needs more than the shared lock."""
    upgrades = list(model.lock_upgrades(clause))
    if not upgrades:
        return
    first = upgrades[0]
    table = str(first.mark.table)
    needed = max(upgrade.needs for upgrade in upgrades)
    yield Hazard(
        span=clause.span,
        severity=Severity.ERROR,
        message=(
            f"two sessions that hold {first.mark.strength} on one row of {table} deadlock: "
            f"the {first.by} that follows makes each wait for the other's shared lock"
        ),
        label="shared with others, but changed later",
        advice=f"write {needed}: the second session waits here, and goes on when the first ends",
        evidence="each of 60 races ended in a deadlock (40P01), none with FOR NO KEY UPDATE",
        table=table,
        places=tuple(
            Place(upgrade.span, f"needs {upgrade.needs} on the same rows")
            for upgrade in upgrades
            if not upgrade.same_statement
        ),
        fix=_fix(clause, needed),
    )


def _fix(clause: model.LockingClause, needed: model.Strength) -> Fix | None:
    """Safe where the clause locks no other table, which it would lock as strongly."""
    edits = model.with_strength(clause, needed)
    applicability = SAFE if len(clause.marks) == 1 else UNSAFE
    return Fix(applicability, f"write {needed}", edits) if edits else None


RULE = Rule(
    code="PGL302",
    name="share-then-write",
    summary="a shared lock on rows that the same transaction goes on to change",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
)
