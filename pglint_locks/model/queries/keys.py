"""Which columns tell a table's rows apart: by the schema, or else by their names."""

from __future__ import annotations

from collections.abc import Collection

from pglint_locks.model.queries.names import is_key_like
from pglint_locks.model.queries.query import ItemKind, RangeItem
from pglint_locks.schema.names import TableName
from pglint_locks.sql.standins import is_stand_in


def pins_one_row(item: RangeItem, columns: Collection[str]) -> bool:
    """Whether at most one row of a table has given values in all of some columns."""
    if item.kind is not ItemKind.TABLE or item.table is None:
        return False
    if pins_one_row_by_schema(item, columns):
        return True
    if knows_keys(item):
        return _is_numbered(item, columns)
    return any(is_key_like(column, item.table) for column in columns)


def _is_numbered(item: RangeItem, columns: Collection[str]) -> bool:
    """Whether one of some columns is an identity column: each row has another number.

    That of a partitioned table is often part of a longer key only.
    """
    found = (item.relation.column(column) for column in columns) if item.relation else ()
    return any(column is not None and column.identity for column in found)


def pins_one_row_by_schema(item: RangeItem, columns: Collection[str]) -> bool:
    """Whether the schema has a unique key of some of the columns."""
    keys = item.relation.unique_keys() if item.relation is not None else ()
    return any(set(key).issubset(columns) for key in keys)


def is_key(item: RangeItem, column: str) -> bool:
    """Whether a column alone tells a table's rows apart."""
    return pins_one_row(item, (column,))


def knows_keys(item: RangeItem) -> bool:
    """Whether the schema tells of all unique keys of a table."""
    return item.relation is not None and item.relation.tells_all


def names_row(item: RangeItem, column: str) -> bool:
    """Whether a column says which row is meant, not in what state it is."""
    if item.table is None:
        return False
    return column == "ctid" or is_key_like(column, item.table) or is_key(item, column)


def takes_key_lock(item: RangeItem, changed: Collection[str], assigned: Collection[str]) -> bool:
    """Whether an UPDATE may lock the rows it changes FOR UPDATE, not FOR NO KEY UPDATE.

    `changed` are the columns that may get another value, `assigned` all in its SET list: where
    a trigger runs BEFORE UPDATE those decide (`ExecUpdateLockMode`).  A generated column that
    is in a key may change with others, and a change of the partition key moves the row.
    """
    if any(map(is_stand_in, changed)):
        return True
    relation = item.relation
    if relation is None or not relation.tells_all:
        known = relation.key_columns if relation is not None else frozenset()
        table = item.table or TableName(None, "")
        return any(column in known or is_key_like(column, table) for column in changed)
    keys = relation.key_columns
    generated = {column.name for column in relation.columns if column.generated}
    named = assigned if relation.has_trigger_before_update else changed
    return not keys.isdisjoint({*named, *generated}) or relation.is_partitioned_by(changed)
