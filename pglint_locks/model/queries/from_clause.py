"""The nodes of FROM that a level's range items were made from."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast

from pglint_locks.model.queries.query import Query, RangeItem


def from_nodes(query: Query) -> Iterator[tuple[ast.Node, RangeItem]]:
    """Each entry of FROM (of USING) with its range item, a join after its two sides."""
    items = iter(query.items)  # `build` made them in this order
    stack = [(node, False) for node in reversed(_from_clause(query.node))]
    while stack:
        node, sides_done = stack.pop()
        if isinstance(node, ast.JoinExpr) and not sides_done:
            stack += [(node, True), (node.rarg, False), (node.larg, False)]
        else:
            yield node, next(items)


def location_of(item: RangeItem) -> int | None:
    """The statement offset of a table's or WITH query's name in FROM."""
    for node, found in from_nodes(item.holder):
        if found is item:
            while isinstance(node, ast.RangeTableSample):
                node = node.relation
            return node.location if isinstance(node, ast.RangeVar) else None
    return None


def _from_clause(node: ast.Node) -> tuple[ast.Node, ...]:
    match node:
        case ast.DeleteStmt():
            return node.usingClause or ()
        case ast.MergeStmt():
            return (node.sourceRelation,)
        case ast.SelectStmt() | ast.UpdateStmt():
            return node.fromClause or ()
    return ()
