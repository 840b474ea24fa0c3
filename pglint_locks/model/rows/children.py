"""Rows of other tables that refer to locked ones, by the schema's foreign keys or by names."""

from __future__ import annotations

from collections.abc import Sequence

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.queries.names import refers_to
from pglint_locks.model.queries.query import ItemKind, Query
from pglint_locks.schema.catalog import Reference
from pglint_locks.schema.names import TableName


def references_to(mark: RowMark, clause: LockingClause) -> Sequence[Reference]:
    """The foreign keys that are known to point at a mark's table."""
    relation = mark.item.relation
    return () if relation is None else clause.statement.known.catalog.references_to(relation)


def has_no_children(mark: RowMark, clause: LockingClause) -> bool:
    """Whether the schema shows that no foreign key points at a mark's table."""
    relation, catalog = mark.item.relation, clause.statement.known.catalog
    if relation is None or not catalog.knows_references_to(relation):
        return False
    return not catalog.references_to(relation)


def reads_children(clause: LockingClause, mark: RowMark) -> bool:
    """Whether rows that refer to the locked ones are read under the lock's protection.

    FOR NO KEY UPDATE lets other transactions insert such rows; FOR UPDATE keeps them out.
    """
    levels = [level for level in clause.statement.levels if level is not mark.level]
    for statement in clause.statement.later:
        levels += statement.levels
    keys = {
        (reference.holder.name, column)
        for reference in references_to(mark, clause)
        for column in reference.key.columns
    }
    return any(_reads_child(level, mark, keys) for level in levels if not level.is_write)


def _reads_child(level: Query, mark: RowMark, keys: set[tuple[TableName, str]]) -> bool:
    for column in level.columns:
        item = level.resolve(column.parts)
        if item is None or item.kind is not ItemKind.TABLE or item.table is None:
            continue
        if item.relation is not None and (item.relation.name, column.parts[-1]) in keys:
            return True
        is_other = not item.table.same_table(mark.table)
        if is_other and refers_to(column.parts[-1], mark.table):
            return True
    return False
