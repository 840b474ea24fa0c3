"""Whether anything reads an output column of a FROM sub-SELECT.

Mirrors `remove_unused_subquery_outputs`, with what else the plan keeps of a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.flow import has_own_marks
from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.joins import Branch, JoinTree, join_tree, named_in
from pglint_locks.model.planner.plan_levels import (
    is_flattened,
    is_flattened_union,
    is_pulled_up,
    plan_level,
)
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.planner.sub_links import columns_named, is_simplified, parts_of
from pglint_locks.model.queries.constants import UNKNOWN, fold_integer
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

Joins = Sequence[Join]

_DROPPED_BELOW_EXISTS = frozenset([Clause.TARGET, Clause.DISTINCT, Clause.GROUP, Clause.ORDER])


def item_given_by(level: Query) -> RangeItem | None:
    """The FROM item whose rows a level gives: of a UNION ALL each arm does."""
    while level.is_arm and level.parent is not None and is_flattened_union(level.parent):
        level = level.parent
    return level.embedding if isinstance(level.embedding, RangeItem) else None


def is_target_read(level: Query, part: ast.Node, besides: Joins = ()) -> bool:
    """Whether anything reads the output column of a level that an expression is part of.

    What the conditions of the joins `besides` read does not count.
    """
    item = item_given_by(level)
    if item is None or level.kind is not QueryKind.SELECT or item.columns is None:
        return True
    node = level.node
    if node.distinctClause:
        return True
    is_kept_whole = level.is_arm or not is_pulled_up(level)
    if is_kept_whole and has_row_marks(plan_level(item.holder)):
        return True  # whole rows are kept to test them again (`preprocess_rowmarks`)
    keys = [each.node for each in node.sortClause or ()] + list(node.groupClause or ())
    for place, (name, target) in enumerate(zip(item.columns, node.targetList or (), strict=False)):
        if any(each is part for each in descendants(target)):
            sorts = any(_may_sort_by(key, place, target) for key in keys)
            return sorts or is_read(item, name, besides)
    return True


def _may_sort_by(key: ast.Node, place: int, target: ast.ResTarget) -> bool:
    """Whether a key may be an output column: by its number, name or expression."""
    number = fold_integer(key) if isinstance(key, ast.A_Const) else UNKNOWN
    if isinstance(number, int):
        return number == place + 1
    parts = column_parts(key)
    return not parts or parts == (target.name,) or parts == column_parts(target.val)


def has_row_marks(level: Query) -> bool:
    """Whether a level of the plan locks rows, or writes them."""
    if level.is_write or has_own_marks(level):
        return True
    item = level.embedding
    while isinstance(item, RangeItem):
        for clause in getattr(item.holder.node, "lockingClause", None) or ():
            if not clause.lockedRels or any(r.relname == item.refname for r in clause.lockedRels):
                return True
        item = item.holder.embedding
    if isinstance(level.embedding, SubLink) and is_flattened(level.embedding):
        return has_row_marks(plan_level(level.embedding.holder))
    return False


def is_read(item: RangeItem, column: str | None, besides: Joins = ()) -> bool:
    """Whether a column of an item, or any with None, is named at its level or below.

    Or compared by another join than `besides`, whose conditions do not count.
    """
    if _is_compared(item, column, besides):
        return True
    for level in item.holder.levels():
        if any(_goes_with(level, join) for join in besides):
            continue
        here = (join for join in besides if join.item.holder is level)
        own = [parts for join in here for parts in columns_named(join.condition)]
        for reference in level.columns:
            if reference.standing.clause is Clause.ON and reference.parts in own:
                own.remove(reference.parts)
            elif (
                (column is None or reference.parts[-1] in (column, "*", item.refname))
                and _may_mean(item, level, reference)
                and not (level is item.holder and is_for_nothing(level, reference, besides))
            ):
                return True
    return False


def _is_compared(item: RangeItem, column: str | None, besides: Joins) -> bool:
    """Whether USING or NATURAL compares a column of an item."""
    columns = item.columns if column is None else (column,)
    tree = join_tree(item.holder)
    for join in joins(item.holder):
        if item in (*join.left, *join.right) and not any(
            join.item is each.item for each in besides
        ):
            if join.is_natural or (columns is None and join.using):
                return True
            part = named_in(tree, join.item)
            if isinstance(part, Branch) and any(
                item in _items_of(side, each)
                for each in set(join.using) & set(columns or ())
                for side in (part.left, part.right)
            ):
                return True
    return False


def _items_of(tree: JoinTree, column: str) -> Iterator[RangeItem | None]:
    """The items that a column of a part of FROM may be of; one of USING is the kept side's."""
    if not isinstance(tree, Branch):
        yield tree.item
        return
    merged = tree.using is not None and column in tree.using
    if not (merged and tree.kind is JoinType.JOIN_RIGHT):
        yield from _items_of(tree.left, column)
    if not merged or tree.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
        yield from _items_of(tree.right, column)


def _goes_with(level: Query, join: Join) -> bool:
    """Whether a level stands in a join's condition, or in what it extends with NULLs."""
    extended = join.nullable if join.kind is not JoinType.JOIN_FULL else ()
    around: Query | None = level
    while around is not None and around is not join.item.holder:
        match around.embedding:
            case RangeItem(holder=join.item.holder) as item if item in extended:
                return True
            case SubLink(holder=join.item.holder, node=link):
                return any(node is link for node in parts_of(join.condition))
        around = around.parent
    return False


def _parts(column: ast.ColumnRef) -> tuple[str, ...]:
    return tuple(getattr(part, "sval", "*") for part in column.fields)


def is_for_nothing(level: Query, reference: Column, besides: Joins = ()) -> bool:
    """Whether a column is only handed on, and nobody above reads what it becomes."""
    clause = reference.standing.clause
    if isinstance(level.embedding, SubLink) and level.embedding.kind is SubLinkKind.EXISTS:
        return clause in _DROPPED_BELOW_EXISTS and is_simplified(level)
    if clause is not Clause.TARGET or "*" in reference.parts:
        return False
    return not any(
        is_target_read(level, node, besides)
        for target in level.node.targetList or ()
        for node in descendants(target)
        if isinstance(node, ast.ColumnRef) and _parts(node) == reference.parts
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
