"""PGL101: a bounded locking sub-SELECT that a write of the same table may run again."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks import model
from pglint_locks.findings import SAFE, Fix, Hazard, Place, Rule, Severity, Subject


def visit(clause: model.LockingClause) -> Iterator[Hazard]:
    """One hazard for each clause: the way by which it does most harm."""
    for rescan in model.rescans(clause):
        statement = clause.statement
        opener = rescan.opener
        limit = statement.limit_words(rescan.limit)
        table = str(rescan.mark.table)
        yield Hazard(
            span=statement.opener(opener)
            if isinstance(opener, model.SubLink)
            else statement.opening_word(rescan.opened),
            severity=Severity.ERROR if rescan.outer.is_write else Severity.NOTE,
            message=_message(rescan, limit, table),
            label="runs once for each row" if rescan.correlated else "may be run again",
            advice=_advice(clause, rescan, limit),
            evidence=model.seen_rescan(clause) or _evidence(rescan),
            table=table,
            places=(Place(clause.span, _each_run(rescan)),),
            by_reader=rescan.outer.view_item is None,
            fix=_fix(clause, rescan),
        )
        return


def _message(rescan: model.Rescan, limit: str, table: str) -> str:
    if not rescan.outer.is_write:
        return (
            f"{limit} may not bound the rows of {table} that this SELECT locks: the planner may "
            "run the locking sub-SELECT more than once, and rows stay locked that are not returned"
        )
    often = (
        f"the sub-SELECT runs once for each row of {table}"
        if rescan.correlated
        else f"the planner may run the locking sub-SELECT once for each row of {table}"
    )
    return (
        f"{limit} does not bound this {rescan.outer.kind.value} of {table}: {often}, and each "
        "run skips the rows already changed and takes others"
    )


def _each_run(rescan: model.Rescan) -> str:
    if rescan.outer.is_write:
        return "each run skips the rows already changed and locks others"
    return "each run may lock other rows"


def _advice(clause: model.LockingClause, rescan: model.Rescan, limit: str) -> str:
    opener = rescan.opener
    if rescan.correlated:
        return (
            "pick the rows once, in a WITH … AS MATERIALIZED query that does not refer to "
            f"{rescan.mark.table} outside it, and join to that"
        )
    column = clause.statement.tested_column(opener) if isinstance(opener, model.SubLink) else None
    if column is not None and rescan.limit is clause.query and rescan.opened is clause.query:
        words = clause.statement.words(clause.span)
        return f"write {column} = ANY(ARRAY(SELECT … {limit} {words})): it runs once"
    if model.fits_array(rescan):
        return "write = ANY(ARRAY(SELECT …)) round the sub-SELECT: it runs once"
    moved = "move the locking sub-SELECT into a WITH … AS MATERIALIZED query of its own"
    return f"{moved} and join to that on the key: it runs once"


def _fix(clause: model.LockingClause, rescan: model.Rescan) -> Fix | None:
    edits = model.run_once(clause.statement, rescan)
    return Fix(SAFE, "have the locking sub-SELECT run once", edits) if edits else None


def _evidence(rescan: model.Rescan) -> str | None:
    if not rescan.outer.is_write:
        return None
    if rescan.correlated:
        return "500 of 500 rows changed, whatever the plan, PostgreSQL 15 and 18"
    return "300 rows changed for LIMIT 10 with default settings, PostgreSQL 15 and 18"


RULE = Rule(
    code="PGL101",
    name="rescanned-locking-subquery",
    summary="a write may run its bounded locking sub-SELECT again, so that LIMIT does not bind",
    severities=(Severity.ERROR, Severity.NOTE),
    subject=Subject.CLAUSE,
    visit=visit,
)
