"""A query as an ORM builds it up, and the SQL that it sends, with the way back to the calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pglint_locks.sources.orm.models import Model
from pglint_locks.text import Piece, SourceMap, Span


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


def quoted(name: str) -> str:
    """A name as SQL has it: in quotes where it is a reserved word, or not in lower case."""
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
    """A lock that was asked for and that the ORM does not send, and the call that drops it."""

    lock: Lock
    by: Span
    name: str


class OrmStatement(NamedTuple):
    """What a chain sends: its SQL and the map to the file.

    `advice` has what to write in the ORM's own words, by the codes of rules; `unknown` says
    what of the chain could not be read.
    """

    text: str
    map: SourceMap
    advice: Mapping[str, str]
    dropped: DroppedLock | None = None
    unknown: tuple[str, ...] = ()


@dataclass(slots=True)
class Query:
    """What the calls of a chain have asked for so far.

    `root` is the file range of what the chain begins with: words that stand in no call
    are taken to be there.  `model` is that of the table, as far as it is known.
    """

    root: Span
    table: str
    model: Model = field(default_factory=lambda: Model(""))
    columns: Sql = ()
    distinct: Sql = ()
    joins: list[Sql] = field(default_factory=list)
    where: list[Sql] = field(default_factory=list)
    group: Sql = ()
    order: list[Sql] = field(default_factory=list)
    limit: Sql = ()
    offset: Sql = ()
    lock: Lock | None = None
    dropped: DroppedLock | None = None
    unknown: list[str] = field(default_factory=list)

    def copy(self) -> Query:
        """The same query, to be changed on its own."""
        return replace(
            self,
            joins=list(self.joins),
            where=list(self.where),
            order=list(self.order),
            unknown=list(self.unknown),
        )

    def drop_lock(self, by: Span, name: str) -> None:
        """The ORM sends no locking clause because of a later call."""
        if self.lock is not None:
            self.dropped, self.lock = DroppedLock(self.lock, by, name), None

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
        source = sql(" FROM ", quoted(self.table), *self.joins)
        return sql("SELECT ", distinct, columns, source, *tail, clause)

    def _known(self, lock: Lock | None) -> Lock | None:
        """The lock without the names in OF of joins that did not show."""
        if lock is None:
            return None
        joins = " ".join(part.text for join in self.joins for part in join)
        named = {
            self.table,
            *re.findall(r"JOIN (\S+)(?! AS)\b", joins),
            *re.findall(r"AS (\S+)", joins),
        }
        return lock._replace(of=tuple(table for table in lock.of if table in named))

    def update(self, columns: Iterable[str], call: Span) -> Sql:
        """The UPDATE of its rows."""
        changes = ", ".join(f"{quoted(column)} = $1" for column in columns)
        head = Part(f"UPDATE {quoted(self.table)} SET {changes}", call)
        return sql(head, self._clause(" WHERE ", joined(self.where, " AND ")))

    def delete(self, call: Span) -> Sql:
        """The DELETE of its rows."""
        where = self._clause(" WHERE ", joined(self.where, " AND "))
        return sql(Part(f"DELETE FROM {quoted(self.table)}", call), where)

    def _clause(self, word: str, parts: Sql) -> Sql:
        return sql(word, parts) if parts else ()

    def statement(self, parts: Sql, advice: Mapping[str, str]) -> OrmStatement:
        """The statement of some SQL of this query, with the map to the file."""
        pieces: list[Piece] = []
        at = 0
        for text, span in parts:
            if text:
                pieces.append(Piece(Span(at, at + len(text)), span or self.root))
                at += len(text)
        text = "".join(part.text for part in parts)
        unknown = tuple(self.unknown)
        return OrmStatement(text, SourceMap(tuple(pieces)), advice, self.dropped, unknown)
