"""What lies below a locking clause without being a table: WITH queries above all."""

from __future__ import annotations

from pglint_locks.model.locks.refusals import refusal_of_level
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, Strength, items_covered
from pglint_locks.model.planner.flow import levels_below
from pglint_locks.model.queries.query import Cte, ItemKind, Query, QueryKind, RangeItem
from pglint_locks.schema.names import TableName


def ctes_reached(clause: LockingClause) -> list[Cte]:
    """The WITH queries that a clause reads, directly or through FROM sub-SELECTs.

    It is never applied inside them.  Those of a view are not the statement's.
    """
    if clause.refusal is not None:
        return []
    found: list[Cte] = []
    stack: list[RangeItem] = list(reversed(clause.items))
    while stack:
        item = stack.pop()
        if item.cte is not None and item.cte not in found:
            found.append(item.cte)
        if item.query is not None and item.view is None:
            stack.extend(reversed(item.query.items))
    return found


def tables_locked_inside(cte: Cte, strength: Strength) -> list[TableName]:
    """The tables whose rows a WITH query writes, or locks itself at least as strongly."""
    tables: list[TableName] = []
    for level in levels_below(cte.query):
        if level.target is not None and level.target.table is not None:
            tables.append(level.target.table)
        covered = items_covered(level, strength)
        tables += [item.table for item in covered if item.table is not None]
    return list(dict.fromkeys(tables))


def may_hold_clause(cte: Cte, words: str) -> bool:
    """Whether the server takes a locking clause at the top level of a WITH query."""
    is_select = cte.query.kind is QueryKind.SELECT
    return is_select and refusal_of_level(cte.query, words) is None


def table_below(cte: Cte) -> TableName | None:
    """The first table that a WITH query's rows come from."""
    for level in levels_below(cte.query):
        if level.target is not None:
            return level.target.table
        for item in level.items:
            if item.kind is ItemKind.TABLE:
                return item.table
    return None


def kinds_reached(clause: LockingClause) -> set[str]:
    """What a clause finds in FROM, its own and that of FROM sub-SELECTs, in plain words."""
    kinds: set[str] = set()
    stack = list(clause.items)
    while stack:
        item = stack.pop()
        if item.query is not None and item.query.items:
            stack.extend(item.query.items)
        elif item.kind is not ItemKind.JOIN:
            inside = item.query or item.holder
            view = (
                f" in view {inside.view_item.view.name}"
                if inside.view_item and inside.view_item.view
                else ""
            )
            kinds.add(f"{_kind(item)}{view}")
    return kinds


def _kind(item: RangeItem) -> str:
    if item.wrapper is not None:
        return f"foreign tables of {item.wrapper}"
    if item.query is None:
        return "WITH queries" if item.kind is ItemKind.CTE else f"{item.kind.value}s"
    match item.query.kind:
        case QueryKind.VALUES:
            return "VALUES"
        case QueryKind.SET_OPERATION:
            return "a UNION"
    return "a sub-SELECT without FROM"


def is_remote(mark: RowMark) -> bool:
    """Whether the rows are locked by another PostgreSQL server (`postgres_fdw`).

    Its deparser sends the strength alone (`deparseLockingClause`), no wait policy.
    """
    return mark.item.wrapper == "postgres_fdw"


def tables_in_sub_links(query: Query) -> list[TableName]:
    """The tables that the sub-SELECTs in a level's expressions name in FROM, in order."""
    return [
        item.table
        for link in query.sub_links
        for level in levels_below(link.query)
        for item in level.items
        if item.table is not None
    ]
