"""Constants folded out of expressions, as far as they show in the text."""

from __future__ import annotations

from enum import Enum

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType


class Unknown(Enum):
    """The value of an expression that is no constant: a parameter, a column, a call."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN

_INTEGER_TYPES = {"int2", "int4", "int8", "numeric", "integer", "bigint", "smallint", "int"}


def fold_integer(node: ast.Node | None) -> int | Unknown | None:
    """The integer that an expression stands for; None for NULL (and for no expression).

    Folds casts to number types, signs, and `+ - *` over constants, so that `(0)`,
    `0::int` and `5 - 5` are what they are.
    """
    if node is None:
        return None
    if isinstance(node, ast.A_Const):
        return _constant(node)
    if isinstance(node, ast.TypeCast):
        names = node.typeName.names or ()
        if names and names[-1].sval in _INTEGER_TYPES:
            return fold_integer(node.arg)
        return UNKNOWN
    if isinstance(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_OP:
        return _fold_operator(node)
    return UNKNOWN


def _constant(node: ast.A_Const) -> int | Unknown | None:
    if node.isnull:
        return None
    if isinstance(node.val, ast.Integer):
        return int(node.val.ival)
    if isinstance(node.val, ast.Float | ast.String):
        text = node.val.fval if isinstance(node.val, ast.Float) else node.val.sval
        try:
            return round(float(text))
        except (ValueError, OverflowError):
            return UNKNOWN
    return UNKNOWN


def _fold_operator(node: ast.A_Expr) -> int | Unknown | None:
    if len(node.name) != 1 or isinstance(node.rexpr, tuple) or isinstance(node.lexpr, tuple):
        return UNKNOWN
    operator = node.name[0].sval
    right = fold_integer(node.rexpr)
    left = 0 if node.lexpr is None else fold_integer(node.lexpr)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    if left is None or right is None:
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return UNKNOWN


def fold_boolean(node: object) -> bool | Unknown | None:
    """What a condition without columns is; None for NULL.

    Folds NOT, AND, OR, and `=` and `<>` between integers: `1 = 1` is true.
    """
    match node:
        case ast.A_Const() if node.isnull:
            return None
        case ast.A_Const(val=ast.Boolean()):
            return bool(node.val.boolval)
        case ast.BoolExpr():
            return _fold_connective(node)
        case ast.A_Expr() if node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval in _EQUAL:
            if isinstance(node.lexpr, ast.A_Const) and isinstance(node.rexpr, ast.A_Const):
                left, right = fold_integer(node.lexpr), fold_integer(node.rexpr)
                if isinstance(left, int) and isinstance(right, int):
                    return bool((left == right) == _EQUAL[node.name[-1].sval])
    return UNKNOWN


_EQUAL = {"=": True, "<>": False}


def _fold_connective(node: ast.BoolExpr) -> bool | Unknown | None:
    values = [fold_boolean(arm) for arm in node.args]
    if node.boolop == BoolExprType.NOT_EXPR:
        value = values[0]
        return (not value) if isinstance(value, bool) else value
    decisive: bool = node.boolop == BoolExprType.OR_EXPR
    if decisive in values:
        return decisive
    if UNKNOWN in values:
        return UNKNOWN
    return None if None in values else not decisive


def is_named_parameter(node: ast.Node) -> bool:
    """Whether an expression is `@name`, as sqlc and others write a parameter.

    The parser reads the absolute value of a column.  As that is written, if ever, a space
    stands behind the sign.
    """
    if not isinstance(node, ast.A_Expr) or node.lexpr is not None or node.name[-1].sval != "@":
        return False
    operand = node.rexpr
    while isinstance(operand, ast.TypeCast):
        operand = operand.arg
    return isinstance(operand, ast.ColumnRef) and operand.location == node.location + 1
