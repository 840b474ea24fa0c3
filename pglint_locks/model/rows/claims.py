"""Claims: rows that are picked by their state, and whose state is then changed.

What makes a locking SELECT a claim, and the claims that are made without any lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.locks.sorting import is_random_order, sort_expressions
from pglint_locks.model.planner.flow import has_ties, is_bounded, locking_level, stopping_levels
from pglint_locks.model.planner.predicates import (
    column_names,
    is_by_constant_key,
    is_by_key,
    tested_columns,
)
from pglint_locks.model.queries.keys import names_row
from pglint_locks.model.queries.query import Clause, Query, QueryKind, RangeItem
from pglint_locks.model.queries.writes import Write, write_of
from pglint_locks.model.rows.advisory import waits_for_advisory_lock
from pglint_locks.model.rows.choices import Choice, choices
from pglint_locks.model.rows.uses import RowUse, row_uses
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.walk import descendants

_CLAIMERS = frozenset({QueryKind.UPDATE, QueryKind.MERGE})


# --- what becomes of the claimed rows ---------------------------------------------------


def claimed_columns(clause: LockingClause, mark: RowMark) -> list[str]:
    """The columns that the lock's WHERE tests and that its transaction goes on to change.

    One or more of them make the locking SELECT a claim.
    """
    tested = _tested_of(mark.item)
    return [column for column in changed_columns(clause, mark) if column in tested]


def stale_order_columns(clause: LockingClause, mark: RowMark) -> list[str]:
    """The columns that the locked rows are sorted by and that the transaction changes."""
    level = locking_level(mark.level)
    sorted_by = set[str]().union(*(column_names(key) for key in sort_expressions(level)))
    return [column for column in changed_columns(clause, mark) if column in sorted_by]


def changed_columns(clause: LockingClause, mark: RowMark) -> list[str]:
    """The columns of the locked rows that the statement or its transaction changes."""
    changed = (column for use in row_uses(clause, mark) for column in use.write.columns)
    return list(dict.fromkeys(changed))


def retested_columns(clause: LockingClause, mark: RowMark, choice: Choice) -> list[str]:
    """The columns by which rows were chosen unlocked and that are tested again once locked.

    At the level of the lock, or by the write of the same statement that takes the rows.
    """
    found = set(choice.retested)
    for use in row_uses(clause, mark):
        if use.same_statement and use.write.query.target is not None:
            found |= tested_columns(use.write.query.target) & choice.states
    return sorted(found)


def takes_rows_in_turn(mark: RowMark) -> bool:
    """Whether a lock's level says which rows come first: ORDER BY or a test of their state."""
    return bool(locking_level(mark.level).node.sortClause or tested_columns(mark.item))


def limiting_level(mark: RowMark) -> Query | None:
    """The level whose LIMIT says how many rows a lock takes at most."""
    return next(stopping_levels(locking_level(mark.level)), None)


def is_ranked(level: Query, item: RangeItem) -> bool:
    """Whether a level is sorted first by a column other than the table's key."""
    first = next(sort_expressions(level), None)
    if first is None or is_random_order(first):
        return False
    return any(not names_row(item, column) for column in column_names(first))


def level_with_ties(mark: RowMark) -> Query | None:
    """The level whose FETCH … WITH TIES looks at, and locks, one row beyond the last tie."""
    level = locking_level(mark.level)
    return level if has_ties(level) else None


def write_by_ctid(clause: LockingClause, mark: RowMark) -> RowUse | None:
    """The write that finds the locked rows by the ctid that the locking level gives out."""
    gives_ctid = any(
        column.parts[-1] == "ctid"
        and column.standing.clause is Clause.TARGET
        and mark.level.resolve(column.parts) is mark.item
        for column in mark.level.columns
    )
    if gives_ctid:
        for use in row_uses(clause, mark):
            target = use.write.query.target
            if use.same_statement and target is not None and "ctid" in tested_columns(target):
                return use
    return None


def _tested_of(item: RangeItem) -> set[str]:
    """The columns of a table tested at its level and, by name, outside its FROM sub-SELECTs."""
    found = tested_columns(item)
    while isinstance(item.holder.embedding, RangeItem):
        item = item.holder.embedding
        found |= tested_columns(item)
    return found


# --- claims without any lock ------------------------------------------------------------


class UnlockedClaim(NamedTuple):
    """A write that changes the very state by which its rows were chosen without a lock.

    `columns` are those that the choice tests and the write changes.
    """

    write: Write
    choice: Choice
    columns: tuple[str, ...]


def unlocked_claims(statement: Statement) -> Iterator[UnlockedClaim]:
    """The claims of a statement that nothing keeps two sessions from making at once.

    A test of a changed column outside the choice is made again once the first session
    has committed (`EvalPlanQual`), and a row found by ctid has moved: both do keep them.
    """
    if _is_serialized(statement):
        return
    for level in statement.levels:
        write, target = write_of(level), level.target
        if write is None or target is None or level.kind not in _CLAIMERS:
            continue
        outside = tested_columns(target)
        if outside & {*write.columns, "ctid"} or is_by_constant_key(target):
            continue
        for choice in choices(target, write.table):
            columns = tuple(column for column in write.columns if column in choice.tested)
            bounded = is_bounded(choice.chooser) and choice.limit != 0
            if bounded and columns and not is_by_key(choice.item) and not _fills_in(level, columns):
                yield UnlockedClaim(write, choice, columns)
                break


def _fills_in(level: Query, columns: tuple[str, ...]) -> bool:
    """Whether a write gives columns values worked out from other columns, and returns none.

    A second session gives them the same values: nothing is claimed.
    """
    if level.kind is not QueryKind.UPDATE or level.node.returningClause is not None:
        return False
    values = [target.val for target in level.node.targetList if target.name in columns]
    return all(
        any(isinstance(node, ast.ColumnRef | ast.SubLink) for node in descendants(value))
        and not column_names(value) & set(columns)
        for value in values
    )


def _is_serialized(statement: Statement) -> bool:
    """Whether a lock of some kind, or the isolation level, lets one session in at a time.

    An advisory lock for which the very statement waits comes too late: see `is_serialized`
    of model/exclusion.py.
    """
    if statement.context.keeps_snapshot:
        return True
    if any(isinstance(each.node, ast.LockStmt) for each in statement.earlier):
        return True
    return any(
        each.has_locking_clause
        or any(
            "advisory" in call.name and not (each is statement and waits_for_advisory_lock(call))
            for level in each.levels
            for call in level.calls
        )
        for each in (*statement.earlier, statement)
    )
