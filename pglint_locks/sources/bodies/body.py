"""What a PL/pgSQL body holds: its SQL statements, in the order of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from pglint_locks.sources.bodies.flow import Arm, Placed
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.chunks import Comment
from pglint_locks.text import Span

if TYPE_CHECKING:
    from pglint_locks.sources.host.handles import Handle
    from pglint_locks.sources.orm.query import OrmStatement


class Role(Enum):
    """What PL/pgSQL does with an SQL statement."""

    STATEMENT = auto()
    """Runs it, as it stands; its INTO is blanked."""
    PERFORM = auto()
    """Runs it and throws the rows away; the word PERFORM has become SELECT."""
    LOOP = auto()
    """`FOR r IN query LOOP`: fetches its rows in a cursor, some ahead of the loop."""
    CURSOR = auto()
    """The query of a declared cursor, or of `OPEN c FOR`."""
    RETURN_QUERY = auto()
    """Adds its rows to the result."""
    EXPRESSION = auto()
    """An expression that holds a query: `SELECT ` has been put in front."""
    DYNAMIC = auto()
    """EXECUTE of a text that could be worked out; it may be several statements."""
    TRANSACTION = auto()
    """COMMIT or ROLLBACK: what was locked is locked no more."""


class Filling(Enum):
    """What was put in place of a part of dynamic SQL that is not known."""

    IDENTIFIER = auto()
    PARAMETER = auto()
    LIST = auto()
    """A name in parentheses, as for `IN` or `VALUES`."""
    LITERAL = auto()
    NUMBER = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of dynamic SQL that is not known, as offsets in the statement's unit.

    `opens` says that whole clauses may come in with it; else it is one name or value.
    `key` is what is put in, as written, and `shown` the same where a variable stands for it.
    """

    span: Span
    filling: Filling
    key: str
    shown: str
    opens: bool = False


@dataclass(frozen=True, slots=True)
class BodyStatement:
    """One SQL statement or expression of a body.

    `unit` is its text, which PostgreSQL's grammar reads, with the map to the file.
    `order` grows with the text.  `target` is the INTO target, assigned or loop variable,
    or the cursor's name, folded.  `runs_as` is what a DYNAMIC statement is run for, else
    the role.  `scroll` and `opened` are a cursor's: SCROLL, NO SCROLL or neither; whether
    the body opens it.  `chained` marks COMMIT AND CHAIN.  `call` is the ORM's that sends it,
    `handle` what a host runs it on, where that shows.
    """

    unit: SqlUnit
    role: Role
    runs_as: Role
    arm: Arm
    order: int
    target: str | None = None
    scroll: bool | None = None
    opened: bool = True
    chained: bool = False
    gaps: tuple[Gap, ...] = ()
    call: OrmStatement | None = field(default=None, compare=False)
    handle: Handle | None = None

    @property
    def branch(self) -> tuple[Arm, ...]:
        """The arms of control flow around it, from the outermost inwards."""
        return self.arm.path()

    @property
    def catches(self) -> frozenset[str]:
        """The conditions that are handled, should they come up in it."""
        return frozenset().union(*(arm.catches for arm in self.branch))


@dataclass(frozen=True, slots=True)
class Body:
    """A body's statements and comments (offsets in its unit), and the locks not readable.

    `variables` are the names that it declares, folded; `settings` the places where each
    variable is set.
    """

    statements: tuple[BodyStatement, ...]
    comments: tuple[Comment, ...]
    not_analysed: tuple[NotAnalysed, ...]
    variables: frozenset[str] = frozenset()
    settings: Mapping[str, Sequence[Placed]] = field(default_factory=dict, compare=False)
