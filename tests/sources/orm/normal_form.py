"""What of a statement an ORM decides, as a few words that two ways of writing it share."""

from __future__ import annotations

from typing import Any

from pglast import ast, parse_sql
from pglast.visitors import Visitor

from pglint_locks.sources.host.tree import Node, read_tree


class _Parts(Visitor):
    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_SelectStmt(self, _: Any, node: ast.SelectStmt) -> None:  # noqa: N802
        if node.op.value:
            self.found.append(f"set operation {node.op.name}")
            return
        self.found.append("select")
        self.found += [f"from {name}" for name in sorted(_tables(node.fromClause or ()))]
        self.found += ["where"] * bool(node.whereClause)
        self.found += ["distinct"] * (node.distinctClause is not None)
        for key in node.sortClause or ():
            random = isinstance(key.node, ast.FuncCall)
            self.found.append(f"sort{' random' * random}{' desc' * (key.sortby_dir.value == 2)}")
        self.found += ["limit"] * (node.limitCount is not None)
        self.found += ["offset"] * (node.limitOffset is not None)
        for clause in node.lockingClause or ():
            of = [each.relname for each in clause.lockedRels or ()]
            self.found.append(f"{clause.strength.name} {clause.waitPolicy.name} {of}")

    def visit_UpdateStmt(self, _: Any, node: ast.UpdateStmt) -> None:  # noqa: N802
        self.found.append(f"update {node.relation.relname}")


def _tables(items: Any) -> list[str]:
    found = []
    for item in items:
        if isinstance(item, ast.JoinExpr):
            found += _tables([item.larg, item.rarg])
            found.append(item.jointype.name)
        elif isinstance(item, ast.RangeVar):
            found.append(item.relname)
        else:
            found.append("query")
    return found


def normal_form(sql: str) -> list[str]:
    """The parts of a statement's SELECTs and UPDATEs, from the outside inwards."""
    parts = _Parts()
    parts(parse_sql(sql))
    return parts.found


def expression(text: str) -> Node:
    """The outermost expression of a line of Python."""
    return read_tree(text, "python").operands[0].operands[0]
