"""Locking clauses and the row marks they make (`transformLockingClause`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pglast import ast
from pglast.enums import LockClauseStrength, LockWaitPolicy

from pglint_locks.model.names import TableName
from pglint_locks.model.queries import ItemKind, Query, RangeItem
from pglint_locks.model.refusals import (
    Refusal,
    refusal_of_level,
    refusal_of_name,
    refusal_of_statement,
)
from pglint_locks.model.statements import Statement
from pglint_locks.sql.clauses import ClauseText
from pglint_locks.text import Span


class Strength(IntEnum):
    """A row lock's strength; where several clauses meet, the greatest counts."""

    FOR_KEY_SHARE = 1
    FOR_SHARE = 2
    FOR_NO_KEY_UPDATE = 3
    FOR_UPDATE = 4

    @property
    def is_exclusive(self) -> bool:
        """Whether two transactions cannot both hold it on one row."""
        return self >= Strength.FOR_NO_KEY_UPDATE

    def __str__(self) -> str:
        return self.name.replace("_", " ")


class WaitPolicy(IntEnum):
    """What happens at a row that is locked; the greatest of several counts."""

    BLOCK = 0
    SKIP_LOCKED = 1
    NOWAIT = 2


_STRENGTHS = {
    LockClauseStrength.LCS_FORKEYSHARE: Strength.FOR_KEY_SHARE,
    LockClauseStrength.LCS_FORSHARE: Strength.FOR_SHARE,
    LockClauseStrength.LCS_FORNOKEYUPDATE: Strength.FOR_NO_KEY_UPDATE,
    LockClauseStrength.LCS_FORUPDATE: Strength.FOR_UPDATE,
}

_WAIT_POLICIES = {
    LockWaitPolicy.LockWaitBlock: WaitPolicy.BLOCK,
    LockWaitPolicy.LockWaitSkip: WaitPolicy.SKIP_LOCKED,
    LockWaitPolicy.LockWaitError: WaitPolicy.NOWAIT,
}


@dataclass(slots=True, eq=False)
class RowMark:
    """A table whose rows are locked, as all clauses that reach it combine.

    `clauses` are those that reach it, in the order in which they do.
    """

    table: TableName
    item: RangeItem
    strength: Strength
    wait_policy: WaitPolicy
    clauses: list[LockingClause] = field(default_factory=list)

    @property
    def level(self) -> Query:
        """The query level whose FROM names the table."""
        return self.item.holder


@dataclass(slots=True, eq=False)
class LockingClause:
    """One locking clause of a SELECT, with everything it reaches.

    `items` are the range items of its own level that it names or, without OF, covers.
    `refusal` is what the server says instead of running it, if it does.
    """

    statement: Statement
    query: Query
    node: ast.LockingClause
    text: ClauseText
    strength: Strength
    wait_policy: WaitPolicy
    items: list[RangeItem] = field(default_factory=list)
    marks: list[RowMark] = field(default_factory=list)
    refusal: Refusal | None = None

    @property
    def span(self) -> Span:
        """From FOR to the clause's last word, as unit offsets."""
        return self.statement.unit_span(self.text.span)

    @property
    def words(self) -> str:
        """The clause's strength in the server's words, such as FOR NO KEY UPDATE."""
        return str(self.strength)


def strengths(query: Query) -> list[Strength]:
    """The strengths of a level's own locking clauses."""
    return [_STRENGTHS[node.strength] for node in getattr(query.node, "lockingClause", None) or ()]


def locking_clauses(statement: Statement) -> list[LockingClause]:
    """All locking clauses of a statement with their row marks, in the order of the text."""
    marks: dict[RangeItem, RowMark] = {}
    clauses: list[LockingClause] = []
    for query in statement.levels:
        for node, text in zip(
            getattr(query.node, "lockingClause", None) or (),
            statement.clause_texts(query),
            strict=True,
        ):
            clause = LockingClause(
                statement,
                query,
                node,
                text,
                _STRENGTHS[node.strength],
                _WAIT_POLICIES[node.waitPolicy],
            )
            clause.refusal = refusal_of_statement(query, clause.words) or _lock(clause, marks)
            if clause.refusal is not None:  # nothing runs, so nothing is locked
                clause.items, clause.marks = [], []
            clauses.append(clause)
    return sorted(clauses, key=lambda clause: clause.text.span)


def _lock(clause: LockingClause, marks: dict[RangeItem, RowMark]) -> Refusal | None:
    """Marks what a clause reaches at its own level and below; the refusal, if one comes up."""
    names = clause.node.lockedRels
    if not names:
        clause.items = list(clause.query.items)
    for index, relation in enumerate(names or ()):
        refusal = refusal_of_name(relation, index, clause.query, clause.words)
        if refusal is not None:
            return refusal
        item = clause.query.item_named(relation.relname)
        assert item is not None
        clause.items.append(item)
    return _mark(clause, clause.items, marks)


def _mark(
    clause: LockingClause, items: list[RangeItem], marks: dict[RangeItem, RowMark]
) -> Refusal | None:
    for item in items:
        if item.kind is ItemKind.TABLE and item.table is not None:
            mark = marks.get(item)
            if mark is None:
                mark = RowMark(item.table, item, clause.strength, clause.wait_policy)
                marks[item] = mark
            mark.strength = max(mark.strength, clause.strength)
            mark.wait_policy = max(mark.wait_policy, clause.wait_policy)
            mark.clauses.append(clause)
            clause.marks.append(mark)
        elif item.query is not None:
            refusal = refusal_of_level(item.query, clause.words) or _mark(
                clause, item.query.items, marks
            )
            if refusal is not None:
                return refusal
    return None
