"""Outer joins that the planner removes (`join_is_removable`)."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.equalities import equalities, pairs_of
from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.outer_joins import reduced
from pglint_locks.model.planner.plan_levels import is_pulled_up, plan_level
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.planner.reads import has_row_marks, is_read
from pglint_locks.model.planner.sub_links import becomes_join, parts_of
from pglint_locks.model.queries.functions import is_aggregate, is_set_returning
from pglint_locks.model.queries.query import Clause, Query, QueryKind, RangeItem


def is_join_removed(item: RangeItem) -> bool:
    """Whether an outer join to a sub-SELECT of distinct rows gives nothing that is read."""
    if item.query is None or item.columns is None or is_pulled_up(item.query):
        return False
    join = _join_to(item)
    if join is None or _holds_join(join):
        return False
    held = set(_columns_held(join, item))
    return (
        any(keys <= held for keys in _keys(item.query, item.columns))
        and not is_read(item, None, join)
        and not has_row_marks(plan_level(item.holder))
    )


def _join_to(item: RangeItem) -> Join | None:
    """The outer join that extends an item alone with NULLs, as it is reduced."""
    while not (found := [join for join in joins(item.holder) if item in (*join.left, *join.right)]):
        level = item.holder
        is_alone = len(level.items) == 1 and not any(map(becomes_join, level.sub_links))
        if not (is_alone and is_pulled_up(level) and isinstance(level.embedding, RangeItem)):
            return None
        item = level.embedding
    join = found[0]
    match reduced(item.holder.root).kinds.get(join.item):
        case JoinType.JOIN_LEFT:
            return join if join.right == (item,) else None
        case JoinType.JOIN_RIGHT:
            return join if join.left == (item,) else None
    return None


def _holds_join(join: Join) -> bool:
    """Whether a sub-SELECT in ON is joined itself, so that more than one item is extended."""
    return any(
        becomes_join(link)
        for link in join.item.holder.sub_links
        if any(link.node is part for part in parts_of(join.condition))
    )


def _columns_held(join: Join, item: RangeItem) -> Iterator[str | None]:
    """The columns of an item that a join holds equal to something on its other side."""
    yield from join.using
    scope = join.item.holder
    for pair in pairs_of(join.condition, scope, equalities(scope).levels):
        for member in pair:
            others = frozenset().union(*(other.leaves for other in pair - {member}))
            if member.leaves == {item} and others and item not in others:
                yield str(member.key)


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
