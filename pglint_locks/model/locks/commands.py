"""The name under which the server speaks of a command (`CreateCommandName`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pglast import ast
from pglast.enums import ObjectType

from pglint_locks.model.planner.joins import join_tree, lone_leaf
from pglint_locks.model.planner.plan_levels import is_pulled_up, plan_level
from pglint_locks.model.planner.strictness import is_never_true
from pglint_locks.model.queries.query import Cte, ItemKind, Query, QueryKind, RangeItem

_WRITES = {
    ast.InsertStmt: "INSERT",
    ast.UpdateStmt: "UPDATE",
    ast.DeleteStmt: "DELETE",
    ast.MergeStmt: "MERGE",
}


def command_name(node: ast.Node, top: Query, marks: Mapping[RangeItem, str]) -> str | None:
    """The name of a command that locks rows; None if its plan marks none.

    `marks` are the tables and sub-SELECTs that clauses cover, with the strength's words,
    in the order of `Query.rowMarks`.  The first mark of the plan gives the name: where
    that is a sub-SELECT's it is plain SELECT.
    """
    if isinstance(node, ast.CreateTableAsStmt):
        return "CREATE TABLE AS" if node.objtype == ObjectType.OBJECT_TABLE else None
    if isinstance(node, ast.SelectStmt) and node.intoClause is not None:
        return "SELECT INTO"
    if type(top.node) in _WRITES:
        return _WRITES[type(top.node)]
    for level in plan_levels(top):
        own = [item for item in marks if plan_level(item.holder) is level]
        tables = [item for item in own if item.kind is ItemKind.TABLE]
        if tables:
            return f"SELECT {marks[tables[0]]}"
        if own:
            return "SELECT"
    return None


def planned_levels(top: Query) -> set[Query]:
    """The levels that are part of the plan.

    A WITH query that only reads and that nothing names is not.  One that only an unread one
    names is, though it is never run (`cterefcount`).
    """
    return _levels(top, with_empty=False)


def checked_levels(top: Query) -> set[Query]:
    """The levels whose tables' permissions are checked (`flatten_unplanned_rtes`)."""
    return _levels(top, with_empty=True)


def _levels(top: Query, with_empty: bool) -> set[Query]:
    planned: set[Query] = set()
    stack = [top]
    while stack:
        query = stack.pop()
        if query in planned:
            continue
        planned.add(query)
        stack += [cte.query for cte in query.ctes if cte.query.is_write or _is_named(cte)]
        if not _is_empty(query):
            stack += query.sources()
        elif with_empty:  # their WITH queries too, be they named or not
            stack += (level for source in query.sources() for level in source.levels())
        stack += [link.query for link in query.sub_links]
    return planned


def _is_empty(query: Query) -> bool:
    """Whether a level reads a lone sub-SELECT under a condition that is never true.

    It is left out of the plan (`relation_excluded_by_constraints`); beside others it is not.
    """
    if query.kind is not QueryKind.SELECT or not is_never_true(query.node.whereClause):
        return False
    return lone_leaf(join_tree(plan_level(query))) is not None


def _is_pulled_up(query: Query) -> bool:
    return isinstance(query.embedding, RangeItem) and is_pulled_up(query)


def _is_named(cte: Cte) -> bool:
    """Whether anything outside a WITH query itself names it in FROM."""
    inside = set(cte.query.levels())
    return any(item.holder not in inside for item in cte.references)


def plan_levels(top: Query) -> Iterator[Query]:
    """The levels of the plan, in the order in which their marks are gathered."""
    planned = planned_levels(top)
    stack = [top]
    while stack:
        query = stack.pop()
        if query in planned and not _is_pulled_up(query):
            yield query
        below = [item.query for item in query.items if item.query is not None]
        below += [cte.query for cte in query.ctes]
        below += query.arms
        below += [link.query for link in query.sub_links]
        stack.extend(reversed(below))
