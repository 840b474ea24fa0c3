"""A query as an ORM builds it up, and the SQL that it sends, with the way back to the calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.orm.models import Model
from pglint_locks.sql.standins import is_stand_in, stand_in
from pglint_locks.text import Piece, SourceMap, Span

if TYPE_CHECKING:
    from pglint_locks.sources.orm.chain import Chain, Link


class Part(NamedTuple):
    """A run of SQL, and the file range of what it comes from; None: of the whole query."""

    text: str
    span: Span | None = None


Sql = tuple[Part, ...]


def sql(*parts: str | Part | Sql) -> Sql:
    """Runs of SQL put together."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str):
            found.append(Part(part))
        elif isinstance(part, Part):
            found.append(part)
        else:
            found.extend(part)
    return tuple(found)


def joined(parts: Iterable[Sql], separator: str) -> Sql:
    """Runs of SQL with a separator between them."""
    found: list[Part] = []
    for part in parts:
        found += [Part(separator)] if found else []
        found += part
    return tuple(found)


_RESERVED = frozenset(
    """all analyse analyze and any array as asc asymmetric both case cast check collate column
    constraint create current_date current_role current_time current_timestamp current_user
    default deferrable desc distinct do else end except false fetch for foreign from grant group
    having in initially intersect into lateral leading limit localtime localtimestamp not null
    offset on only or order placing primary references returning select session_user some
    symmetric table then to trailing true union unique user using variadic when where window
    with""".split()
)


# Names that are not known: of a column, and of the table.
UNKNOWN_NAME, UNKNOWN_TABLE = stand_in("\U000f0000", 1), stand_in("\U000f0001", 1)


def quoted(name: str) -> str:
    """A name as SQL has it: in quotes where it is a reserved word, or not in lower case."""
    if is_stand_in(name):
        return name
    plain = re.fullmatch(r"[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)*", name)
    if plain and name not in _RESERVED:
        return name
    return ".".join(f'"{part}"' for part in name.split("."))


class Lock(NamedTuple):
    """A locking clause as a call asks for it.  `strength` is as in `FOR {strength}`."""

    span: Span
    strength: str = "UPDATE"
    of: tuple[str, ...] = ()
    wait: str | None = None

    @property
    def clause(self) -> str:
        """The clause as PostgreSQL gets it."""
        of = f" OF {', '.join(map(quoted, self.of))}" if self.of else ""
        wait = f" {self.wait}" if self.wait else ""
        return f"FOR {self.strength}{of}{wait}"


class DroppedLock(NamedTuple):
    """A lock that was asked for and that the ORM does not send, and the call that drops it.

    `table` is that whose rows it was for.  `unless`: what of the chain is not known, and
    would make it send the lock.  `in_order`: the lock was to be taken in an order, which
    goes as well.  `leaves_one`: it is sent, with LIMIT 1.  `apart`: the call goes on with a
    name that holds the query.  `place` and `by_place` are
    ranges of the statement's text that lead to the two calls in the file.
    """

    lock: Lock
    by: Span
    name: str
    table: str
    unless: str | None = None
    in_order: bool = False
    leaves_one: bool = False
    apart: bool = False
    place: Span = Span(0, 0)
    by_place: Span = Span(0, 0)


class OrmStatement(NamedTuple):
    """What a chain sends: its SQL and the map to the file.

    `advice` has what to write in the ORM's own words, by the codes of rules; `unknown` says
    what of the chain could not be read.  `is_whole`: nothing is added to it before it is
    sent.  `fetches_one`: who asks for it takes one row.  `rows_of` is the expression whose
    rows they are, where it does not say of which table.
    """

    text: str
    map: SourceMap
    advice: Mapping[str, str]
    dropped: DroppedLock | None = None
    unknown: tuple[str, ...] = ()
    is_whole: bool = False
    fetches_one: bool = False
    rows_of: str | None = None


@dataclass(slots=True)
class Query:
    """What the calls of a chain have asked for so far.

    `root` is the file range of what the chain begins with: words that stand in no call
    are taken to be there.  `model` is that of the table, as far as it is known.
    `fetched` are the joins of rows that are fetched along with the query's own, and of no
    other use; `may_join` are conditions that may bring in a join which does not show.
    `is_sent`: a call has sent it; `is_ordered`: it is told its order, be it none;
    `fetches_one`: who sends it takes one row.  `rows_of` is as in `OrmStatement`.
    `chain` is that of all its calls.
    """

    root: Span
    table: str
    model: Model = field(default_factory=lambda: Model(""))
    columns: Sql = ()
    distinct: Sql = ()
    joins: list[Sql] = field(default_factory=list)
    fetched: list[Sql] = field(default_factory=list)
    may_join: list[str] = field(default_factory=list)
    where: list[Sql] = field(default_factory=list)
    group: Sql = ()
    order: list[Sql] = field(default_factory=list)
    limit: Sql = ()
    offset: Sql = ()
    lock: Lock | None = None
    dropped: DroppedLock | None = None
    unknown: list[str] = field(default_factory=list)
    is_sent: bool = False
    is_ordered: bool = False
    fetches_one: bool = False
    rows_of: str | None = None
    chain: Chain | None = None

    def copy(self) -> Query:
        """The same query, to be changed on its own."""
        return replace(
            self,
            joins=list(self.joins),
            fetched=list(self.fetched),
            may_join=list(self.may_join),
            where=list(self.where),
            order=list(self.order),
            unknown=list(self.unknown),
        )

    def drop_lock(self, link: Link, unless: str | None = None) -> None:
        """The ORM sends no locking clause because of a later call."""
        if self.lock is not None:
            self.dropped = DroppedLock(
                self.lock, link.span, _called(link), self.table, unless, bool(self.order)
            )
            self.lock = None

    def leave_one_lock(self, link: Link) -> None:
        """A later call adds LIMIT 1: of all rows that are asked for, one is locked."""
        if self.lock is not None:
            self.dropped = DroppedLock(
                self.lock, link.span, _called(link), self.table, leaves_one=True
            )

    def select(self) -> Sql:
        """The SELECT that it stands for."""
        distinct = (*self.distinct, Part(" ")) if self.distinct else ()
        tail = [
            self._clause(" WHERE ", joined(self.where, " AND ")),
            self._clause(" GROUP BY ", self.group),
            self._clause(" ORDER BY ", joined(self.order, ", ")),
            self._clause(" ", self.limit),
            self._clause(" ", self.offset),
        ]
        lock = self._known(self.lock)
        clause = sql(" ", Part(lock.clause, lock.span)) if lock else ()
        columns = self.columns or sql("*")
        source = sql(" FROM ", quoted(self.table), *self.joins, *self.fetched)
        return sql("SELECT ", distinct, columns, source, *tail, clause)

    def _known(self, lock: Lock | None) -> Lock | None:
        """The lock without the names in OF of joins that did not show."""
        if lock is None:
            return None
        joins = " ".join(part.text for join in (*self.joins, *self.fetched) for part in join)
        named = {
            self.table,
            *re.findall(r"JOIN (\S+)(?! AS)\b", joins),
            *re.findall(r"AS (\S+)", joins),
        }
        return lock._replace(of=tuple(table for table in lock.of if table in named))

    def update(self, columns: Iterable[str], call: Span, by: str | None = None) -> Sql:
        """The UPDATE of its rows; `by` is the column by which a sub-SELECT chooses them."""
        changes = ", ".join(f"{quoted(column)} = $1" for column in columns)
        head = Part(f"UPDATE {quoted(self.table)} SET {changes}", call)
        return sql(head, self._where(by))

    def delete(self, call: Span, by: str | None = None) -> Sql:
        """The DELETE of its rows; `by` as in `update`."""
        return sql(Part(f"DELETE FROM {quoted(self.table)}", call), self._where(by))

    def _where(self, by: str | None) -> Sql:
        if by is None:
            return self._clause(" WHERE ", joined(self.where, " AND "))
        chosen = replace(self, columns=sql(f"{quoted(self.table)}.{quoted(by)}"))
        return sql(f" WHERE {quoted(by)} IN (", chosen.select(), ")")

    def _clause(self, word: str, parts: Sql) -> Sql:
        return sql(word, parts) if parts else ()

    def statement(
        self, parts: Sql, advice: Mapping[str, str], *, is_whole: bool = False
    ) -> OrmStatement:
        """The statement of some SQL of this query, with the map to the file.

        Two blanks at its end lead to the call of a lock that is not sent, and to the one
        that drops it: they have no words in it.
        """
        dropped = self.dropped
        if dropped is not None:
            parts = sql(parts, Part(" ", dropped.lock.span), Part(" ", dropped.by))
        pieces: list[Piece] = []
        at = 0
        for text, span in parts:
            if text:
                pieces.append(Piece(Span(at, at + len(text)), span or self.root))
                at += len(text)
        if dropped is not None:
            dropped = dropped._replace(place=Span(at - 2, at - 1), by_place=Span(at - 1, at))
        text = "".join(part.text for part in parts)
        unknown = tuple(dict.fromkeys(self.unknown))
        return OrmStatement(
            text,
            SourceMap(tuple(pieces)),
            advice,
            dropped,
            unknown,
            is_whole and not unknown,
            self.fetches_one,
            self.rows_of,
        )


def _called(link: Link) -> str:
    """A call as messages name it."""
    return link.name if link.name.endswith(("?", "!")) else f"{link.name}()"
