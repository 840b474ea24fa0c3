"""What keeps other sessions out before a clause locks anything."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, WaitPolicy
from pglint_locks.model.rows.advisory import (
    calls_advisory_lock,
    is_advisory_lock,
    waits_for_advisory_lock,
)
from pglint_locks.model.statements.statement import Statement


def is_serialized(clause: LockingClause, mark: RowMark) -> bool:
    """Whether a lock that may stand for the group keeps the others out.

    One that a statement before has taken does.  One for which the very statement waits does
    not: its snapshot is older than the wait, and so is what it reads of the others' rows.
    One that it gets at once or not at all leaves them little room.
    """
    statement = clause.statement
    return any(
        isinstance(each.node, ast.LockStmt)
        or calls_advisory_lock(each)
        or any(not _is_same_table(other, mark) for other in _exclusive_marks(each))
        for each in statement.earlier
    ) or (
        any(
            is_advisory_lock(call) and not waits_for_advisory_lock(call)
            for level in statement.levels
            for call in level.calls
        )
        or any(
            other.wait_policy is not WaitPolicy.BLOCK and not _is_same_table(other, mark)
            for other in _exclusive_marks(statement)
        )
    )


def holds_rows_already(clause: LockingClause, mark: RowMark) -> bool:
    """Whether a statement before it has kept others from rows of the very table.

    By LOCK TABLE, by writing it, or by an exclusive lock on rows of it; a temporary table
    is nobody else's.  What stands behind it in a loop comes before it only in later turns.
    """
    if mark.table.name in clause.statement.transaction.temporary:
        return True
    return any(
        isinstance(statement.node, ast.LockStmt)
        or _writes(statement, mark)
        or any(_is_same_table(other, mark) for other in _exclusive_marks(statement))
        for statement in clause.statement.earlier
        if statement.start < clause.statement.start
    )


def _exclusive_marks(statement: Statement) -> list[RowMark]:
    """The row marks of a statement's own that keep other writers out."""
    if not statement.has_locking_clause:
        return []
    return [
        mark
        for clause in locking_clauses(statement)
        for mark in clause.marks
        if mark.strength.is_exclusive
    ]


def _is_same_table(other: RowMark, mark: RowMark) -> bool:
    return other.table.same_table(mark.table)


def _writes(statement: Statement, mark: RowMark) -> bool:
    return any(
        level.is_write
        and level.target is not None
        and level.target.table is not None
        and level.target.table.same_table(mark.table)
        for level in statement.levels
    )
