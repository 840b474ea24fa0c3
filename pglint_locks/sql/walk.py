"""Walking parse trees: children in the order of the text, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast

# Where the order of a node's fields is not the order of the text, the fields that
# stand first; the rest follow in their own order.
_FIRST_FIELDS: dict[type[ast.Node], tuple[str, ...]] = {
    ast.SelectStmt: ("withClause", "larg", "rarg", "distinctClause", "targetList"),
    ast.InsertStmt: ("withClause",),
    ast.UpdateStmt: ("withClause", "relation", "targetList", "fromClause"),
    ast.DeleteStmt: ("withClause",),
    ast.MergeStmt: ("withClause",),
    ast.RangeTableFunc: ("namespaces", "rowexpr"),
}

# Fields that hold statements of their own, which do not run with the node's.
_OTHER_STATEMENTS = {(ast.CreateFunctionStmt, "sql_body")}

_fields_of: dict[type[ast.Node], tuple[str, ...]] = {}


def _fields(kind: type[ast.Node]) -> tuple[str, ...]:
    """The fields of a node type that can hold nodes, in the order of the text."""
    known = _fields_of.get(kind)
    if known is None:
        first = _FIRST_FIELDS.get(kind, ())
        own = [
            name
            for name, slot in kind.__slots__.items()
            if slot.c_type.endswith("*")
            and slot.c_type != "char*"
            and (kind, name) not in _OTHER_STATEMENTS
        ]
        known = _fields_of[kind] = (*first, *(name for name in own if name not in first))
    return known


def textual_children(node: ast.Node) -> Iterator[ast.Node]:
    """The nodes directly below a node, in the order of the text.

    `(a, b) = (SELECT …)` is one sub-SELECT, though the tree repeats it for each column.
    """
    if isinstance(node, ast.MultiAssignRef) and node.colno > 1:
        return
    if isinstance(node, ast.SelectStmt) and node.limitCount and node.limitOffset:
        yield from _with_limits_in_order(node)
        return
    for field in _fields(type(node)):
        yield from _nodes(getattr(node, field))


def _with_limits_in_order(node: ast.SelectStmt) -> Iterator[ast.Node]:
    """A SELECT's children: its LIMIT and OFFSET may stand in either order, last."""
    for field in _fields(ast.SelectStmt):
        if field not in ("limitCount", "limitOffset", "lockingClause"):
            yield from _nodes(getattr(node, field))
    yield from sorted((node.limitCount, node.limitOffset), key=leftmost_location)
    yield from _nodes(node.lockingClause)


def _nodes(value: Any) -> Iterator[ast.Node]:
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def descendants(node: ast.Node) -> Iterator[ast.Node]:
    """A node and all nodes below it, parents first, in the order of the text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(textual_children(current))))


def leftmost_location(node: ast.Node) -> int:
    """The smallest offset that a node or any node below it names; -1 if none does."""
    locations = (getattr(below, "location", -1) for below in descendants(node))
    return min((place for place in locations if place is not None and place >= 0), default=-1)
