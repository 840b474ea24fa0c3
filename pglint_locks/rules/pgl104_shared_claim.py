"""PGL104: a claim under a shared lock, which keeps nobody else from the same rows."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import UNSAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause that skips locked rows, takes n of them, and shares them."""
    if clause.wait_policy is not model.WaitPolicy.SKIP_LOCKED:
        return
    upgrades = list(model.lock_upgrades(clause))
    for mark in clause.marks:
        limiting = model.limiting_level(mark)
        if (
            limiting is None
            or mark.strength.is_exclusive
            or mark.wait_policy is not model.WaitPolicy.SKIP_LOCKED
            or model.is_by_key(mark.item)
            or any(upgrade.mark is mark for upgrade in upgrades)  # then PGL302 speaks
        ):
            continue
        limit = clause.statement.limit_clause(limiting)
        yield Hazard(
            span=clause.span,
            severity=Severity.ERROR,
            message=(
                f"{mark.strength} SKIP LOCKED does not claim rows of {mark.table}: shared locks do "
                "not exclude each other, so two sessions get the same "
                f"{clause.statement.words(limit)} rows"
            ),
            label="shared with every other claim",
            advice="write FOR NO KEY UPDATE SKIP LOCKED",
            evidence="4 workers, 12 jobs: 48 claims, 36 of them double",
            table=str(mark.table),
            places=(Place(limit, "the same rows for everybody"),),
            fix=_fix(clause),
        )
        return


def _fix(clause: model.LockingClause) -> Fix | None:
    edits = model.with_strength(clause, model.Strength.FOR_NO_KEY_UPDATE)
    return Fix(UNSAFE, "write FOR NO KEY UPDATE", edits) if edits else None


RULE = Rule(
    code="PGL104",
    name="shared-claim",
    summary="a claim under FOR SHARE or FOR KEY SHARE SKIP LOCKED gives two sessions the same rows",
    severities=(Severity.ERROR,),
    subject=Subject.CLAUSE,
    visit=visit,
    about_others=True,
)
