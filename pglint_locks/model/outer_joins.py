"""Which tables stand on the nullable side of an outer join when the plan is made.

Mirrors `reduce_outer_joins`: an outer join becomes an inner one where a condition above
it cannot do without its nullable side.  What `strictness` can only guess counts as
strict, so an outer join that is left here is one for certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.joins import Branch, JoinTree, Leaf, Product, is_fenced, join_tree
from pglint_locks.model.queries import ItemKind, Query, RangeItem
from pglint_locks.model.strictness import is_never_true, needed_items

_Step = tuple[JoinTree, frozenset[RangeItem]]
_NONE: frozenset[RangeItem] = frozenset()


def nullable_items(queries: Iterable[Query]) -> frozenset[RangeItem]:
    """The range items that an outer join of the plan may extend with NULLs.

    A FROM sub-SELECT that the planner pulls up stands there with its own items.
    """
    levels = [level for query in queries for level in query.levels()]
    if not any(_has_outer_join(level) for level in levels):
        return _NONE
    nullable: set[RangeItem] = set()
    unplanned: set[RangeItem] = set()  # sub-SELECTs under a condition that is never true
    stack: list[_Step] = [
        (join_tree(level), _NONE) for level in levels if not isinstance(level.embedding, RangeItem)
    ]
    while stack:
        tree, needed = stack.pop()
        match tree:
            case Leaf():
                if tree.item not in unplanned:
                    stack += _into_sub_select(tree.item, needed)
            case Product():
                if is_never_true(tree.condition):
                    unplanned.update(tree.items())
                needed |= needed_items(tree.condition, tree.query)
                stack += [(child, needed) for child in tree.children]
            case Branch():
                if is_never_true(tree.condition):
                    unplanned.update(tree.items())
                stack += _into_join(tree, needed, nullable)
    return frozenset(nullable)


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


def _into_sub_select(item: RangeItem, needed: frozenset[RangeItem]) -> Iterator[_Step]:
    """A sub-SELECT that is planned on its own; conditions above are pushed down into it."""
    if item.query is not None:
        yield join_tree(item.query), _NONE if is_fenced(item.query) else needed


def _into_join(
    join: Branch, needed: frozenset[RangeItem], nullable: set[RangeItem]
) -> tuple[_Step, _Step]:
    """Both sides of a join and what each cannot do without; notes the nullable ones."""
    left, right = frozenset(join.left.items()), frozenset(join.right.items())
    own = needed_items(join.condition, join.query) | frozenset(join.compared_items())
    keeps_left = join.kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL) and not needed & right
    keeps_right = join.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL) and not needed & left
    if keeps_left:
        nullable |= right
    if keeps_right:
        nullable |= left
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
