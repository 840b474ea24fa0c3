"""What the items of FROM and their columns are called."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.queries.query import Cte
from pglint_locks.sql.standins import is_stand_in


def aliasname(alias: ast.Alias | None) -> str | None:
    """The name that an alias gives."""
    return None if alias is None else alias.aliasname


def alias_columns(alias: ast.Alias | None) -> tuple[str, ...] | None:
    """The column names that an alias lists; None where it lists none."""
    if alias is None or not alias.colnames:
        return None
    return tuple(name.sval for name in alias.colnames)


def cte_columns(cte: Cte) -> tuple[str, ...] | None:
    """Names of a WITH query's columns; None where they do not all show in the text."""
    for node in cte.holder.node.withClause.ctes:
        if node.location == cte.location:
            if node.aliascolnames:
                return tuple(name.sval for name in node.aliascolnames)
            return output_columns(node.ctequery)
    return None


def output_columns(node: ast.Node) -> tuple[str, ...] | None:
    """Names of a query's output columns; None where they do not all show in the text."""
    if not isinstance(node, ast.SelectStmt):
        returning = node.returningClause
        targets = returning.exprs if returning else ()
    else:
        while node.larg is not None:
            node = node.larg
        targets = node.targetList or ()
        if node.valuesLists:
            return tuple(f"column{i + 1}" for i in range(len(node.valuesLists[0])))
    names: list[str] = []
    for target in targets:
        value = target.val
        if target.name:
            names.append(target.name)
        elif isinstance(value, ast.ColumnRef) and isinstance(value.fields[-1], ast.String):
            names.append(value.fields[-1].sval)
        elif isinstance(value, ast.FuncCall):
            names.append(value.funcname[-1].sval)
        else:
            return None
    if any(is_stand_in(name) for name in names):
        return None
    return tuple(names)


def function_refname(node: ast.RangeFunction) -> str | None:
    """A function in FROM is called by its alias, else by its own name."""
    if node.alias is not None:
        return str(node.alias.aliasname)
    call = node.functions[0][0]
    return call.funcname[-1].sval if isinstance(call, ast.FuncCall) else None
