"""Which FROM sub-SELECTs get a condition from above (`subquery_push_qual`)."""

from __future__ import annotations

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.joins import Branch, JoinTree, Leaf, join_tree
from pglint_locks.model.planner.members import columns_in
from pglint_locks.model.planner.outputs import value_of
from pglint_locks.model.planner.plan_levels import is_fenced, is_pulled_up, plan_level
from pglint_locks.model.planner.predicates import conjuncts
from pglint_locks.model.planner.pushdown import has_sub_plan, parsed
from pglint_locks.model.planner.sub_links import holder_of
from pglint_locks.model.queries.constants import UNKNOWN, fold_boolean
from pglint_locks.model.queries.query import ItemKind, Query, QueryKind, RangeItem

Items = frozenset[RangeItem]


def is_restricted(item: RangeItem) -> bool:
    """Whether a condition that tests this sub-SELECT's columns alone is pushed down into it."""
    below = item
    while below.query is not None and not is_fenced(below.query):
        level = plan_level(below.holder)
        if _is_restricted_at(level, below, item):
            return True
        if not isinstance(level.embedding, RangeItem):
            return False
        below = level.embedding
    return False


def _is_restricted_at(level: Query, leaf: RangeItem, item: RangeItem) -> bool:
    """Whether a level's conditions restrict an item that is, or stands in, one of its leaves."""
    trees: list[JoinTree] = [join_tree(level)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Leaf):
            continue
        trees += (tree.left, tree.right) if isinstance(tree, Branch) else tree.children
        keeps = isinstance(tree, Branch) and leaf in _preserved(tree)
        if not keeps and any(
            _tests_only(item, conjunct, tree.query) for conjunct in conjuncts(tree.condition)
        ):
            return True
    return False


def _preserved(join: Branch) -> Items:
    """The items of which an outer join drops no row, whatever its condition says."""
    kept: list[RangeItem] = []
    if join.kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL):
        kept += join.left.items()
    if join.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
        kept += join.right.items()
    return frozenset(kept)


def _tests_only(item: RangeItem, conjunct: ast.Node, scope: Query) -> bool:
    """Whether a conjunct, or a condition that it is made of, tests one item's columns."""
    if has_sub_plan(conjunct, scope) or fold_boolean(conjunct) is not UNKNOWN:
        return False
    return any(_leaves(part, scope, item) == {item} for part in parsed(conjunct))


def _leaves(node: ast.Node, scope: Query, inside: RangeItem) -> set[RangeItem | None]:
    """The items that an expression is made of, down to one in a sub-SELECT of a leaf.

    None stands for what is not plain.
    """
    found: set[RangeItem | None] = set()
    stack = [(column, scope) for column in columns_in(node)]
    while stack:
        column, level = stack.pop()
        parts = tuple(getattr(part, "sval", "*") for part in column.fields)
        item = holder_of(parts, level)
        if item is None or item.kind is ItemKind.JOIN:
            found.add(None)
        elif item is inside or item.query is None or _stays(item.query):
            found.add(item)
        else:
            value = value_of(item, parts[-1])
            if value is None:
                found.add(None)
            else:
                stack += [(each, item.query) for each in columns_in(value)]
    return found


def _stays(query: Query) -> bool:
    """Whether a FROM sub-SELECT's own columns count, and not what it makes them of."""
    if query.kind is QueryKind.VALUES:
        return len(query.node.valuesLists) > 1
    return not is_pulled_up(query) and is_fenced(query)
