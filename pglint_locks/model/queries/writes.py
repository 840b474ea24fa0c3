"""What a data-modifying level writes, and whether it touches a key (`ExecUpdateLockMode`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pglast import ast
from pglast.enums import CmdType, OnConflictAction

from pglint_locks.model.queries.names import is_key_like
from pglint_locks.model.queries.query import Query, QueryKind
from pglint_locks.schema.names import TableName
from pglint_locks.sql.standins import is_stand_in


class Write(NamedTuple):
    """A change that a statement makes to existing rows of a table.

    `columns` are those of its SET lists, in order, without assignments of a column to
    itself where the server compares values; empty for DELETE.  `takes_key_lock`: it
    deletes, or it changes a column that reads as the table's key.
    """

    query: Query
    table: TableName
    verb: str
    columns: tuple[str, ...]
    takes_key_lock: bool


@lru_cache(maxsize=1024)
def write_of(query: Query) -> Write | None:
    """What a level changes in existing rows; None if nothing (a SELECT, a plain INSERT)."""
    if query.target is None or query.target.table is None:
        return None
    table = query.target.table
    match query.kind:
        case QueryKind.DELETE:
            return Write(query, table, "DELETE", (), takes_key_lock=True)
        case QueryKind.UPDATE:
            columns = tuple(_changed(query.node.targetList, query.target.refname))
        case QueryKind.INSERT:
            conflict = query.node.onConflictClause
            if conflict is None or conflict.action != OnConflictAction.ONCONFLICT_UPDATE:
                return None
            columns = tuple(target.name for target in conflict.targetList)
        case QueryKind.MERGE:
            return _merge(query, table)
        case _:
            return None
    return Write(query, table, query.kind.value, columns, _touches_key(columns, table))


def _merge(query: Query, table: TableName) -> Write | None:
    clauses = query.node.mergeWhenClauses
    deletes = any(clause.commandType == CmdType.CMD_DELETE for clause in clauses)
    updates = [clause for clause in clauses if clause.commandType == CmdType.CMD_UPDATE]
    if not updates and not deletes:
        return None
    assert query.target is not None
    columns = tuple(
        column for clause in updates for column in _changed(clause.targetList, query.target.refname)
    )
    return Write(query, table, "MERGE", columns, deletes or _touches_key(columns, table))


def _touches_key(columns: tuple[str, ...], table: TableName) -> bool:
    # What stands for a column that is not known may be the key.
    return any(is_key_like(column, table) or is_stand_in(column) for column in columns)


def _changed(targets: tuple[ast.ResTarget, ...], refname: str | None) -> Iterator[str]:
    """The columns that a SET list changes: `id = id` keeps the value, and so the key."""
    for target in targets:
        kept = _assigned(target.val) in ((target.name,), (refname, target.name))
        if not kept or is_stand_in(target.name):
            yield str(target.name)


def _assigned(value: ast.Node) -> tuple[str, ...]:
    """The dotted name of the column that is assigned, also by `(a, b) = (…)`; else ()."""
    if isinstance(value, ast.MultiAssignRef) and isinstance(value.source, ast.RowExpr):
        value = value.source.args[value.colno - 1]
    if not isinstance(value, ast.ColumnRef):
        return ()
    return tuple(getattr(part, "sval", "*") for part in value.fields)
