"""What a data-modifying level writes, and whether it touches a key (`ExecUpdateLockMode`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pglast import ast
from pglast.enums import CmdType, OnConflictAction

from pglint_locks.model.queries.keys import takes_key_lock
from pglint_locks.model.queries.query import Query, QueryKind, RangeItem
from pglint_locks.schema.names import TableName
from pglint_locks.sql.standins import is_stand_in


class Write(NamedTuple):
    """A change that a statement makes to existing rows of a table.

    `columns` are those of its SET lists, in order, without assignments of a column to
    itself where the server compares values; empty for DELETE.  `takes_key_lock`: it
    deletes, or it changes a column of a key, by the schema or by its name.
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
    match query.kind:
        case QueryKind.DELETE:
            return Write(query, query.target.table, "DELETE", (), takes_key_lock=True)
        case QueryKind.UPDATE:
            targets = query.node.targetList
            return _update(query, query.target, targets, _changed(targets, query.target))
        case QueryKind.INSERT:
            conflict = query.node.onConflictClause
            if conflict is None or conflict.action != OnConflictAction.ONCONFLICT_UPDATE:
                return None
            names = (str(each.name) for each in conflict.targetList)
            return _update(query, query.target, conflict.targetList, names)
        case QueryKind.MERGE:
            return _merge(query, query.target)
    return None


def _update(
    query: Query,
    target: RangeItem,
    targets: Sequence[ast.ResTarget],
    changed: Iterable[str],
    *,
    deletes: bool = False,
) -> Write:
    assert target.table is not None
    columns = tuple(changed)
    takes_key = deletes or takes_key_lock(target, columns, [str(each.name) for each in targets])
    return Write(query, target.table, query.kind.value, columns, takes_key)


def _merge(query: Query, target: RangeItem) -> Write | None:
    clauses = query.node.mergeWhenClauses
    deletes = any(clause.commandType == CmdType.CMD_DELETE for clause in clauses)
    updates = [clause for clause in clauses if clause.commandType == CmdType.CMD_UPDATE]
    if not updates and not deletes:
        return None
    targets = [each for clause in updates for each in clause.targetList]
    return _update(query, target, targets, _changed(targets, target), deletes=deletes)


def _changed(targets: Iterable[ast.ResTarget], written: RangeItem) -> Iterator[str]:
    """The columns that a SET list changes: `id = id` keeps the value, and so the key."""
    for target in targets:
        kept = _assigned(target.val) in ((target.name,), (written.refname, target.name))
        if not kept or is_stand_in(target.name):
            yield str(target.name)


def _assigned(value: ast.Node) -> tuple[str, ...]:
    """The dotted name of the column that is assigned, also by `(a, b) = (…)`; else ()."""
    if isinstance(value, ast.MultiAssignRef) and isinstance(value.source, ast.RowExpr):
        value = value.source.args[value.colno - 1]
    if not isinstance(value, ast.ColumnRef):
        return ()
    return tuple(getattr(part, "sval", "*") for part in value.fields)
