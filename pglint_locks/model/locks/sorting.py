"""What an ORDER BY sorts by."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.planner.flow import locking_level
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.queries.functions import is_random
from pglint_locks.model.queries.keys import is_key
from pglint_locks.model.queries.outputs import output_expression
from pglint_locks.model.queries.query import Query
from pglint_locks.sql.walk import textual_children


def sort_expressions(query: Query) -> Iterator[ast.Node]:
    """The expressions of ORDER BY.

    An output column's name or position is replaced by the expression behind it
    (`findTargetlistEntrySQL92`).
    """
    for key in getattr(query.node, "sortClause", None) or ():
        yield _behind(key.node, query.node.targetList or ())


def _behind(node: ast.Node, targets: tuple[ast.ResTarget, ...]) -> ast.Node:
    if isinstance(node, ast.ColumnRef) and len(node.fields) == 1:
        for target in targets:
            if target.name is not None and target.name == getattr(node.fields[0], "sval", None):
                return target.val
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        position = node.val.ival
        before = targets[:position]
        if len(before) == position > 0 and not any(_is_star(target.val) for target in before):
            return before[-1].val
    return node


def _is_star(node: ast.Node) -> bool:
    return isinstance(node, ast.ColumnRef) and isinstance(node.fields[-1], ast.A_Star)


def is_random_order(expression: ast.Node) -> bool:
    """Whether an expression has another value each time it is computed.

    A sub-SELECT in it is computed once and does not count.
    """
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.SubLink):
            continue
        if isinstance(node, ast.FuncCall):
            *schema, name = (part.sval for part in node.funcname)
            if is_random(schema[-1] if schema else None, name):
                return True
        stack.extend(textual_children(node))
    return False


def is_key_order(expression: ast.Node, query: Query) -> bool:
    """Whether an expression is a column that is the key of the level's only table."""
    if not isinstance(expression, ast.ColumnRef):
        return False
    parts = tuple(getattr(part, "sval", "*") for part in expression.fields)
    item = query.resolve(parts)
    return item is not None and is_key(item, parts[-1]) and len(query.items) == 1


def random_sort_key(query: Query) -> int | None:
    """Index of the first ORDER BY key that makes a level's order random, if one does.

    Behind a key that is unique by its name, later ones decide nothing.
    """
    for index, expression in enumerate(sort_expressions(query)):
        if is_random_order(expression) or _is_random_column(expression, query):
            return index
        if is_key_order(expression, query):
            return None
    return None


def is_locked_in_order(mark: RowMark) -> bool:
    """Whether ORDER BY stands at the level where the plan locks a mark's rows."""
    return bool(getattr(locking_level(mark.level).node, "sortClause", None))


def _is_random_column(expression: ast.Node, query: Query) -> bool:
    """Whether a sub-SELECT or WITH query in FROM draws the column anew for each of its rows."""
    parts = column_parts(expression)
    item = query.resolve(parts) if parts else None
    if item is None or item.holder is not query:
        return False
    inner = item.query or (item.cte and item.cte.query)
    if not inner or not (inner.items or inner.reads_from(query)):
        return False
    drawn = output_expression(inner, parts[-1])
    return drawn is not None and is_random_order(drawn)
