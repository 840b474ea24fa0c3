"""Locking clauses and row marks: what they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pglast import ast
from pglast.enums import LockClauseStrength, LockWaitPolicy

from pglint_locks.model.locks.refusals import (
    Refusal,
)
from pglint_locks.model.queries.query import Query, RangeItem
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.names import TableName
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

    def __str__(self) -> str:
        return self.name.replace("_", " ")


STRENGTHS = {
    LockClauseStrength.LCS_FORKEYSHARE: Strength.FOR_KEY_SHARE,
    LockClauseStrength.LCS_FORSHARE: Strength.FOR_SHARE,
    LockClauseStrength.LCS_FORNOKEYUPDATE: Strength.FOR_NO_KEY_UPDATE,
    LockClauseStrength.LCS_FORUPDATE: Strength.FOR_UPDATE,
}

WAIT_POLICIES = {
    LockWaitPolicy.LockWaitBlock: WaitPolicy.BLOCK,
    LockWaitPolicy.LockWaitSkip: WaitPolicy.SKIP_LOCKED,
    LockWaitPolicy.LockWaitError: WaitPolicy.NOWAIT,
}


@dataclass(slots=True, eq=False, repr=False)
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


@dataclass(slots=True, eq=False, repr=False)
class LockingClause:
    """One locking clause of a SELECT, with everything it reaches.

    `items` are the range items of its own level that it names or, without OF, covers;
    `covered` are the tables and sub-SELECTs that it reaches, at any depth, in order.
    `refusals` are what the server says instead of running it, the first one first;
    `unless_inlined` is what it says where a call of the function is not inlined.
    """

    statement: Statement
    query: Query
    node: ast.LockingClause
    text: ClauseText
    strength: Strength
    wait_policy: WaitPolicy
    items: list[RangeItem] = field(default_factory=list)
    marks: list[RowMark] = field(default_factory=list)
    covered: list[RangeItem] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    unless_inlined: Refusal | None = None

    @property
    def refusal(self) -> Refusal | None:
        """The first thing that the server says instead of running the clause, if it does."""
        return self.refusals[0] if self.refusals else None

    @property
    def span(self) -> Span:
        """From FOR to the clause's last word, as unit offsets."""
        return self.statement.unit_span(self.text.span)

    def name_span(self, index: int) -> Span:
        """A name in OF, as unit offsets."""
        return self.statement.unit_span(self.text.names[index])

    @property
    def is_inherited(self) -> bool:
        """Whether it stands in a view that the statement reads: its place is the view's name."""
        return self.query.view_item is not None

    @property
    def names_tables(self) -> bool:
        """Whether it has an OF list."""
        return bool(self.node.lockedRels)

    @property
    def words(self) -> str:
        """The clause's strength in the server's words, such as FOR NO KEY UPDATE."""
        return str(self.strength)


def items_covered(query: Query, strength: Strength) -> list[RangeItem]:
    """What a level's own clauses of at least a strength name or cover, at it and below."""
    items: list[RangeItem] = []
    for node in getattr(query.node, "lockingClause", None) or ():
        if STRENGTHS[node.strength] >= strength:
            names = {relation.relname for relation in node.lockedRels or ()}
            items += [item for item in query.items if not names or item.refname in names]
    for item in items:
        items += item.query.items if item.query is not None else ()
    return items
