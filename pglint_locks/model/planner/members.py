"""What an expression is made of, once sub-SELECTs are pulled up (`pull_up_subqueries`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast

from pglint_locks.model.planner.joins import Branch, JoinTree, join_tree, named_in
from pglint_locks.model.planner.outputs import value_of
from pglint_locks.model.planner.plan_levels import is_pulled_up, plan_level
from pglint_locks.model.planner.sub_links import holder_of
from pglint_locks.model.queries.query import ItemKind, Query, QueryKind, RangeItem
from pglint_locks.sql.walk import textual_children

Leaves = frozenset[RangeItem | Query]


class Member(NamedTuple):
    """A member of an equivalence class (`EquivalenceMember`).

    `key` is a column's name or place, or what tells an expression from others.  `leaves` are
    the items that it is made of; a query stands for a sub-SELECT that IN joins.  A constant
    has none.
    """

    leaves: Leaves
    key: str | int | tuple[int]


CONSTANT = Member(frozenset(), "constant")
UNSEEN = Member(frozenset(), "unseen")  # a column that may be anything, a constant too

Levels = frozenset[Query]


def member_of(node: ast.Node, scope: Query, levels: Levels) -> Member:
    """What an expression is for levels of the plan that are joined.

    A column of a level around them is a constant.
    """
    while isinstance(node, ast.TypeCast | ast.CollateClause):
        node = node.arg
    if isinstance(node, ast.ColumnRef):
        return _of_column(parts_of_column(node), scope, levels)
    parts = [_of_column(column, level, levels) for column, level in _columns_of(node, scope)]
    if UNSEEN in parts:
        return UNSEEN
    leaves: Leaves = frozenset().union(*(part.leaves for part in parts))
    return Member(leaves, (id(node),)) if leaves else CONSTANT


def _columns_of(node: ast.Node, scope: Query) -> Iterator[tuple[tuple[str, ...], Query]]:
    """The columns that an expression names, each with the level where it does."""
    for part in outside_sub_links(node):
        if isinstance(part, ast.ColumnRef):
            yield parts_of_column(part), scope
        elif isinstance(part, ast.SubLink):
            links = (link for link in scope.sub_links if link.node is part)
            for level in (level for link in links for level in link.query.levels()):
                yield from ((column.parts, level) for column in level.columns)


def parts_of_column(column: ast.ColumnRef) -> tuple[str, ...]:
    """The dotted parts of a column reference, "*" for a whole row."""
    return tuple(getattr(part, "sval", "*") for part in column.fields)


def _of_column(parts: tuple[str, ...], scope: Query, levels: Levels) -> Member:
    item = scope.resolve(parts)
    if item is None or plan_level(item.holder) not in levels:
        return CONSTANT
    if holder_of(parts, scope) is None:
        return UNSEEN
    if item.kind is ItemKind.JOIN:
        tree = named_in(join_tree(item.holder), item)
        return UNSEEN if tree is None else member_in(tree, parts[-1], levels)
    return _of_item(item, parts[-1], levels)


def _of_item(item: RangeItem, column: str, levels: Levels) -> Member:
    query = item.query
    if query is None or not is_pulled_up(query):
        return Member(frozenset((item,)), column)
    if query.kind is QueryKind.VALUES:
        is_row = len(query.node.valuesLists) == 1
        return CONSTANT if is_row else Member(frozenset((item,)), column)
    value = value_of(item, column)
    return UNSEEN if value is None else member_of(value, query, levels)


def member_in(tree: JoinTree, column: str, levels: Levels) -> Member:
    """The column of a part of FROM that has no name of its own; that of USING is the left one's."""
    while isinstance(tree, Branch):
        if tree.using is None or column not in tree.using:
            return UNSEEN
        tree = tree.left
    item = tree.item
    return UNSEEN if item is None else _of_item(item, column, levels)


def outside_sub_links(node: ast.Node) -> Iterator[ast.Node]:
    """An expression and its parts, but for what stands in sub-SELECTs."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, ast.SubLink):
            stack += textual_children(part)


def columns_in(node: ast.Node) -> Iterator[ast.ColumnRef]:
    """The column references in an expression, outside sub-SELECTs."""
    return (part for part in outside_sub_links(node) if isinstance(part, ast.ColumnRef))


def leaf_at(item: RangeItem, level: Query) -> RangeItem | Query | None:
    """What a level of the plan reads an item as: the item, or the sub-SELECT that it is in."""
    while (own := plan_level(item.holder)) is not level:
        while own.is_arm and own.parent is not None:
            own = own.parent
        if not isinstance(own.embedding, RangeItem):
            return None
        item = own.embedding
    return item
