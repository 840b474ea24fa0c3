"""What becomes of locked rows, later in their statement and transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast

from pglint_locks.model.flow import consumers
from pglint_locks.model.locks import LockingClause, RowMark
from pglint_locks.model.names import TableName, refers_to
from pglint_locks.model.predicates import equalities
from pglint_locks.model.queries import ItemKind, Query
from pglint_locks.model.statements import Statement
from pglint_locks.model.writes import Write, write_of
from pglint_locks.text import Span


class RowUse(NamedTuple):
    """A later change, in the same statement or transaction, of rows that a clause locks."""

    write: Write
    statement: Statement
    same_statement: bool

    @property
    def span(self) -> Span:
        """The name of the table that is written, where it is written, as unit offsets."""
        return self.statement.target_name(self.write.query)


def row_uses(clause: LockingClause, mark: RowMark) -> list[RowUse]:
    """What its statement and the later ones of its transaction change of a mark's rows.

    In its own statement a write counts where it is fed by the locked rows; in a later
    one where it writes the same table and no key shows that it means another row.
    """
    own_readers = consumers(mark.level)
    uses = [
        RowUse(write, clause.statement, same_statement=True)
        for write in _writes(clause.statement, mark.table)
        if write.query in own_readers
    ]
    for statement in clause.statement.later:
        uses += [
            RowUse(write, statement, same_statement=False)
            for write in _writes(statement, mark.table)
            if not is_other_row(mark, write.query)
        ]
    return uses


def _writes(statement: Statement, table: TableName) -> Iterator[Write]:
    for level in statement.levels:
        write = write_of(level)
        if write is not None and write.table.same_table(table):
            yield write


def is_other_row(mark: RowMark, written: Query) -> bool:
    """Whether a mark and a level pin one column of the table to constants that differ."""
    locked = _pinned(mark.level, mark.table)
    changed = _pinned(written, mark.table)
    return any(column in changed and changed[column] != value for column, value in locked.items())


def _pinned(query: Query, table: TableName) -> dict[str, object]:
    """Columns of a table that a level's WHERE holds equal to a constant."""
    return {
        equality.column: _constant_value(equality.value)
        for equality in equalities(query)
        if equality.item.table is not None
        and equality.item.table.same_table(table)
        and isinstance(equality.value, ast.A_Const)
    }


def _constant_value(node: ast.A_Const) -> object:
    value = node.val
    for field in ("ival", "fval", "sval", "boolval"):
        if hasattr(value, field):
            return str(getattr(value, field))
    return None


def reads_children(clause: LockingClause, mark: RowMark) -> bool:
    """Whether rows that refer to the locked ones are read under the lock's protection.

    FOR NO KEY UPDATE lets other transactions insert such rows; FOR UPDATE keeps them out.
    """
    levels = [level for level in clause.statement.levels if level is not mark.level]
    for statement in clause.statement.later:
        levels += statement.levels
    return any(_reads_child(level, mark.table) for level in levels if not level.is_write)


def _reads_child(level: Query, table: TableName) -> bool:
    for column in level.columns:
        if not refers_to(column.parts[-1], table):
            continue
        item = level.resolve(column.parts)
        if (
            item is not None
            and item.kind is ItemKind.TABLE
            and item.table is not None
            and not item.table.same_table(table)
        ):
            return True
    return False


def is_written(statement: Statement, table: TableName) -> bool:
    """Whether a statement, or a later one of its transaction, changes rows of a table."""
    return any(any(_writes(each, table)) for each in (statement, *statement.later))
