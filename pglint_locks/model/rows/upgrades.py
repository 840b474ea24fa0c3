"""Shared locks that their own transaction goes on to make exclusive: two such deadlock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, Strength, WaitPolicy
from pglint_locks.model.planner.flow import consumers
from pglint_locks.model.queries.query import QueryKind
from pglint_locks.model.rows.exclusion import holds_rows_already
from pglint_locks.model.rows.same_rows import Steps, is_same_row
from pglint_locks.model.rows.uses import row_uses
from pglint_locks.text import Span


class Upgrade(NamedTuple):
    """A stronger lock on rows that `mark` shares.

    `needs` is the strength that the later step takes; `by` says what takes it: a verb
    (UPDATE) or a clause's words (FOR UPDATE); `span` is where, in unit offsets.
    """

    mark: RowMark
    needs: Strength
    by: str
    span: Span
    same_statement: bool


def lock_upgrades(clause: LockingClause) -> Iterator[Upgrade]:
    """What asks for a lock that conflicts with the one that other sessions share meanwhile.

    FOR SHARE conflicts with any change of the row, FOR KEY SHARE with DELETE, a change of
    the key and FOR UPDATE.  An INSERT … ON CONFLICT of a later statement is left out: which
    row it meets does not show.
    """
    for mark in clause.marks:
        if not mark.strength.is_exclusive and not holds_rows_already(clause, mark):
            for upgrade in (*_by_writes(clause, mark), *_by_locks(clause, mark)):
                if mark.strength is Strength.FOR_SHARE or upgrade.needs is Strength.FOR_UPDATE:
                    yield upgrade


def _by_writes(clause: LockingClause, mark: RowMark) -> Iterator[Upgrade]:
    for use in row_uses(clause, mark):
        is_update = use.write.query.kind is not QueryKind.INSERT
        steps = Steps(clause.statement, use.statement)
        if use.same_statement or (is_update and is_same_row(mark, use.write.query, steps)):
            key = use.write.takes_key_lock
            needs = Strength.FOR_UPDATE if key else Strength.FOR_NO_KEY_UPDATE
            yield Upgrade(mark, needs, use.write.verb, use.span, use.same_statement)


def _by_locks(clause: LockingClause, mark: RowMark) -> Iterator[Upgrade]:
    own = consumers(mark.level)
    for statement in (clause.statement, *clause.statement.later):
        if not statement.has_locking_clause:
            continue
        same_statement = statement is clause.statement
        steps = Steps(clause.statement, statement)
        for other in locking_clauses(statement):
            for later in other.marks:
                if not later.strength.is_exclusive or not later.table.same_table(mark.table):
                    continue
                if later.wait_policy is not WaitPolicy.BLOCK:
                    continue  # what does not wait does not deadlock
                if later.level in own if same_statement else is_same_row(mark, later.level, steps):
                    yield Upgrade(mark, later.strength, other.words, other.span, same_statement)
