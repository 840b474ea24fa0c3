"""What a level's WHERE tests and pins down: columns, and those that equal a value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType

from pglint_locks.model.queries.constants import is_named_parameter
from pglint_locks.model.queries.keys import names_row, pins_one_row
from pglint_locks.model.queries.names import is_reference_like, is_state_like
from pglint_locks.model.queries.query import Clause, Query, RangeItem
from pglint_locks.sql.walk import textual_children

_CONDITIONS = frozenset({Clause.WHERE, Clause.ON, Clause.ACTION})


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


@lru_cache(maxsize=64)
def equalities(query: Query) -> tuple[Equality, ...]:
    """The columns that a level's WHERE holds equal to one value (`IN` with one counts)."""
    return tuple(_equalities(query))


def _equalities(query: Query) -> Iterator[Equality]:
    for node in conjuncts(getattr(query.node, "whereClause", None)):
        for column, value in equal_sides(node):
            parts = column_parts(column)
            item = query.resolve(parts) if parts else None
            if item is not None and item.holder is query and not _uses_rows(value, query):
                yield Equality(item, parts[-1], value)


def equal_sides(node: ast.Node) -> Iterator[tuple[ast.Node, ast.Node]]:
    """The two sides of `a = b`, each way round (`a IN (b)` with a single b one way).

    `(a, b) = (c, d)` is two of them.
    """
    if not isinstance(node, ast.A_Expr) or node.name[-1].sval != "=":
        return
    left, right = node.lexpr, node.rexpr
    if isinstance(left, ast.RowExpr) and isinstance(right, ast.RowExpr):
        if node.kind == A_Expr_Kind.AEXPR_OP:
            for pair in zip(left.args, right.args, strict=False):
                yield pair
                yield pair[1], pair[0]
    elif node.kind == A_Expr_Kind.AEXPR_IN and len(right) == 1:
        yield left, right[0]
    elif node.kind == A_Expr_Kind.AEXPR_OP and left is not None:
        yield left, right
        yield right, left


def column_parts(node: ast.Node) -> tuple[str, ...]:
    """The dotted parts of a column reference, casts taken off; () for anything else."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    if not isinstance(node, ast.ColumnRef):
        return ()
    if not all(isinstance(part, ast.String) for part in node.fields):
        return ()
    return tuple(part.sval for part in node.fields)


def items_named(condition: ast.Node, query: Query) -> Iterator[RangeItem]:
    """The range items of a level whose columns a condition names; sub-SELECTs are left out."""
    stack = [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ColumnRef):
            item = query.resolve(tuple(getattr(part, "sval", "*") for part in node.fields))
            if item is not None and item.holder is query:
                yield item
        elif not isinstance(node, ast.SubLink):
            stack.extend(textual_children(node))


def _uses_rows(value: ast.Node, query: Query) -> bool:
    """Whether a value depends on a row, of the level itself or of one around it."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SubLink):
            inner = [link for link in query.sub_links if link.location == node.location]
            if any(link.query.reads_from(query) for link in inner):
                return True
        elif is_named_parameter(node):
            continue
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


def tested_columns(item: RangeItem) -> set[str]:
    """The columns of a table (or other item) that its level's conditions look at.

    WHERE, ON, and the WHEN … AND of a MERGE count.  An unqualified column counts for
    every item that may have it.
    """
    level = item.holder
    found: set[str] = set()
    for column in level.columns:
        if column.standing.clause not in _CONDITIONS:
            continue
        meant = level.resolve(column.parts)
        if meant is item or (meant is not None and len(column.parts) == 1 and _may_be(meant, item)):
            found.add(column.parts[-1])
    return found


def _may_be(meant: RangeItem, item: RangeItem) -> bool:
    """Whether a column of an item whose columns are unknown may be another's of its level."""
    return meant.holder is item.holder and meant.columns is None and item.columns is None


def state_columns(item: RangeItem) -> set[str]:
    """The columns that a level tests and that read as a row's state.

    Not its key, and not what a row is found by whatever its state: a reference to another
    row (`…_id`), or another column, that must equal a value from outside.
    """
    found_by = {
        equality.column
        for equality in equalities(item.holder)
        if equality.item is item
        and (is_reference_like(equality.column) or not _reads_as_state(equality.value))
    } | set(_joined_columns(item))
    return unkeyed_columns(item) - {name for name in found_by if not is_state_like(name)}


_WORDS_OF_STATE = frozenset(
    """active available due failed free idle new open pending planned processing queued ready
    running scheduled started todo unclaimed unprocessed unsent waiting""".split()
)


def _reads_as_state(value: ast.Node) -> bool:
    """Whether a constant is what a row's state is compared with.

    A number, a boolean, or one of the words for it; another word is a name to find rows by.
    """
    while isinstance(value, ast.TypeCast):
        value = value.arg
    if not isinstance(value, ast.A_Const):
        return False
    return not isinstance(value.val, ast.String) or value.val.sval.lower() in _WORDS_OF_STATE


def _joined_columns(item: RangeItem) -> Iterator[str]:
    """The columns of an item that must equal a column of another one."""
    query = item.holder
    for node in conjuncts(getattr(query.node, "whereClause", None)):
        for column, other in equal_sides(node):
            parts, others = column_parts(column), column_parts(other)
            if not (parts and others) or query.resolve(parts) is not item:
                continue
            if query.resolve(others) not in (None, item):
                yield parts[-1]


def unkeyed_columns(item: RangeItem) -> set[str]:
    """The columns that a level tests but for those that say which row is meant."""
    return {column for column in tested_columns(item) if not names_row(item, column)}


def column_names(node: ast.Node) -> set[str]:
    """The names of the columns in an expression; those in a sub-SELECT of it do not count."""
    found: set[str] = set()
    stack = [node]
    while stack:
        below = stack.pop()
        if isinstance(below, ast.ColumnRef) and isinstance(below.fields[-1], ast.String):
            found.add(below.fields[-1].sval)
        elif not isinstance(below, ast.SubLink):
            stack.extend(textual_children(below))
    return found


def is_by_constant_key(item: RangeItem) -> bool:
    """Whether WHERE pins a table to one row by its key and a value known beforehand.

    A constant, a parameter or an expression over them: no sub-SELECT, no other item.
    """
    return pins_one_row(
        item,
        [
            equality.column
            for equality in equalities(item.holder)
            if equality.item is item and _is_known_beforehand(equality.value)
        ],
    )


def _is_known_beforehand(value: ast.Node) -> bool:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SubLink | ast.ColumnRef):
            return False
        if not is_named_parameter(node):
            stack.extend(textual_children(node))
    return True


def is_by_key(item: RangeItem) -> bool:
    """Whether WHERE pins a table to at most one row by its key."""
    pinned = [each.column for each in equalities(item.holder) if each.item is item]
    return pins_one_row(item, pinned)
