"""The names that the server chooses for indexes and constraints (`makeObjectName`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from pglast import ast
from pglast.enums import A_Expr_Kind, MinMaxOp

_LONGEST = 63  # bytes: NAMEDATALEN - 1


def chosen_name(
    table: str, columns: Iterable[str], label: str, taken: Callable[[str], bool]
) -> str:
    """`table_columns_label`, with a number behind it where that is taken."""
    middle = _joined(columns)
    for number in _numbers():
        name = _object_name(table, middle, f"{label}{number}")
        if not taken(name):
            return name
    raise AssertionError("numbers do not end")


def column_names(elements: Iterable[tuple[str | None, ast.Node | None]]) -> list[str]:
    """What the columns of an index are called in its name (`ChooseIndexColumnNames`).

    Each is a column's name or an expression.
    """
    names: list[str] = []
    for column, expression in elements:
        own = column or figured_name(expression) or "expr"
        for number in _numbers():
            name = f"{_clipped(own, _LONGEST - len(number))}{number}"
            if name not in names:
                break
        names.append(name)
    return names


def figured_name(node: ast.Node | None) -> str | None:
    """The name that an expression gives to a column (`FigureColnameInternal`)."""
    match node:
        case ast.ColumnRef():
            named = [part.sval for part in node.fields if isinstance(part, ast.String)]
            return named[-1] if named else None
        case ast.A_Indirection():
            named = [part.sval for part in node.indirection if isinstance(part, ast.String)]
            return named[-1] if named else figured_name(node.arg)
        case ast.FuncCall():
            return str(node.funcname[-1].sval)
        case ast.A_Expr(kind=A_Expr_Kind.AEXPR_NULLIF):
            return "nullif"
        case ast.TypeCast():
            return figured_name(node.arg) or str(node.typeName.names[-1].sval)
        case ast.CollateClause():
            return figured_name(node.arg)
        case ast.CaseExpr():
            return figured_name(node.defresult) or "case"
        case ast.CoalesceExpr():
            return "coalesce"
        case ast.MinMaxExpr():
            return "greatest" if node.op == MinMaxOp.IS_GREATEST else "least"
        case ast.A_ArrayExpr():
            return "array"
        case ast.RowExpr():
            return "row"
        case ast.SQLValueFunction():
            name: str = node.op.name.removeprefix("SVFOP_")
            return name.removesuffix("_N").lower()
    return None


def _numbers() -> Iterator[str]:
    yield ""
    yield from map(str, count(1))


def _joined(columns: Iterable[str]) -> str:
    """The columns joined, none behind what is too long already (`ChooseIndexNameAddition`)."""
    joined = ""
    for column in columns:
        joined += f"_{column}" if joined else column
        if len(joined.encode()) > _LONGEST:
            break
    return joined


def _object_name(first: str, second: str, label: str) -> str:
    """The parts joined; the longer one is shortened until all fit."""
    left = _LONGEST - len(label.encode()) - 1 - (1 if second else 0)
    sizes = [len(first.encode()), len(second.encode())]
    while sum(sizes) > left:
        sizes[0 if sizes[0] > sizes[1] else 1] -= 1
    parts = (_clipped(first, sizes[0]), _clipped(second, sizes[1]), label)
    return "_".join(part for part in parts if part)


def _clipped(text: str, size: int) -> str:
    """As many whole characters as fit into so many bytes (`pg_mbcliplen`)."""
    return text.encode()[:size].decode("utf-8", "ignore")
