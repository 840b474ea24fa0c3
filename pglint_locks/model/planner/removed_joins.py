"""Outer joins that the planner removes (`join_is_removable`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.equalities import Pair, equalities, pairs_of_join
from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.joins import Branch, join_tree, named_in
from pglint_locks.model.planner.outer_joins import reduced
from pglint_locks.model.planner.plan_levels import is_pulled_up, plan_level
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.planner.reads import has_row_marks, is_read
from pglint_locks.model.planner.sub_links import becomes_join, parts_of
from pglint_locks.model.queries.functions import is_aggregate, is_set_returning
from pglint_locks.model.queries.query import Clause, ItemKind, Query, QueryKind, RangeItem


@lru_cache(maxsize=1024)
def is_join_removed(item: RangeItem) -> bool:
    """Whether an outer join to a sub-SELECT of distinct rows gives nothing that is read."""
    if item.query is None or item.columns is None or is_pulled_up(item.query):
        return False
    join = _join_to(item)
    if join is None or _holds_join(join):
        return False
    keys = list(_keys(item.query, item.columns))
    if not keys or has_row_marks(plan_level(item.holder)):
        return False
    held = set(_columns_held(join, item))
    return any(key <= held for key in keys) and not is_read(
        item, None, (join, *_removed_beside(join, item))
    )


def _join_to(item: RangeItem) -> Join | None:
    """The outer join that extends an item alone with NULLs, as it is reduced.

    Alone but for what is removed itself.
    """
    while True:
        level = item.holder
        for join in joins(level):
            if item in join.left or item in join.right:
                kept, extended = _sides(join)
                if item in extended:
                    others = [each for each in extended if each is not item]
                    return join if _are_removed(others) else None
                if item not in kept or not _are_removed(extended):
                    return None
        if not (isinstance(level.embedding, RangeItem) and is_pulled_up(level)):
            return None
        # All that JOIN puts beside it is removed.
        if len(join_tree(level).children) > 1 or any(map(becomes_join, level.sub_links)):
            return None
        item = level.embedding


def _sides(join: Join) -> tuple[Sequence[RangeItem], Sequence[RangeItem]]:
    """The side of which an outer join, as it is reduced, keeps all rows, and the other one."""
    match reduced(join.item.holder.root).kinds.get(join.item):
        case JoinType.JOIN_LEFT:
            return join.left, join.right
        case JoinType.JOIN_RIGHT:
            return join.right, join.left
    return (), ()


def _are_removed(items: Sequence[RangeItem]) -> bool:
    return all(each.kind is ItemKind.JOIN or is_join_removed(each) for each in items)


def _removed_beside(join: Join, item: RangeItem) -> Iterator[Join]:
    """The joins of a level that are removed together with what they read of an item."""
    for other in joins(item.holder):
        kept, extended = _sides(other)
        if other.item is not join.item and item in kept and _are_removed(extended):
            yield other


def _holds_join(join: Join) -> bool:
    """Whether a sub-SELECT in ON is joined itself, so that more than one item is extended."""
    return any(
        becomes_join(link)
        for link in join.item.holder.sub_links
        if any(link.node is part for part in parts_of(join.condition))
    )


def _columns_held(join: Join, item: RangeItem) -> Iterator[str]:
    """The columns of an item that a join holds equal to something on its other side.

    Where that is a constant, the column is compared with it instead, and the join no longer
    does it (`reconsider_outer_join_clauses`).
    """
    level = join.item.holder
    tree = named_in(join_tree(level), join.item)
    if not isinstance(tree, Branch):
        return
    classes = equalities(level)
    for pair in pairs_of_join(tree, classes.levels):
        for member in pair:
            others = pair - {member}
            leaves = frozenset().union(*(other.leaves for other in others))
            is_held = member.leaves == {item} and leaves and item not in leaves
            if is_held and not _may_be_constant(others, join):
                yield str(member.key)


def _may_be_constant(members: Pair, join: Join) -> bool:
    """Whether one of some members may be a constant, whatever the join itself compares."""
    level = join.item.holder
    return any(
        equalities(level).may_be_constant(member)
        and equalities(level, besides=join.item).may_be_constant(member)
        for member in members
    )


def _keys(query: Query, columns: tuple[str, ...]) -> Iterator[set[str | None]]:
    """Sets of output columns in which no two rows of a level agree (`query_is_distinct_for`).

    None stands for an expression that is no output column.
    """
    node = query.node
    if query.kind is QueryKind.SET_OPERATION:
        if not node.all:
            yield set(columns)
        return
    targets = dict(zip(columns, (each.val for each in node.targetList or ()), strict=False))

    def named(expression: ast.Node) -> str | None:
        parts = column_parts(expression)
        same = (name for name, value in targets.items() if column_parts(value) == parts)
        return next(same, None) if parts else None

    if node.distinctClause:
        on = [each for each in node.distinctClause if each is not None]
        yield {named(each) for each in on} if on else set(columns)
    if any(is_set_returning(c) and c.standing.clause is Clause.TARGET for c in query.calls):
        return
    if node.groupClause:
        yield {named(each) for each in node.groupClause}
    elif node.havingClause or any(map(is_aggregate, query.calls)):
        yield set()
