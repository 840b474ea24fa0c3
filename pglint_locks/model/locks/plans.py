"""What a server's plan shows of a locking clause: its LockRows, what runs that, what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.locks.execution import is_run
from pglint_locks.model.locks.rescans import rescans
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, WaitPolicy
from pglint_locks.model.planner.flow import is_bounded, locking_level
from pglint_locks.model.planner.predicates import is_by_key
from pglint_locks.model.queries.query import Query
from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.plans import Lock, PlanNode, Rescan, locks_of


def lacks_lock(clause: LockingClause) -> bool:
    """Whether the plan locks no row for a clause that by its text locks some.

    Of a table that goes by another name in the plan, as partitions do, that is known only
    where there is no LockRows at all.
    """
    plan = clause.statement.plan
    if plan is None or not clause.marks or clause.refusal is not None or not is_run(clause):
        return False
    locks = locks_of(plan)
    if not locks:
        return True
    names = {name for mark in clause.marks for name in _names(mark, clause)}
    read = {node.relation for node in plan.nodes()}
    return not names.isdisjoint(read) and all(names.isdisjoint(each.tables) for each in locks)


def locks_in_plan(clause: LockingClause) -> tuple[Lock, ...]:
    """The LockRows nodes of the plan that may be those of a clause."""
    plan = clause.statement.plan
    if plan is None or not clause.marks:
        return ()
    locks = locks_of(plan)
    names = {name for mark in clause.marks for name in _names(mark, clause)}
    named = tuple(each for each in locks if not names.isdisjoint(each.tables))
    return named or (locks if len(locks) == 1 else ())


def plan_rescan(clause: LockingClause) -> Rescan | None:
    """What in the plan runs a clause's bounded lock again for each row of something else.

    Not what depends on that row: then one run for each is what was asked for.
    """
    locks = locks_in_plan(clause)
    found = [each.rescan for each in locks]
    if not found or any(each is None or not each.is_bounded for each in found):
        return None
    return None if any(_is_correlated(level) for level in _levels(clause)) else found[0]


class PlanRescan(NamedTuple):
    """That the plan runs a locking sub-SELECT again; `writes`: the statement writes its table.

    `limit` is the level whose LIMIT bounds one run.
    """

    rescan: Rescan
    mark: RowMark
    limit: Query
    writes: bool


def unforeseen_rescan(clause: LockingClause) -> PlanRescan | None:
    """A rescan in the plan that does harm, where the text alone does not show it.

    Each run skips what the statement has changed already, or what others have come to lock.
    """
    found = plan_rescan(clause)
    if found is None or any(rescans(clause)) or _is_for_one_row(clause):
        return None
    tables = {name for mark in clause.marks for name in _names(mark, clause)}
    for lock in locks_in_plan(clause):
        tables |= lock.tables
    writes = not tables.isdisjoint(found.written)
    mark = clause.marks[0]
    limit = next((level for level in _levels(clause) if is_bounded(level)), None)
    if limit is None or not (writes or mark.wait_policy is WaitPolicy.SKIP_LOCKED):
        return None
    return PlanRescan(found, mark, limit, writes)


def _is_for_one_row(clause: LockingClause) -> bool:
    """Whether the level around a clause's reads one row of each of its tables, by its key."""
    above = clause.query.parent
    if above is None:
        return False
    items = [*above.items, *([above.target] if above.target is not None else [])]
    others = [item for item in items if item is not clause.query.embedding]
    return bool(others) and all(is_by_key(item) for item in others)


class PlanScan(NamedTuple):
    """A sequential scan that a claim's plan makes; `is_sorted`: all of it, each time."""

    scan: PlanNode
    mark: RowMark
    is_sorted: bool


def scan_of_claim(clause: LockingClause) -> PlanScan | None:
    """The costliest sequential scan with a filter below a clause's lock, if a LIMIT bounds it."""
    levels = {locking_level(mark.level) for mark in clause.marks}
    if not levels or not all(is_bounded(level) for level in levels):
        return None
    found = [
        PlanScan(scan, clause.marks[0], lock.is_sorted)
        for lock in locks_in_plan(clause)
        for scan in lock.scans()
        if scan.kind == "Seq Scan" and scan.has_filter
    ]
    return max(found, key=lambda each: each.scan.cost, default=None)


def _is_correlated(level: Query) -> bool:
    above = level.parent
    return above is not None and level.reads_from(above)


def _levels(clause: LockingClause) -> Iterator[Query]:
    """The level of a clause and those around it."""
    level: Query | None = clause.query
    while level is not None:
        yield level
        level = level.parent


def _names(mark: RowMark, clause: LockingClause) -> Iterator[str]:
    """What a mark's table is called in a plan: by its own name, or those of its partitions."""
    yield mark.table.name
    relation = mark.item.relation
    if relation is not None:
        for below in _descendants(relation, clause.statement.known.catalog):
            yield below.name.name


def _descendants(relation: Relation, catalog: Catalog) -> Iterator[Relation]:
    for each in catalog.relations.values():
        if relation.name in each.parents:
            yield each
            yield from _descendants(each, catalog)


# --- what findings say of it ------------------------------------------------------


def seen_without_lock(clause: LockingClause) -> str | None:
    """That the plan locks nothing, where that is so."""
    plan = clause.statement.plan
    if plan is None or locks_of(plan):
        return None
    return "no table stands below a LockRows of this server's plan"


def seen_rescan(clause: LockingClause) -> str | None:
    """What runs the clause's lock again in the plan, if something does."""
    found = plan_rescan(clause)
    if found is None:
        return None
    how = "on the inner side of a Nested Loop" if found.is_loop else "in a SubPlan"
    return f"this server's plan has it {how}, with nothing that keeps its rows"


def seen_scan(clause: LockingClause) -> str | None:
    """That the plan reads a table sequentially for the clause's claim, if it does."""
    found = scan_of_claim(clause)
    return found and f"this server's plan has a Seq Scan on {found.scan.relation} for it"
