"""Whether a write makes a condition on a row's state true that was not true before."""

from __future__ import annotations

from enum import Enum

from pglast import ast
from pglast.enums import A_Expr_Kind, NullTestType

from pglint_locks.model.planner.predicates import column_parts, conjuncts
from pglint_locks.model.queries.query import RangeItem


class _Truth(Enum):
    NO = 0
    MAYBE = 1
    YES = 2


def tested_column(condition: ast.Node, item: RangeItem) -> str | None:
    """The column of an item that a condition compares with a value rather than with a row."""
    tested = condition
    match condition:
        case ast.A_Expr():
            sides = (condition.lexpr, condition.rexpr)
            tested, other = sides if _is_column(sides[0], item) else sides[::-1]
            if isinstance(other, ast.ColumnRef) and item.holder.resolve(column_parts(other)):
                return None
        case ast.NullTest() | ast.BooleanTest():
            tested = condition.arg
        case ast.BoolExpr(args=(only,)):
            tested = only
    return column_parts(tested)[-1] if _is_column(tested, item) else None


def _is_column(node: object, item: RangeItem) -> bool:
    parts = column_parts(node) if isinstance(node, ast.Node) else ()
    return bool(parts) and item.holder.resolve(parts) is item


def required_value(item: RangeItem, column: str) -> ast.Node | None:
    """The value that an item's level asks one of its columns to have, if it shows."""
    for condition in conjuncts(getattr(item.holder.node, "whereClause", None)):
        if tested_column(condition, item) != column:
            continue
        match condition:
            case ast.A_Expr(kind=A_Expr_Kind.AEXPR_OP) if condition.name[-1].sval == "=":
                return _compared_value(condition)
            case ast.NullTest(nulltesttype=NullTestType.IS_NULL):
                return ast.A_Const(isnull=True)
    return None


def starts_to_hold(condition: ast.Node, before: ast.Node | None, after: ast.Node | None) -> bool:
    """Whether a condition on one column comes true as that column gets a new value.

    None is a value that is not known.  Then `= x` may come true; `<> x` mostly was so before.
    """
    if before is not None and _holds(condition, before) is not _Truth.NO:
        return False
    holds = _holds(condition, after)
    return holds is _Truth.YES or (holds is _Truth.MAYBE and _asks_for_a_value(condition))


def _asks_for_a_value(condition: ast.Node) -> bool:
    if isinstance(condition, ast.A_Expr):
        return condition.name[-1].sval not in ("<>", "!=")
    return not isinstance(condition, ast.BoolExpr)


def _holds(condition: ast.Node, value: ast.Node | None) -> _Truth:
    match condition:
        case _ if value is None:
            return _Truth.MAYBE
        case ast.NullTest():
            is_null = isinstance(value, ast.A_Const) and bool(value.isnull)
            return _truth(is_null == (condition.nulltesttype == NullTestType.IS_NULL))
        case ast.A_Expr() if condition.name[-1].sval in ("=", "<>", "!="):
            known = _text(value)
            others = [_text(other) for other in _compared_values(condition)]
            if known is not None and others and None not in others:
                return _truth((known in others) == (condition.name[-1].sval == "="))
    return _Truth.MAYBE


def _truth(value: bool) -> _Truth:
    return _Truth.YES if value else _Truth.NO


def _compared_values(condition: ast.A_Expr) -> list[ast.Node]:
    """What a column is compared with: one value, or those of an IN list."""
    if condition.kind == A_Expr_Kind.AEXPR_IN:
        return list(condition.rexpr)
    return [_compared_value(condition)] if condition.kind == A_Expr_Kind.AEXPR_OP else []


def _compared_value(condition: ast.A_Expr) -> ast.Node:
    is_first = isinstance(condition.lexpr, ast.Node) and bool(column_parts(condition.lexpr))
    return condition.rexpr if is_first else condition.lexpr


def _text(node: ast.Node) -> str | None:
    """A constant's text, casts taken off; None for anything else."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    if isinstance(node, ast.A_Const) and not node.isnull:
        for field in ("ival", "fval", "sval", "boolval"):
            if hasattr(node.val, field):
                return str(getattr(node.val, field))
    return None
