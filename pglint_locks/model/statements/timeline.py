"""The transactions of a script: where they begin and end, and their characteristics.

Follows what psql would send, statement by statement (`TransactionBlockStatus`, and the
settings `transaction_isolation` and `transaction_read_only` with their defaults).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pglast import ast
from pglast.enums import DiscardMode, TransactionStmtKind, VariableSetKind

from pglint_locks.model.statements.transactions import Characteristics, Frame, Transaction
from pglint_locks.sql.split import Chunk

if TYPE_CHECKING:
    from pglint_locks.model.statements.statement import Statement


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """Indexes of a script's statements that run in one transaction, in order.

    `undone` maps a statement to the ROLLBACK TO that releases the locks it takes.
    """

    indexes: list[int] = field(default_factory=list)
    undone: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Timeline:
    """A script's transactions: its blocks, and the transaction of each statement.

    `executions` are those in which a PREPARE's query is executed.
    """

    blocks: list[Block] = field(default_factory=list)
    transactions: dict[int, Transaction] = field(default_factory=dict)
    executions: dict[int, list[Transaction]] = field(default_factory=dict)

    def join(self, modelled: Mapping[int, Statement]) -> None:
        """Tells the statements their transaction, and which others come before and after."""
        for index, statement in modelled.items():
            statement.transaction = self.transactions[index]
            statement.executions = tuple(self.executions.get(index, ()))
        for block in self.blocks:
            known = [index for index in block.indexes if index in modelled]
            statements = tuple(modelled[index] for index in known)
            for place, index in enumerate(known):
                end = block.undone.get(index)
                own = modelled[index].transaction
                modelled[index].transaction = own._replace(statements=statements)
                behind = block.indexes[block.indexes.index(index) + 1 :][:_REACH]
                reached = [other for other in behind if end is None or other < end]
                modelled[index].earlier = statements[max(place - _REACH, 0) : place]
                modelled[index].later = tuple(modelled[i] for i in reached if i in modelled)
                modelled[index].is_followed_by_unread = any(i not in modelled for i in reached)


# How many statements of a transaction are looked at before and behind one.
_REACH = 200

# First words of the statements that matter here; others are not parsed for it.
_MATTERS = frozenset(
    """begin start commit end rollback abort prepare savepoint release set reset
    discard execute deallocate""".split()
)
_TEMPORARY = {"temp", "temporary", "local", "global"}

# First words of what needs no snapshot of its own (`PlannedStmtRequiresSnapshot`).
_NO_SNAPSHOT_WORDS = frozenset(
    """begin start commit end rollback abort savepoint release lock set reset show fetch move
    listen notify unlisten checkpoint""".split()
)


def read_timeline(
    chunks: Sequence[Chunk],
    node_of: Callable[[int], ast.Node | None],
    inside: bool = False,
) -> Timeline:
    """The transactions of a script.

    `node_of` parses a statement (None where that fails); it is called only for those
    that matter here.  `inside`: the tool that runs the script has begun a transaction.
    """
    reading = Session(chunks, inside)
    for index, chunk in enumerate(chunks):
        reading.step(index, chunk.first_words, node_of)
    blocks = [*reading.closed, *([reading.block] if reading.block else [])]
    return Timeline(blocks, reading.placed, reading.executions)


def _matters(words: tuple[str, ...]) -> bool:
    if words[:1] == ("create",):
        return not _TEMPORARY.isdisjoint(words[1:2])
    return not _MATTERS.isdisjoint(words[:1])


class _State(NamedTuple):
    """What ROLLBACK and ROLLBACK TO take back."""

    defaults: Characteristics = Characteristics()
    current: Characteristics = Characteristics()
    temporary: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class _Savepoint:
    name: str
    at: int
    state: _State


class Session:
    """A session that is walked through statement by statement."""

    def __init__(self, chunks: Sequence[Chunk], inside: bool = False) -> None:
        self.chunks = chunks
        self.inside = inside
        self.state = _State()
        self.before_block = self.state
        self.block: Block | None = Block() if inside else None
        self.savepoints: list[_Savepoint] = []
        self.has_snapshot = False
        self.closed: list[Block] = []
        self.placed: dict[int, Transaction] = {}
        self.prepared: dict[str, int] = {}
        self.executions: dict[int, list[Transaction]] = {}

    @property
    def is_fresh(self) -> bool:
        """Whether what came before makes no difference to what follows."""
        return (
            self.block is None
            and self.state == _State()
            and not (self.prepared or self.savepoints or self.has_snapshot or self.inside)
        )

    def step(
        self, index: int, words: tuple[str, ...], node_of: Callable[[int], ast.Node | None]
    ) -> None:
        """Goes over one statement; its tree is asked for only where it matters."""
        node = node_of(index) if _matters(words) else None
        self.placed[index] = self._transaction()
        if isinstance(node, ast.TransactionStmt):
            self._control(index, node)
            return
        if self.block is not None:
            self.block.indexes.append(index)
        match node:
            case ast.VariableSetStmt():
                self._set(index, node)
            case ast.DiscardStmt() if node.target == DiscardMode.DISCARD_ALL:
                self.state = _State()
                self.prepared.clear()
            case ast.PrepareStmt():
                self.prepared.setdefault(node.name, index)
            case ast.ExecuteStmt() if node.name in self.prepared:
                made = self.executions.setdefault(self.prepared[node.name], [])
                made.append(self.placed[index])
            case ast.DeallocateStmt() if node.name is None:
                self.prepared.clear()
            case ast.DeallocateStmt():
                self.prepared.pop(node.name, None)
            case ast.CreateStmt() | ast.CreateTableAsStmt():
                self._create(node)
        if self.block is not None and words and words[0] not in _NO_SNAPSHOT_WORDS:
            self.has_snapshot = True

    def _transaction(self) -> Transaction:
        state = self.state
        return Transaction(
            frame=Frame.AUTOCOMMIT if self.block is None else Frame.BLOCK,
            characteristics=state.defaults if self.block is None else state.current,
            is_first=not self.has_snapshot and not self.inside,
            temporary=state.temporary,
        )

    # --- BEGIN, COMMIT, SAVEPOINT … ------------------------------------------------

    def _control(self, index: int, node: ast.TransactionStmt) -> None:
        kind = TransactionStmtKind(node.kind)
        match kind:
            case TransactionStmtKind.TRANS_STMT_BEGIN | TransactionStmtKind.TRANS_STMT_START:
                if self.block is None:
                    self._begin(self._said(index, node.options))
            case TransactionStmtKind.TRANS_STMT_COMMIT | TransactionStmtKind.TRANS_STMT_PREPARE:
                self._end(self.state._replace(current=Characteristics()), bool(node.chain))
            case TransactionStmtKind.TRANS_STMT_ROLLBACK:
                self._end(self.before_block, bool(node.chain))
            case TransactionStmtKind.TRANS_STMT_SAVEPOINT if self.block is not None:
                self.savepoints.append(_Savepoint(node.savepoint_name, index, self.state))
            case TransactionStmtKind.TRANS_STMT_RELEASE:
                place = self._savepoint(node.savepoint_name)
                if place is not None:
                    del self.savepoints[place:]
            case TransactionStmtKind.TRANS_STMT_ROLLBACK_TO:
                self._rollback_to(index, node.savepoint_name)

    def _begin(self, said: Characteristics) -> None:
        self.before_block = self.state
        # A default that is changed later is no longer this transaction's.
        self.state = self.state._replace(current=said.over(self.state.defaults))
        self.block = Block()
        self.has_snapshot = False

    def _end(self, after: _State, chain: bool) -> None:
        if self.block is None:
            return
        current = self.state.current
        self.closed.append(self.block)
        self.block, self.savepoints, self.has_snapshot = None, [], False
        self.state = after
        if chain:
            self._begin(current)
        self.inside = False

    def _savepoint(self, name: str) -> int | None:
        places = [i for i, point in enumerate(self.savepoints) if point.name == name]
        return places[-1] if places else None

    def _rollback_to(self, index: int, name: str) -> None:
        place = self._savepoint(name)
        if place is None or self.block is None:
            return
        del self.savepoints[place + 1 :]
        self.state = self.savepoints[place].state
        for other in self.block.indexes:
            if other > self.savepoints[place].at:
                self.block.undone.setdefault(other, index)

    # --- SET ------------------------------------------------------------------------

    def _said(self, index: int, options: Sequence[ast.DefElem] | None) -> Characteristics:
        """What transaction modes say; those of one statement, the last of each kind."""
        at = self.chunks[index].span
        said = Characteristics()
        for option in options or ():
            value = _constant(option.arg)
            if option.defname == "transaction_isolation":
                said = said._replace(isolation=str(value).lower(), isolation_at=at)
            elif option.defname == "transaction_read_only":
                said = said._replace(read_only=_is_true(value), read_only_at=at)
        return said

    def _set(self, index: int, node: ast.VariableSetStmt) -> None:
        kind, name = VariableSetKind(node.kind), (node.name or "").lower()
        if kind == VariableSetKind.VAR_RESET_ALL:
            self.state = self.state._replace(defaults=Characteristics())
        elif kind == VariableSetKind.VAR_SET_MULTI:
            said = self._said(index, node.args)
            if name == "session characteristics":
                self._set_defaults(said)
            elif name == "transaction" and self.block is not None:
                self._set_current(said)
        elif name in _DEFAULTS and not node.is_local:
            if kind == VariableSetKind.VAR_SET_VALUE:
                self._set_defaults(self._value(index, name.removeprefix("default_"), node.args))
            else:
                self._reset(name)
        elif name in _CURRENT and self.block is not None and node.args:
            self._set_current(self._value(index, name, node.args))

    def _value(self, index: int, name: str, args: Sequence[ast.Node]) -> Characteristics:
        at, value = self.chunks[index].span, str(_constant(args[0])).lower()
        if name == "transaction_isolation":
            return Characteristics(isolation=value, isolation_at=at)
        return Characteristics(read_only=_is_true(value), read_only_at=at)

    def _set_defaults(self, said: Characteristics) -> None:
        self.state = self.state._replace(defaults=said.over(self.state.defaults))

    def _set_current(self, said: Characteristics) -> None:
        if self.has_snapshot:  # the server refuses another level, and READ WRITE, by now
            said = said._replace(isolation=None, isolation_at=None)
            if said.read_only is False:
                said = said._replace(read_only=None, read_only_at=None)
        self.state = self.state._replace(current=said.over(self.state.current))

    def _reset(self, name: str) -> None:
        defaults = self.state.defaults
        if name == "default_transaction_isolation":
            defaults = defaults._replace(isolation=None, isolation_at=None)
        else:
            defaults = defaults._replace(read_only=None, read_only_at=None)
        self.state = self.state._replace(defaults=defaults)

    # --- temporary tables -------------------------------------------------------------

    def _create(self, node: ast.CreateStmt | ast.CreateTableAsStmt) -> None:
        relation = node.relation if isinstance(node, ast.CreateStmt) else node.into.rel
        if relation.relpersistence == "t":
            names = self.state.temporary | {relation.relname}
            self.state = self.state._replace(temporary=names)


_DEFAULTS = {"default_transaction_isolation", "default_transaction_read_only"}
_CURRENT = {"transaction_isolation", "transaction_read_only"}


def _constant(node: ast.Node | None) -> object:
    if isinstance(node, ast.A_Const):
        value = node.val
        for name in ("sval", "ival", "boolval", "fval"):
            if hasattr(value, name):
                return getattr(value, name)
    return getattr(node, "sval", None)


def _is_true(value: object) -> bool:
    """A boolean setting's value (`parse_bool`: prefixes count)."""
    text = str(value).lower()
    return text in ("1", "on") or (
        text != "" and ("true".startswith(text) or "yes".startswith(text))
    )
