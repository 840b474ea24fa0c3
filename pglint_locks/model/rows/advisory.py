"""Advisory locks taken for rows that the query does not return."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pglast.enums import CTEMaterialize

from pglint_locks.model.locks.rowcounts import is_single, items_named_in
from pglint_locks.model.locks.sorting import is_key_order, sort_expressions
from pglint_locks.model.planner.flow import is_bounded, levels_below, reads_whole_input, skips_rows
from pglint_locks.model.planner.predicates import conjuncts
from pglint_locks.model.queries.query import (
    Call,
    Clause,
    Cte,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
)
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.names import TableName

_FUNCTIONS = frozenset(
    f"pg_{how}advisory_{scope}lock{mode}"
    for how in ("", "try_")
    for scope in ("", "xact_")
    for mode in ("", "_shared")
)


class StrayReason(Enum):
    """Why the call runs for rows that do not come out."""

    CONDITION = "condition"
    JOIN = "join"
    SORT = "sort"
    OFFSET = "offset"
    DISTINCT = "distinct"
    ORDER_KEY = "order key"


class StrayLock(NamedTuple):
    """A call of an advisory-lock function for more rows than its level gives."""

    call: Call
    level: Query
    reason: StrayReason

    @property
    def table(self) -> TableName | None:
        """The first table that the level's rows come from."""
        items = (item for level in levels_below(self.level) for item in level.named_items())
        return next((item.table for item in items if item.table is not None), None)


def is_advisory_lock(call: Call) -> bool:
    """Whether a call takes an advisory lock."""
    return call.is_system and call.name in _FUNCTIONS


def waits_for_advisory_lock(call: Call) -> bool:
    """Whether a call waits until an advisory lock is free."""
    return is_advisory_lock(call) and "_try_" not in call.name


def calls_advisory_lock(statement: Statement) -> bool:
    """Whether a statement takes an advisory lock anywhere."""
    return any(is_advisory_lock(call) for level in statement.levels for call in level.calls)


def stray_locks(statement: Statement) -> Iterator[StrayLock]:
    """The calls that take locks for rows which are not returned, in the order of the text."""
    found = [
        StrayLock(call, level, reason)
        for level in statement.levels
        for call in level.calls
        if is_advisory_lock(call) and (reason := _reason(call, level)) is not None
    ]
    yield from sorted(found, key=lambda stray: stray.call.location)


def _reason(call: Call, level: Query) -> StrayReason | None:
    items = items_named_in(call.node, level)
    if not items or all(is_single(item) for item in items):
        return None  # one key at most, whichever row it is computed for
    match call.standing.clause:
        case Clause.ORDER:
            return StrayReason.ORDER_KEY
        case Clause.TARGET if level.kind is QueryKind.SELECT:
            return _reason_in_target_list(level)
        case Clause.WHERE | Clause.ON:
            reason = _reason_in_where(level, items)
            # CASE and OR put the conditions in order, but a sort still comes after them.
            if call.standing.conjunct or reason is StrayReason.SORT:
                return reason
    return None


def _reason_in_target_list(level: Query) -> StrayReason | None:
    """The target list is computed after sorting, but before OFFSET and DISTINCT."""
    if level.node.groupClause:
        return None
    if level.node.distinctClause:
        return StrayReason.DISTINCT
    return StrayReason.OFFSET if skips_rows(level) else None


def _reason_in_where(level: Query, items: list[RangeItem]) -> StrayReason | None:
    """WHERE is computed before sorting, and its conditions in the order the planner likes.

    Rows that a LIMIT or a MATERIALIZED query has picked before are all there is to lock.
    """
    merged = list(_merged_levels(level))
    is_picked = not any(item.kind is ItemKind.TABLE or _is_pulled_up(item) for item in items)
    conditions = [
        condition
        for each in merged
        for condition in conjuncts(getattr(each.node, "whereClause", None))
    ]
    if is_bounded(level) and any(_sorts(each) for each in merged):
        return StrayReason.SORT
    if len(conditions) > 1 and not is_picked:
        return StrayReason.CONDITION
    if not is_bounded(level):
        return None
    joined = any(sum(item.kind is not ItemKind.JOIN for item in each.items) > 1 for each in merged)
    return StrayReason.JOIN if joined and not is_picked else None


def _merged_levels(level: Query) -> Iterator[Query]:
    """A level and the FROM sub-SELECTs and WITH queries that it is planned together with."""
    yield level
    for item in level.items:
        if _is_pulled_up(item):
            query = item.cte.query if item.cte is not None else item.query
            assert query is not None
            yield from _merged_levels(query)


def _is_pulled_up(item: RangeItem) -> bool:
    """Whether conditions outside an item are computed inside it.

    LIMIT and OFFSET (0, too) keep them out, and so do MATERIALIZED, a second reference,
    grouping, a locking clause.  A sort keeps nothing out.
    """
    query = item.query
    if item.cte is not None:
        query = item.cte.query
        if not _is_inlined(item.cte):
            return False
    if query is None or query.kind is not QueryKind.SELECT:
        return False
    node = query.node
    if node.limitCount is not None or node.limitOffset is not None:
        return False
    if node.lockingClause and item.cte is not None:
        return False
    return not (node.distinctClause or node.groupClause or query.ctes) and not (
        reads_whole_input(query) and not node.sortClause
    )


def _is_inlined(cte: Cte) -> bool:
    for node in cte.holder.node.withClause.ctes:
        if node.location == cte.location:
            if node.ctematerialized == CTEMaterialize.CTEMaterializeAlways:
                return False
            never = node.ctematerialized == CTEMaterialize.CTEMaterializeNever
            return never or len(cte.references) == 1
    return False


def _sorts(level: Query) -> bool:
    """Whether a level sorts by more than what an index on its key gives."""
    keys = list(sort_expressions(level))
    return bool(keys) and not is_key_order(keys[0], level)
