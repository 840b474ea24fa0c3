"""What the planner leaves out of FROM: columns that nobody reads, joins that give nothing."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.flow import has_own_marks, is_simple, row_limit
from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.joins import is_pulled_up, join_tree, named_in
from pglint_locks.model.planner.outer_joins import nullable_items
from pglint_locks.model.planner.predicates import column_parts, conjuncts, equal_sides
from pglint_locks.model.planner.pushdown import plan_level
from pglint_locks.model.queries.constants import UNKNOWN, fold_integer
from pglint_locks.model.queries.functions import is_aggregate, is_set_returning
from pglint_locks.model.queries.query import (
    Clause,
    Column,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants


def unread_item(query: Query) -> RangeItem | None:
    """The FROM sub-SELECT because of which a level around or below is never run.

    Nobody reads the output column that the level is computed for
    (`remove_unused_subquery_outputs`), or the whole join is removed (`join_is_removable`).
    """
    level: Query | None = query
    while level is not None:
        embedding = level.embedding
        if isinstance(embedding, SubLink) and embedding.standing.clause is Clause.TARGET:
            item = embedding.holder.embedding
            if isinstance(item, RangeItem) and not _is_target_read(
                embedding.holder, embedding.node
            ):
                return item
        elif isinstance(embedding, RangeItem) and _is_join_removed(embedding):
            return embedding
        level = level.parent
    return None


def _is_target_read(level: Query, part: ast.Node) -> bool:
    """Whether anything reads the output column of a level that an expression is part of."""
    item = level.embedding
    if (
        not isinstance(item, RangeItem)
        or level.kind is not QueryKind.SELECT
        or item.columns is None
    ):
        return True
    node = level.node
    if node.distinctClause or node.groupClause:
        return True
    if not is_pulled_up(level) and _has_row_marks(plan_level(item.holder)):
        return True  # whole rows are kept to test them again (`preprocess_rowmarks`)
    for place, (name, target) in enumerate(zip(item.columns, node.targetList or (), strict=False)):
        if any(each is part for each in descendants(target)):
            sorts = any(_may_sort_by(key.node, place, target) for key in node.sortClause or ())
            return sorts or _is_read(item, name)
    return True


def _may_sort_by(key: ast.Node, place: int, target: ast.ResTarget) -> bool:
    """Whether a key of ORDER BY may be an output column: by its number, name or expression."""
    number = fold_integer(key) if isinstance(key, ast.A_Const) else UNKNOWN
    if isinstance(number, int):
        return number == place + 1
    parts = column_parts(key)
    return not parts or parts == (target.name,) or parts == column_parts(target.val)


def _has_row_marks(level: Query) -> bool:
    """Whether a level of the plan locks rows, or writes them."""
    if level.is_write or has_own_marks(level):
        return True
    item = level.embedding
    while isinstance(item, RangeItem):
        for clause in getattr(item.holder.node, "lockingClause", None) or ():
            if not clause.lockedRels or any(r.relname == item.refname for r in clause.lockedRels):
                return True
        item = item.holder.embedding
    if isinstance(level.embedding, SubLink) and _is_joined(level, level.embedding):
        return _has_row_marks(plan_level(level.embedding.holder))
    return False


def _is_joined(level: Query, link: SubLink) -> bool:
    """Whether the planner makes a join of IN or EXISTS, and of what the sub-SELECT reads."""
    stands = link.standing
    is_kind = link.kind is SubLinkKind.EXISTS or (
        link.kind is SubLinkKind.ANY and not stands.negated
    )
    return is_kind and stands.conjunct and stands.clause in _CONDITIONS and is_simple(level)


def _is_read(item: RangeItem, column: str) -> bool:
    """Whether an item's column is named at its level or below, or compared by a join."""
    for join in joins(item.holder):
        if item in (*join.left, *join.right) and (join.is_natural or column in join.using):
            return True
    return any(
        reference.parts[-1] in (column, "*", item.refname)
        and _may_mean(item, level, reference)
        and not (level is item.holder and _is_for_nothing(level, reference))
        for level in item.holder.levels()
        for reference in level.columns
    )


def _is_for_nothing(level: Query, reference: Column) -> bool:
    """Whether a column is only handed on, and nobody above reads what it becomes."""
    clause = reference.standing.clause
    if isinstance(level.embedding, SubLink) and level.embedding.kind is SubLinkKind.EXISTS:
        return clause in _DROPPED_BELOW_EXISTS and _is_exists_simplified(level)
    if clause is not Clause.TARGET or "*" in reference.parts:
        return False
    return not any(
        _is_target_read(level, node)
        for target in level.node.targetList or ()
        for node in descendants(target)
        if isinstance(node, ast.ColumnRef)
        and tuple(getattr(part, "sval", "*") for part in node.fields) == reference.parts
    )


_CONDITIONS = frozenset([Clause.WHERE, Clause.ON])
_DROPPED_BELOW_EXISTS = frozenset([Clause.TARGET, Clause.DISTINCT, Clause.GROUP, Clause.ORDER])


def _is_exists_simplified(level: Query) -> bool:
    """Whether a query in EXISTS is left with its FROM and WHERE (`simplify_EXISTS_query`)."""
    node, limit = level.node, row_limit(level)
    return (
        level.kind is QueryKind.SELECT
        and not has_own_marks(level)
        and not node.havingClause
        and node.limitOffset is None
        and (limit is None or (isinstance(limit, int) and limit > 0))
        and not any(cte.query.is_write for cte in level.ctes)
        and not any(call.windowed or is_aggregate(call) for call in level.calls)
        and not any(
            is_set_returning(call) and call.standing.clause is Clause.TARGET for call in level.calls
        )
    )


def _may_mean(item: RangeItem, level: Query, reference: Column) -> bool:
    """Whether a column reference is one to an item; a lone `*` and a join's name are too."""
    if reference.parts == ("*",):
        return level is item.holder
    found = level.resolve(reference.parts)
    if found is None or found.kind is not ItemKind.JOIN:
        return found is item
    join = named_in(join_tree(found.holder), found)
    if join is None or item not in join.items():
        return found.holder is item.holder
    return item in join.column_items(reference.parts[-1])


def _is_join_removed(item: RangeItem) -> bool:
    """Whether a LEFT JOIN to a sub-SELECT of distinct rows gives nothing that is read."""
    if item.query is None or item.columns is None:
        return False
    found = [join for join in joins(item.holder) if item in (*join.left, *join.right)]
    if not found or any(join.is_natural for join in found[1:]):
        return False
    own = found[0]
    # A column that the join has merged is the preserved side's.
    merged = set(own.using) if own.kind is not JoinType.JOIN_FULL else set()
    if any(not set(join.using) <= merged for join in found[1:]):
        return False
    if _nullable_side(own, item) != (item,):
        return False
    held = _columns_held(own, item)
    if not any(keys <= held for keys in _keys(item.query, item.columns)):
        return False
    return not _is_read_above(item, own) and not _has_row_marks(plan_level(item.holder))


def _nullable_side(join: Join, item: RangeItem) -> tuple[RangeItem, ...]:
    """The items that a join extends with NULLs: of a FULL JOIN those of one side, if reduced."""
    if join.kind is not JoinType.JOIN_FULL:
        return join.nullable
    own, other = (join.left, join.right) if item in join.left else (join.right, join.left)
    places = nullable_items([item.holder.root])
    is_reduced = item in places and all(
        places.get(each) != places[item] and (each.query is None or not is_pulled_up(each.query))
        for each in other
    )
    return own if is_reduced else join.nullable


def _is_read_above(item: RangeItem, join: Join) -> bool:
    """Whether anything but a join's own condition names a column of an item."""
    own = descendants(join.condition) if join.condition is not None else ()
    left = [
        tuple(getattr(part, "sval", "*") for part in node.fields)
        for node in own
        if isinstance(node, ast.ColumnRef)
    ]
    for level in item.holder.levels():
        for reference in level.columns:
            if reference.standing.clause is Clause.ON and reference.parts in left:
                left.remove(reference.parts)
            elif _may_mean(item, level, reference) and not (
                level is item.holder and _is_for_nothing(level, reference)
            ):
                return True
    return False


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
    if node.groupClause:
        yield {named(each) for each in node.groupClause}
    elif node.havingClause or any(map(is_aggregate, query.calls)):
        yield set()


def _columns_held(join: Join, item: RangeItem) -> set[str]:
    """The columns of an item that ON or USING holds equal to something."""
    held = set(join.using)
    for node in conjuncts(join.condition):
        for side, _ in equal_sides(node):
            parts = column_parts(side)
            if parts and item.holder.resolve(parts) is item:
                held.add(parts[-1])
    return held
