"""The columns that a query gives, and those that a sub-link tests them with."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.queries.query import Query, SubLink


def output_expression(query: Query, column: str) -> ast.Node | None:
    """What a query computes for an output column; None where that does not show."""
    node = query.node
    targets = getattr(node, "targetList", None) or ()
    return next((each.val for each in targets if _output_name(each) == column), None)


def output_column(query: Query, index: int) -> str | None:
    """The name of a query's output column, counted from 0; None for a nameless one."""
    targets = tuple(getattr(query.node, "targetList", None) or ())
    return _output_name(targets[index]) if index < len(targets) else None


def has_star(query: Query) -> bool:
    """Whether a query gives all columns of what it reads: `*`, `t.*`."""
    targets = getattr(query.node, "targetList", None) or ()
    return any(
        isinstance(each.val, ast.ColumnRef) and isinstance(each.val.fields[-1], ast.A_Star)
        for each in targets
    )


def source_column(query: Query, column: str) -> str | None:
    """The name of the column behind an output column; None where that does not show."""
    value = output_expression(query, column)
    if isinstance(value, ast.ColumnRef) and isinstance(value.fields[-1], ast.String):
        return str(value.fields[-1].sval)
    return None


def only_output_column(query: Query) -> str | None:
    """The column behind a query's single output column; None for several or a nameless one."""
    targets = tuple(getattr(query.node, "targetList", None) or ())
    name = _output_name(targets[0]) if len(targets) == 1 else None
    return None if name is None else source_column(query, name)


def tested_column(link: SubLink) -> str | None:
    """The last part of the column that a sub-link tests, on whichever side it stands."""
    tested = link.node.testexpr
    comparison = link.standing.comparison
    sides = [tested] if tested is not None else [comparison and comparison.lexpr]
    for side in sides:
        if isinstance(side, ast.ColumnRef) and isinstance(side.fields[-1], ast.String):
            return str(side.fields[-1].sval)
    return None


def _output_name(target: ast.ResTarget) -> str | None:
    if target.name:
        return str(target.name)
    value = target.val
    if isinstance(value, ast.ColumnRef) and isinstance(value.fields[-1], ast.String):
        return str(value.fields[-1].sval)
    return None
