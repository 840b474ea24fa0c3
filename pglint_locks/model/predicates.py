"""What a level's WHERE pins down: columns that equal a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType

from pglint_locks.model.names import is_key_like
from pglint_locks.model.queries import ItemKind, Query, RangeItem
from pglint_locks.sql.walk import textual_children


class Equality(NamedTuple):
    """`column = value` that must hold: `item` holds the column; `value` is no row of it."""

    item: RangeItem
    column: str
    value: ast.Node


def conjuncts(condition: ast.Node | None) -> Iterator[ast.Node]:
    """The conditions that AND joins, left to right."""
    stack = [condition] if condition is not None else []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.BoolExpr) and node.boolop == BoolExprType.AND_EXPR:
            stack.extend(reversed(node.args))
        else:
            yield node


def equalities(query: Query) -> Iterator[Equality]:
    """The columns that a level's WHERE holds equal to one value (`IN` with one counts)."""
    for node in conjuncts(getattr(query.node, "whereClause", None)):
        for column, value in _equal_sides(node):
            parts = _column_parts(column)
            item = query.resolve(parts) if parts else None
            if item is not None and item.holder is query and not _uses_rows(value, query):
                yield Equality(item, parts[-1], value)


def _equal_sides(node: ast.Node) -> Iterator[tuple[ast.Node, ast.Node]]:
    if not isinstance(node, ast.A_Expr) or node.name[-1].sval != "=":
        return
    left, right = node.lexpr, node.rexpr
    if node.kind == A_Expr_Kind.AEXPR_IN and len(right) == 1:
        yield left, right[0]
    elif node.kind == A_Expr_Kind.AEXPR_OP and left is not None:
        yield left, right
        yield right, left


def _column_parts(node: ast.Node) -> tuple[str, ...]:
    while isinstance(node, ast.TypeCast):
        node = node.arg
    if not isinstance(node, ast.ColumnRef):
        return ()
    if not all(isinstance(part, ast.String) for part in node.fields):
        return ()
    return tuple(part.sval for part in node.fields)


def _uses_rows(value: ast.Node, query: Query) -> bool:
    """Whether a value depends on a row, of the level itself or of one around it."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SubLink):
            inner = [link for link in query.sub_links if link.location == node.location]
            if any(link.query.reads_from(query) for link in inner):
                return True
        elif isinstance(node, ast.ColumnRef):
            parts = tuple(
                part.sval if isinstance(part, ast.String) else "*" for part in node.fields
            )
            item = query.resolve(parts)
            if item is not None:
                return True
        else:
            stack.extend(textual_children(node))
    return False


def is_by_key(item: RangeItem) -> bool:
    """Whether WHERE pins a table to at most one row by what reads as its key."""
    if item.kind is not ItemKind.TABLE or item.table is None:
        return False
    return any(
        equality.item is item and is_key_like(equality.column, item.table)
        for equality in equalities(item.holder)
    )
