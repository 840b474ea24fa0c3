"""Which tables stand on the nullable side of an outer join when the plan is made.

Mirrors `reduce_outer_joins`: an outer join becomes an inner one where a condition above
it cannot do without its nullable side.  What `strictness` can only guess counts as
strict, so an outer join that is left here is one for certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.equalities import equalities, is_equated
from pglint_locks.model.planner.joins import (
    Branch,
    JoinTree,
    Leaf,
    Product,
    join_tree,
)
from pglint_locks.model.planner.members import Member
from pglint_locks.model.planner.outputs import values_of
from pglint_locks.model.planner.plan_levels import is_fenced, is_flattened, is_pulled_up
from pglint_locks.model.planner.pushdown import reaching_down_as, reaching_down_by_using
from pglint_locks.model.planner.strictness import is_never_true, needed_items, strict_items
from pglint_locks.model.queries.query import ItemKind, Query, RangeItem, SubLink

_Step = tuple[JoinTree, frozenset[RangeItem]]
_NONE: frozenset[RangeItem] = frozenset()


class Reduction(NamedTuple):
    """The outer joins of a plan: what they may extend with NULLs, and what each join is.

    `nullable` are range items, each with the place of the first such join, in the order in
    which `deconstruct_jointree` comes to the joins of a level: inner ones first.  A FROM
    sub-SELECT that the planner pulls up stands there with its own items.
    `kinds` has each join by its range item.
    """

    nullable: dict[RangeItem, int]
    kinds: dict[RangeItem, JoinType]


@lru_cache(maxsize=64)
def reduced(query: Query) -> Reduction:
    """The outer joins of a statement's plan."""
    levels = list(query.levels())
    if not any(_has_outer_join(level) for level in levels):
        return Reduction({}, {})
    nullable: dict[RangeItem, int] = {}
    kinds: dict[RangeItem, JoinType] = {}
    places = count(0, -1)
    # What LATERAL sub-SELECTs need of what stands before them, which is met after them.
    aside = _NONE
    stack: list[_Step] = [
        (join_tree(level), _compared(level))
        for level in levels
        if not isinstance(level.embedding, RangeItem) and not level.is_arm
    ]
    while stack:
        tree, needed = stack.pop()
        match tree:
            case Leaf():
                stack += _into_sub_select(tree.item, needed | aside)
            case Product():
                own = needed_items(tree.condition, tree.query)
                needed |= own
                if _is_lateral(tree) and nullable.keys().isdisjoint(tree.items()):
                    aside |= own
                stack += [(child, needed) for child in tree.children]
                stack += [(join_tree(arm), needed) for arm in tree.query.arms if arm.is_arm]
            case Branch():
                sides, kinds[tree.item] = _into_join(tree, needed)
                stack += sides
                nullable |= dict.fromkeys(_extended(tree, kinds[tree.item]), next(places))
    lockable = {item: place for item, place in nullable.items() if not _is_no_relation(item)}
    return Reduction(lockable, kinds)


def _is_lateral(tree: Product) -> bool:
    return tree.item is not None and tree.item.lateral


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

    One that is planned on its own is given conditions only where what it gives is equal to
    a constant, or two of its columns to one another.
    """
    link = level.embedding
    if not isinstance(link, SubLink) or not is_equated(link):
        return _NONE
    around = equalities(link.holder)
    tested = link.node.testexpr
    needed = _NONE
    for place in range(len(tested.args) if isinstance(tested, ast.RowExpr) else 1):
        is_apart = not is_flattened(link)
        if not is_apart or around.restrict(Member(frozenset((level,)), place)):
            for query, value in values_of(level, place):
                if value is not None and not (is_apart and _reads_nothing(query)):
                    needed |= reaching_down_as(value, strict_items(value, query), query)
    return needed


def _into_sub_select(item: RangeItem, needed: frozenset[RangeItem]) -> Iterator[_Step]:
    """A sub-SELECT that is planned on its own; conditions above are pushed down into it."""
    if item.query is not None:
        query = item.query
        drops = is_fenced(query) or _reads_nothing(query) or _has_grouping_sets(query)
        yield join_tree(query), _NONE if drops else needed


def _has_grouping_sets(query: Query) -> bool:
    """Whether a condition that is pushed down stays in HAVING: not every set has its column."""
    groups = getattr(query.node, "groupClause", None) or ()
    return any(isinstance(each, ast.GroupingSet) for each in groups)


def _reads_nothing(query: Query) -> bool:
    """Whether a condition that is pushed down is lost beside one that is never true."""
    return is_never_true(getattr(query.node, "whereClause", None))


def _into_join(join: Branch, needed: frozenset[RangeItem]) -> tuple[tuple[_Step, _Step], JoinType]:
    """Both sides of a join, with what each cannot do without, and what it is reduced to."""
    left, right = frozenset(join.left.items()), frozenset(join.right.items())
    own = needed_items(join.condition, join.query) | reaching_down_by_using(join)
    keeps_left = join.kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL) and not needed & right
    keeps_right = join.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL) and not needed & left
    if keeps_left and keeps_right:
        return ((join.left, _NONE), (join.right, _NONE)), JoinType.JOIN_FULL
    if keeps_left:
        return ((join.left, needed), (join.right, own)), JoinType.JOIN_LEFT
    if keeps_right:
        return ((join.left, own), (join.right, needed)), JoinType.JOIN_RIGHT
    both = own | needed
    return ((join.left, both), (join.right, both)), JoinType.JOIN_INNER


def _extended(join: Branch, kind: JoinType) -> Iterator[RangeItem]:
    """The items that a join of that kind extends with NULLs.

    Joins are met in the reverse of the planner's order: the last to note an item is right.
    """
    if kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL):
        yield from join.right.items()
    if kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
        yield from join.left.items()


def lockable_names(query: Query) -> list[str]:
    """What OF may name at a level: its tables and FROM sub-SELECTs."""
    kinds = (ItemKind.TABLE, ItemKind.SUBQUERY)
    return [item.refname for item in query.items if item.kind in kinds and item.refname]


def preserved_names(query: Query) -> list[str]:
    """What OF may name at a level without touching the nullable side of an outer join."""
    nullable = reduced(query.root).nullable
    return [
        item.refname
        for item in query.items
        if item.kind is ItemKind.TABLE and item not in nullable and item.refname
    ]
