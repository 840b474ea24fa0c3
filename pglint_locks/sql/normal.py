"""Expressions in a form in which a person's spelling and the server's (`ruleutils`) are alike."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pglast import ast, parser
from pglast.enums import A_Expr_Kind

_SPACES = re.compile(r"\s+")
_LISTS = {
    A_Expr_Kind.AEXPR_IN: {"=": "= ANY", "<>": "<> ALL"},
    A_Expr_Kind.AEXPR_OP_ANY: {},
    A_Expr_Kind.AEXPR_OP_ALL: {},
}
_BETWEEN = {
    A_Expr_Kind.AEXPR_BETWEEN: ("AND", ">=", "<="),
    A_Expr_Kind.AEXPR_NOT_BETWEEN: ("OR", "<", ">"),
}


@lru_cache(maxsize=4096)
def normal_expression(text: str) -> str:
    """An expression without its casts, qualifiers and needless brackets, to be compared only.

    `status IN ('a', 'b')` and `((jobs.status)::text = ANY (ARRAY['a'::text, 'b'::text]))` are
    alike.  What does not parse is only freed of its spaces.
    """
    try:
        (statement,) = parser.parse_sql(f"SELECT {text}")
        (target,) = statement.stmt.targetList
    except (parser.ParseError, ValueError, TypeError):
        return _SPACES.sub(" ", text).strip()
    return _form(target.val)


def _form(node: Any) -> str:
    match node:
        case ast.TypeCast():
            return _form(node.arg)
        case ast.ColumnRef():
            return _form(node.fields[-1])
        case ast.String():
            return str(node.sval)
        case ast.A_Const():
            return "NULL" if node.isnull else _form(node.val)
        case ast.Integer() | ast.Float() | ast.Boolean():
            return str(_values(node)[0]).lower()
        case ast.BoolExpr():
            return _joined(node.boolop.name.removesuffix("_EXPR"), _arms(node))
        case ast.FuncCall():
            name = node.funcname[-1].sval
            return f"{name}({', '.join(map(_form, node.args or ()))})"
        case ast.A_Expr():
            return _operation(node)
        case ast.Node():
            return f"{type(node).__name__}({', '.join(map(_form, _values(node)))})"
        case tuple():
            return f"[{', '.join(map(_form, node))}]"
    return getattr(node, "name", None) or str(node)


def _operation(node: ast.A_Expr) -> str:
    operator = node.name[-1].sval
    left = _form(node.lexpr) if node.lexpr is not None else ""
    if node.kind in _BETWEEN:
        word, *operators = _BETWEEN[node.kind]
        sides = zip(operators, node.rexpr, strict=True)
        return _joined(word, [f"({left} {each} {_form(side)})" for each, side in sides])
    right = node.rexpr
    if node.kind in _LISTS:
        while isinstance(right, ast.TypeCast):
            right = right.arg
        if isinstance(right, ast.A_ArrayExpr):
            right = right.elements
        word = _LISTS[node.kind].get(operator) or f"{operator} {node.kind.name[-3:]}"
        return f"({left} {word} {_form(right)})"
    return f"({left} {operator} {_form(right)})"


def _arms(node: ast.BoolExpr) -> list[str]:
    """The arms of AND or OR, those of one inside the other too."""
    arms: list[str] = []
    for arm in node.args:
        same = isinstance(arm, ast.BoolExpr) and arm.boolop == node.boolop
        arms += _arms(arm) if same and len(arm.args) > 1 else [_form(arm)]
    return arms


def _joined(word: str, arms: list[str]) -> str:
    return f"({f' {word} '.join(arms)})" if len(arms) > 1 else f"{word} {arms[0]}"


def _values(node: ast.Node) -> list[Any]:
    """What a node is made of, but for its places in the text."""
    values = ((name, getattr(node, name)) for name in node)
    return [value for name, value in values if value is not None and not name.endswith(_PLACES)]


_PLACES = ("location", "_start", "_end")
