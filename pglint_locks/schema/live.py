"""The catalogue of a live server, read from its system catalogues by any role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pglint_locks.errors import UsageError
from pglint_locks.schema import questions
from pglint_locks.schema.catalog import (
    Catalog,
    Column,
    ForeignKey,
    Relation,
    RelationKind,
    Trigger,
)
from pglint_locks.schema.indexes import Index, IndexKey
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Origin, Trust
from pglint_locks.schema.session import Session

if TYPE_CHECKING:
    from pglint_locks.schema.session import Connection

_KINDS = {
    "r": RelationKind.TABLE,
    "p": RelationKind.PARTITIONED_TABLE,
    "f": RelationKind.FOREIGN_TABLE,
    "v": RelationKind.VIEW,
    "m": RelationKind.MATERIALIZED_VIEW,
    "S": RelationKind.SEQUENCE,
}
_OLDEST = 120000
_ROW, _BEFORE = 1, 1 << 1  # bits of pg_trigger.tgtype
_EVENTS = {1 << 2: "INSERT", 1 << 3: "DELETE", 1 << 4: "UPDATE", 1 << 5: "TRUNCATE"}
_DESCENDING, _NULLS_FIRST = 1, 1 << 1  # bits of pg_index.indoption
_Row = tuple[Any, ...]

_read: dict[str, Catalog] = {}


def live_catalog(url: str) -> Catalog:
    """The catalogue of the server at a URL; it is asked once in the life of the process.

    Raises:
        UsageError: the server cannot be reached or read.
    """
    if url not in _read:
        session = Session(url)
        try:
            _read[url] = read_catalog(session)
        finally:
            session.close()
    return _read[url]


def read_catalog(session: Session) -> Catalog:
    """What a server tells of its relations: all of them, whoever may read their rows.

    Raises:
        UsageError: the server cannot be reached or read.
    """
    with session.transaction() as connection:
        import psycopg

        try:
            return _catalog(connection, Origin(Trust.SERVER, session.name))
        except psycopg.Error as error:
            session.fail(error)


def _catalog(connection: Connection, origin: Origin) -> Catalog:
    version = connection.info.server_version
    if version < _OLDEST:
        raise UsageError(f"--database-url: {origin.name} is older than PostgreSQL 12")
    ((path,),) = connection.execute(questions.SEARCH_PATH)
    connection.execute(questions.QUALIFIED)

    def ask(question: str) -> list[_Row]:
        return connection.execute(question.encode()).fetchall()

    columns = _grouped(ask(questions.COLUMNS))
    indexes = _grouped(ask(questions.indexes(version)))
    keys = _grouped(ask(questions.foreign_keys(version)))
    triggers = _grouped(ask(questions.TRIGGERS))
    found = ask(questions.RELATIONS)
    names = {oid: TableName(schema, name) for oid, schema, name, *_ in found}
    relations = {}
    for oid, _, _, kind, is_partition, query, wrapper, parents, partition_key in found:
        relations[names[oid]] = Relation(
            names[oid],
            _KINDS[kind],
            origin,
            tuple(Column(*row) for row in columns[oid]) if kind != "S" else (),
            tuple(_index(row, origin) for row in indexes[oid]),
            tuple(_foreign_key(row, names, origin) for row in keys[oid] if row[2] in names),
            tuple(names[parent] for parent in parents if parent in names),
            is_partition,
            tuple(partition_key),
            tuple(_trigger(row) for row in triggers[oid]),
            wrapper,
            query.rstrip().removesuffix(";") if query is not None else None,
        )
    return Catalog(relations, tuple(path), is_closed=True)


def _grouped(rows: Iterable[_Row]) -> defaultdict[int, list[_Row]]:
    """Rows by the relation that their first column names, without it."""
    groups: defaultdict[int, list[_Row]] = defaultdict(list)
    for oid, *rest in rows:
        groups[oid].append(tuple(rest))
    return groups


def _index(row: _Row, origin: Origin) -> Index:
    name, method, columns, expressions, options, predicate, key_count, *marks = row
    keys = tuple(
        IndexKey(
            columns[place],
            expressions[place],
            bool(options[place] & _DESCENDING),
            bool(options[place] & _NULLS_FIRST),
        )
        for place in range(key_count)
    )
    unique, primary, valid, deferrable, is_constraint, nulls_not_distinct = marks
    return Index(
        keys,
        unique,
        tuple(columns[key_count:]),
        predicate,
        name,
        method,
        primary,
        valid,
        deferrable,
        is_constraint,
        nulls_not_distinct,
        origin,
    )


def _foreign_key(row: _Row, names: dict[int, TableName], origin: Origin) -> ForeignKey:
    name, columns, referenced, referenced_columns = row
    return ForeignKey(name, tuple(columns), names[referenced], tuple(referenced_columns), origin)


def _trigger(row: _Row) -> Trigger:
    name, kind = row
    events = frozenset(word for bit, word in _EVENTS.items() if kind & bit)
    return Trigger(name, bool(kind & _BEFORE), bool(kind & _ROW), events)
