"""What keeps other sessions out before a clause locks anything."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.advisory import calls_advisory_lock
from pglint_locks.model.locks import LockingClause, RowMark, locking_clauses
from pglint_locks.model.statements import Statement


def is_serialized(clause: LockingClause, mark: RowMark) -> bool:
    """Whether the statement, or one before it, takes a lock that may stand for the group."""
    return any(
        isinstance(statement.node, ast.LockStmt)
        or calls_advisory_lock(statement)
        or any(not mine for mine in _exclusive_marks(statement, mark))
        for statement in (clause.statement, *clause.statement.earlier)
    )


def holds_rows_already(clause: LockingClause, mark: RowMark) -> bool:
    """Whether a statement before it has kept others from rows of the very table.

    By LOCK TABLE, by writing it, or by an exclusive lock on rows of it; a temporary table
    is nobody else's.
    """
    if mark.table.name in clause.statement.transaction.temporary:
        return True
    return any(
        isinstance(statement.node, ast.LockStmt)
        or _writes(statement, mark)
        or any(_exclusive_marks(statement, mark))
        for statement in clause.statement.earlier
    )


def _exclusive_marks(statement: Statement, mark: RowMark) -> list[bool]:
    """Of a statement's exclusive row marks: whether each is on the table of `mark`."""
    if not statement.has_locking_clause:
        return []
    return [
        other.table.same_table(mark.table)
        for clause in locking_clauses(statement)
        for other in clause.marks
        if other.strength.is_exclusive
    ]


def _writes(statement: Statement, mark: RowMark) -> bool:
    return any(
        level.is_write
        and level.target is not None
        and level.target.table is not None
        and level.target.table.same_table(mark.table)
        for level in statement.levels
    )
