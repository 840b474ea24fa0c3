"""Transactions: what a statement's own is known by, and its characteristics."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from pglast import ast

from pglint_locks.text import Span

if TYPE_CHECKING:
    from pglint_locks.model.statements.statement import Statement


class Frame(Enum):
    """What a transaction is known by.

    AUTOCOMMIT: the statement is the whole of it; BLOCK: BEGIN stands in the script, or
    the settings say that the file runs inside one; UNKNOWN: a routine's body; POSSIBLE:
    a function of a host language, whose statements may be one transaction or several.
    """

    AUTOCOMMIT = "autocommit"
    BLOCK = "block"
    UNKNOWN = "unknown"
    POSSIBLE = "possible"


class Characteristics(NamedTuple):
    """Isolation level and access mode; None where the script does not say.

    `isolation_at` and `read_only_at` are the statements that say it, as unit ranges.
    """

    isolation: str | None = None
    isolation_at: Span | None = None
    read_only: bool | None = None
    read_only_at: Span | None = None

    def over(self, defaults: Characteristics) -> Characteristics:
        """These where they say something, else the defaults."""
        made = self
        if made.isolation is None:
            made = made._replace(isolation=defaults.isolation, isolation_at=defaults.isolation_at)
        if made.read_only is None:
            made = made._replace(read_only=defaults.read_only, read_only_at=defaults.read_only_at)
        return made


class Transaction(NamedTuple):
    """The transaction of one statement, as it stands when that statement runs.

    `is_first`: no statement before it in the transaction has needed a snapshot.
    `temporary` are the temporary tables that the script has made so far.
    `statements` are all those of the transaction that were looked at, in order.
    """

    frame: Frame = Frame.UNKNOWN
    characteristics: Characteristics = Characteristics()
    is_first: bool = False
    temporary: frozenset[str] = frozenset()
    statements: tuple[Statement, ...] = ()

    def of_body(self) -> Transaction:
        """The transaction of what a DO block of this transaction runs.

        Where the script says what it is like is no place in the body.
        """
        unplaced = self.characteristics._replace(isolation_at=None, read_only_at=None)
        return self._replace(
            characteristics=unplaced, frame=Frame.UNKNOWN, is_first=False, statements=()
        )

    def of_callers(self) -> Transaction:
        """The transaction of what a routine runs that is made in this one: that of its callers."""
        return Transaction(temporary=self.temporary)


def kept_snapshot(statement: Statement) -> str | None:
    """The isolation level that keeps one snapshot for a statement's whole transaction.

    Where the script does not say, the settings do; None under READ COMMITTED, and where
    neither tells.
    """
    level = statement.transaction.characteristics.isolation or statement.context.isolation_level
    level = (level or "").replace("-", " ").upper()
    return level if level in ("REPEATABLE READ", "SERIALIZABLE") else None


def runs_by_itself(statement: Statement) -> bool:
    """Whether a statement is a SELECT that is a transaction of its own and changes nothing."""
    return (
        statement.transaction.frame is Frame.AUTOCOMMIT
        and isinstance(statement.node, ast.SelectStmt)
        and statement.node.intoClause is None
        and not any(level.is_write for level in statement.levels)
    )
