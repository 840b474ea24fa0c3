"""What the planner leaves out because nobody reads it: columns, joins, the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks.model.planner.joins import join_tree, lone_leaf
from pglint_locks.model.planner.plan_levels import is_flattened_union, plan_level
from pglint_locks.model.planner.reads import is_target_read, item_given_by
from pglint_locks.model.planner.removed_joins import is_join_removed
from pglint_locks.model.queries.functions import is_aggregate
from pglint_locks.model.queries.query import (
    Clause,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    Standing,
    SubLink,
)


def unread_item(query: Query) -> RangeItem | None:
    """The FROM sub-SELECT because of which a level around or below is never run.

    It is left out of the plan, or aggregates are not computed, so that no row is tested.
    """
    for level in _levels_around(query):
        item = _left_out_with(level)
        if item is not None:
            return item
        reader = _reader(level)
        if reader is not None and _has_unread_aggregates(reader):
            return item_given_by(reader)
    return None


def is_left_out(query: Query) -> bool:
    """Whether a level is no part of the plan, because nobody reads what it gives."""
    return any(_left_out_with(level) is not None for level in _levels_around(query))


def _levels_around(query: Query) -> Iterator[Query]:
    level: Query | None = query
    while level is not None:
        yield level
        level = level.parent


def _left_out_with(level: Query) -> RangeItem | None:
    """The FROM sub-SELECT of which a level is an unread column, or the whole.

    The whole where its join is removed.
    """
    embedding = level.embedding
    if isinstance(embedding, RangeItem):
        return embedding if is_join_removed(embedding) else None
    is_column = isinstance(embedding, SubLink) and embedding.standing.clause is Clause.TARGET
    if isinstance(embedding, SubLink) and is_column:
        is_read = is_target_read(embedding.holder, embedding.node)
        return None if is_read else item_given_by(embedding.holder)
    return None


def _reader(level: Query) -> Query | None:
    """The level of the plan that reads a level's rows, or tests its own with them."""
    match level.embedding:
        case RangeItem(holder=holder):
            return plan_level(holder)
        case SubLink(holder=holder, standing=Standing(clause=Clause.WHERE)):
            return plan_level(holder)
    return None


def _has_unread_aggregates(level: Query) -> bool:
    """Whether a level reads one table for aggregates alone, none of which is read.

    Then its rows are not looked at (`preprocess_minmax_aggregates`).
    """
    return (
        level.kind is QueryKind.SELECT
        and item_given_by(level) is not None
        and not level.node.groupClause
        and not level.ctes
        and any(map(is_aggregate, level.calls))
        and not any(call.windowed for call in level.calls)
        and _reads_one_table(level)
        and not any(
            is_aggregate(call) and call.standing.clause is not Clause.TARGET for call in level.calls
        )
        and not any(
            is_target_read(level, call.node)
            for call in level.calls
            if call.standing.clause is Clause.TARGET
        )
    )


def _reads_one_table(level: Query) -> bool:
    """Whether FROM is one table, or a UNION ALL that is read like the parts of one."""
    leaf = lone_leaf(join_tree(level))
    if leaf is None:
        return False
    query = leaf.item.query
    return leaf.item.kind is ItemKind.TABLE or (query is not None and is_flattened_union(query))
