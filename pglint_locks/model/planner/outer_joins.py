"""Which tables stand on the nullable side of an outer join when the plan is made.

Mirrors `reduce_outer_joins`: an outer join becomes an inner one where a condition above
it cannot do without its nullable side.  What `strictness` can only guess counts as
strict, so an outer join that is left here is one for certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.joins import (
    Branch,
    JoinTree,
    Leaf,
    Product,
    is_fenced,
    is_pulled_up,
    join_tree,
)
from pglint_locks.model.planner.predicates import column_parts, items_named
from pglint_locks.model.planner.pushdown import (
    at_plan_level,
    equal_columns,
    may_equal_constant,
    plan_level,
)
from pglint_locks.model.planner.strictness import needed_items, strict_items
from pglint_locks.model.queries.query import ItemKind, Query, RangeItem, SubLink, SubLinkKind
from pglint_locks.sql.walk import descendants

_Step = tuple[JoinTree, frozenset[RangeItem]]
_NONE: frozenset[RangeItem] = frozenset()


def nullable_items(queries: Iterable[Query]) -> dict[RangeItem, int]:
    """The range items that an outer join of the plan may extend with NULLs.

    Each with the place of the first such join, in the order in which `deconstruct_jointree`
    comes to the joins of a level: inner ones first.
    A FROM sub-SELECT that the planner pulls up stands there with its own items.
    """
    levels = [level for query in queries for level in query.levels()]
    if not any(_has_outer_join(level) for level in levels):
        return {}
    nullable: dict[RangeItem, int] = {}
    places = count(0, -1)
    stack: list[_Step] = [
        (join_tree(level), _compared(level))
        for level in levels
        if not isinstance(level.embedding, RangeItem)
    ]
    while stack:
        tree, needed = stack.pop()
        match tree:
            case Leaf():
                stack += _into_sub_select(tree.item, needed)
            case Product():
                needed |= needed_items(tree.condition, tree.query)
                stack += [(child, needed) for child in tree.children]
            case Branch():
                stack += _into_join(tree, needed, nullable, next(places))
    return {item: place for item, place in nullable.items() if not _is_no_relation(item)}


def _is_no_relation(item: RangeItem) -> bool:
    """Whether it is a VALUES list or a SELECT without FROM, of which the plan has no mark."""
    return item.query is not None and is_pulled_up(item.query)


def _has_outer_join(query: Query) -> bool:
    stack: list[ast.Node] = list(getattr(query.node, "fromClause", None) or ())
    stack += getattr(query.node, "usingClause", None) or ()
    while stack:
        node = stack.pop()
        if isinstance(node, ast.JoinExpr):
            if node.jointype != JoinType.JOIN_INNER:
                return True
            stack += [node.larg, node.rarg]
    return False


def _compared(level: Query) -> frozenset[RangeItem]:
    """What a sub-SELECT of IN cannot do without once it is joined to the level around it.

    An equality with a constant is carried on into it, as is one between two of its columns.
    """
    link = level.embedding
    if not isinstance(link, SubLink) or link.kind is not SubLinkKind.ANY or is_fenced(level):
        return _NONE
    if not _may_be_joined(link):
        return _NONE
    expressions = getattr(link.node.testexpr, "args", None) or (link.node.testexpr,)
    tested = [parts for each in expressions if (parts := column_parts(each))]
    around = plan_level(link.holder)
    are_equal = len(set(tested)) < len(tested) or (
        len(tested) > 1
        and any(len(same.intersection(tested)) > 1 for same in equal_columns(around))
    )
    from_outside = any(_is_from_outside(each, link.holder) for each in expressions)
    is_constant = from_outside or may_equal_constant(around)
    if not are_equal and not is_constant:
        return _NONE
    strict = [strict_items(target.val, level) for target in level.node.targetList or ()]
    found, own = _NONE.union(*strict), plan_level(level)
    leaves = {
        frozenset(item for item in items if plan_level(item.holder) is own) for items in strict
    }
    if is_constant or len(leaves) < 2:
        return found
    # Columns of two items that are equal are a join's condition, which is not pushed down.
    return _NONE.union(*leaves)


def _is_from_outside(expression: ast.Node, scope: Query) -> bool:
    """Whether an expression names no column of the plan's level: to that it is a constant."""
    own = plan_level(scope)
    items = items_named(expression, scope)
    return not any(plan_level(item.holder) is own for item in items)


def _may_be_joined(link: SubLink) -> bool:
    """Whether IN may become a join (`pull_up_sublinks_qual_recurse`).

    In the ON of an outer join it must test columns of the nullable side alone.
    """
    for join in joins(link.holder):
        if join.condition is None or join.kind is JoinType.JOIN_INNER:
            continue
        if any(node is link.node for node in (join.condition, *descendants(join.condition))):
            tested = items_named(link.node.testexpr, link.holder)
            return join.kind is not JoinType.JOIN_FULL and set(tested) <= set(join.nullable)
    return True


def _into_sub_select(item: RangeItem, needed: frozenset[RangeItem]) -> Iterator[_Step]:
    """A sub-SELECT that is planned on its own; conditions above are pushed down into it."""
    if item.query is not None:
        yield join_tree(item.query), _NONE if is_fenced(item.query) else needed


def _into_join(
    join: Branch, needed: frozenset[RangeItem], nullable: dict[RangeItem, int], place: int
) -> tuple[_Step, _Step]:
    """Both sides of a join and what each cannot do without; notes the nullable ones.

    Joins are met in the reverse of the planner's order: the last to note an item is right.
    """
    left, right = frozenset(join.left.items()), frozenset(join.right.items())
    compared = at_plan_level(frozenset(join.compared_items()), join.query)
    own = needed_items(join.condition, join.query) | compared
    keeps_left = join.kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL) and not needed & right
    keeps_right = join.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL) and not needed & left
    if keeps_left:
        nullable |= dict.fromkeys(right, place)
    if keeps_right:
        nullable |= dict.fromkeys(left, place)
    if keeps_left and keeps_right:
        return (join.left, _NONE), (join.right, _NONE)
    if keeps_left:
        return (join.left, needed), (join.right, own)
    if keeps_right:
        return (join.left, own), (join.right, needed)
    return (join.left, own | needed), (join.right, own | needed)


def lockable_names(query: Query) -> list[str]:
    """What OF may name at a level: its tables and FROM sub-SELECTs."""
    kinds = (ItemKind.TABLE, ItemKind.SUBQUERY)
    return [item.refname for item in query.items if item.kind in kinds and item.refname]


def preserved_names(query: Query) -> list[str]:
    """What OF may name at a level without touching the nullable side of an outer join."""
    nullable = nullable_items([query.root])
    return [
        item.refname
        for item in query.items
        if item.kind is ItemKind.TABLE and item not in nullable and item.refname
    ]
