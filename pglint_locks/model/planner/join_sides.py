"""Outer joins: which items of FROM they fill up with NULLs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import JoinType

from pglint_locks.model.queries.from_clause import from_nodes
from pglint_locks.model.queries.query import Query, RangeItem


class Join(NamedTuple):
    """A join in FROM: its own item, those left and right, joins included, and its condition.

    `using` are the columns of USING; those of NATURAL do not show in the text.
    """

    item: RangeItem
    kind: JoinType
    left: tuple[RangeItem, ...]
    right: tuple[RangeItem, ...]
    condition: ast.Node | None
    using: tuple[str, ...] = ()
    is_natural: bool = False

    def restricts(self, item: RangeItem) -> bool:
        """Whether only rows of an item that meet the condition come out of the join."""
        return item in self.nullable or self.kind is JoinType.JOIN_INNER

    @property
    def nullable(self) -> tuple[RangeItem, ...]:
        """The items whose columns are NULL where the join finds no partner."""
        match self.kind:
            case JoinType.JOIN_LEFT:
                return self.right
            case JoinType.JOIN_RIGHT:
                return self.left
            case JoinType.JOIN_FULL:
                return (*self.left, *self.right)
        return ()


def joins(query: Query) -> Iterator[Join]:
    """The JOINs of a level's FROM, inner ones first (a comma is none)."""
    sides: list[tuple[RangeItem, ...]] = []
    for node, item in from_nodes(query):
        if isinstance(node, ast.JoinExpr):
            right, left = sides.pop(), sides.pop()
            using = tuple(name.sval for name in node.usingClause or ())
            yield Join(item, node.jointype, left, right, node.quals, using, bool(node.isNatural))
            sides.append((*left, *right, item))
        else:
            sides.append((item,))
