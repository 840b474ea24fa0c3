"""A level's FROM as a tree of joins, after sub-SELECTs are pulled up (`Query.jointree`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.planner.outputs import value_of, values_of
from pglint_locks.model.planner.plan_levels import is_pulled_up
from pglint_locks.model.planner.sub_links import becomes_join
from pglint_locks.model.queries.functions import is_never_strict
from pglint_locks.model.queries.query import Query, RangeItem
from pglint_locks.sql.walk import descendants


class Leaf(NamedTuple):
    """A table, function, WITH query, or a sub-SELECT that is planned on its own."""

    item: RangeItem

    def items(self) -> Iterator[RangeItem]:
        """The item."""
        return leaves_of(self)

    def column_items(self, column: str) -> Iterator[RangeItem]:
        """The items that a column of that name may come from.

        A condition on a sub-SELECT's column is one on what is inside it, too, unless a
        LIMIT keeps conditions from being pushed down.
        """
        if _lacks(self.item, column):
            return
        yield self.item
        for query, value in values_of(self.item, column):
            if not _may_hide_null(value):
                yield from _items_behind(join_tree(query), value)


class Product(NamedTuple):
    """FROM items that commas join, under a WHERE (`FromExpr`).

    `item` is the sub-SELECT that was pulled up into this, if it was one.
    """

    query: Query
    children: tuple[JoinTree, ...]
    condition: ast.Node | None
    item: RangeItem | None = None

    def items(self) -> Iterator[RangeItem]:
        """The leaves below."""
        return leaves_of(self)

    def column_items(self, column: str) -> Iterator[RangeItem]:
        """The leaves that a column of that name may come from."""
        if self.item is not None:
            if _lacks(self.item, column):
                return
            value = value_of(self.item, column)
            lone = lone_leaf(self)
            if not _may_hide_null(value):
                yield from _items_behind(self, value)
            elif lone is not None:
                # Below an outer join a value of one table is strict (`PlaceHolderVar.phrels`), and
                # conditions on it are not pushed down (`qual_is_pushdown_safe`).
                yield lone.item
            return
        for child in self.children:
            yield from child.column_items(column)


class Branch(NamedTuple):
    """A JOIN (`JoinExpr`); `using` is None for NATURAL, whose columns do not show."""

    query: Query
    kind: JoinType
    left: JoinTree
    right: JoinTree
    condition: ast.Node | None
    using: tuple[str, ...] | None
    item: RangeItem

    def items(self) -> Iterator[RangeItem]:
        """The leaves below."""
        return leaves_of(self)

    def column_items(self, column: str) -> Iterator[RangeItem]:
        """The leaves that a column of that name may come from.

        A column of USING is the preserved side's; a FULL JOIN's is a COALESCE of both.
        """
        merged = self.using is not None and column in self.using
        if not merged or self.kind in (JoinType.JOIN_INNER, JoinType.JOIN_LEFT):
            yield from self.left.column_items(column)
        if not merged or self.kind == JoinType.JOIN_RIGHT:
            yield from self.right.column_items(column)


JoinTree = Leaf | Product | Branch


def leaves_of(tree: JoinTree) -> Iterator[RangeItem]:
    """The leaves of a part of FROM, from left to right."""
    stack: list[JoinTree] = [tree]
    while stack:
        part = stack.pop()
        match part:
            case Leaf():
                yield part.item
            case Product():
                stack += reversed(part.children)
            case Branch():
                stack += (part.right, part.left)


@lru_cache(maxsize=256)
def join_tree(query: Query, pulled_up: RangeItem | None = None) -> Product:
    """A level's join tree; `pulled_up` is the FROM item that the level replaces.

    The range items of a level stand in the order in which this walk meets them.
    """
    node = query.node
    sources = getattr(node, "fromClause", None) or getattr(node, "usingClause", None) or ()
    if isinstance(node, ast.MergeStmt):
        sources = (node.sourceRelation,)
    items = iter(query.items)
    done: list[JoinTree] = []
    stack: list[tuple[ast.Node, bool]] = [(source, False) for source in reversed(sources)]
    while stack:
        source, sides_done = stack.pop()
        if not isinstance(source, ast.JoinExpr):
            done.append(_single(next(items)))
        elif not sides_done:
            stack += [(source, True), (source.rarg, False), (source.larg, False)]
        else:
            right, left = done.pop(), done.pop()
            using = _names(source.usingClause)
            done.append(
                Branch(
                    query=query,
                    kind=source.jointype,
                    left=left,
                    right=right,
                    condition=source.quals,
                    using=None if source.isNatural else using,
                    item=next(items),
                )
            )
    return Product(query, tuple(done), getattr(node, "whereClause", None), pulled_up)


def _single(item: RangeItem) -> JoinTree:
    """An item, or what it holds; without FROM that is the item as far as joins go."""
    if item.query is not None and item.query.items and is_pulled_up(item.query):
        return join_tree(item.query, item)
    return Leaf(item)


def lone_leaf(tree: JoinTree) -> Leaf | None:
    """The only item that a part of FROM reads, sub-links that become joins included."""
    while isinstance(tree, Product) and len(tree.children) == 1:
        if any(map(becomes_join, tree.query.sub_links)):
            return None
        tree = tree.children[0]
    return tree if isinstance(tree, Leaf) else None


def named_in(tree: JoinTree, item: RangeItem) -> JoinTree | None:
    """The part of a level's tree that a range item's name stands for."""
    stack: list[JoinTree] = [tree]
    while stack:
        part = stack.pop()
        if part.item is item:
            return part
        if isinstance(part, Branch):
            stack += [part.left, part.right]
        elif isinstance(part, Product) and part.item is None:
            stack += part.children
    return None


def _names(nodes: Sequence[ast.Node] | None) -> tuple[str, ...]:
    return tuple(name.sval for name in nodes or ())


def _lacks(item: RangeItem, column: str) -> bool:
    return item.columns is not None and column not in item.columns


def _items_behind(inside: Product, value: ast.Node | None) -> Iterator[RangeItem]:
    """The leaves in a sub-SELECT without which an output column of this value may be NULL."""
    if value is not None:
        for node in descendants(value):
            if isinstance(node, ast.ColumnRef):
                yield from items_of_column(node, inside.query)
    if isinstance(value, ast.ColumnRef) or (value is not None and len(tuple(inside.items())) != 1):
        return
    for child in inside.children:
        yield from child.items()


def _may_hide_null(value: ast.Node | None) -> bool:
    return value is not None and (is_never_strict(value) or isinstance(value, ast.SubLink))


def items_of_column(reference: ast.ColumnRef, scope: Query) -> Iterator[RangeItem]:
    """The leaves that a column reference may mean, where the schema is not known.

    An unqualified name may belong to any level that it is visible from.
    """
    parts = tuple(getattr(part, "sval", "*") for part in reference.fields)
    for visible in scope.visible():
        if not visible:
            continue
        holder = visible[0].holder
        tree = join_tree(holder)
        whole = len(parts) == 1
        for item in visible:
            if item.refname == parts[0 if whole else -2]:
                part = named_in(tree, item)
                if part is not None:
                    column = "*" if whole else parts[-1]
                    yield from part.items() if column == "*" else part.column_items(column)
                if not whole:
                    return
        if not whole:
            continue
        if holder is scope:
            yield from tree.column_items(parts[0])
            continue
        # What holds the reference itself, and what stands after it, is not visible.
        for item in visible:
            part = named_in(tree, item)
            if part is not None:
                yield from part.column_items(parts[0])
