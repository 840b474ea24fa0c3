"""What is known of a database's relations: their columns, keys and who refers to them.

A catalogue is read from DDL, from a live server or from a snapshot; where several sources
speak of one relation, the most trusted one is believed.  What no source tells is unknown: a
name that is not found says nothing of whether there is such a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from pglint_locks.schema.indexes import Index, key_columns
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Origin as Origin
from pglint_locks.schema.origins import Trust as Trust

DEFAULT_SEARCH_PATH = ("public",)


class RelationKind(Enum):
    """What a relation is (`pg_class.relkind`), in the words of the server's messages."""

    TABLE = "table"
    PARTITIONED_TABLE = "partitioned table"
    FOREIGN_TABLE = "foreign table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized view"
    SEQUENCE = "sequence"


class Column(NamedTuple):
    """A column; `type` as in `format_type` where it is known.

    `generated`: STORED or VIRTUAL, computed from other columns.  `identity`: the server gives
    it its value.
    """

    name: str
    type: str | None = None
    not_null: bool = False
    generated: bool = False
    identity: bool = False


class ForeignKey(NamedTuple):
    """A foreign key of a relation; `referenced` is the qualified name of what it points at."""

    name: str | None
    columns: tuple[str, ...]
    referenced: TableName
    referenced_columns: tuple[str, ...]
    origin: Origin | None = None


class Trigger(NamedTuple):
    """A trigger; `events` are INSERT, UPDATE, DELETE or TRUNCATE."""

    name: str
    before: bool
    per_row: bool
    events: frozenset[str]


class Relation(NamedTuple):
    """A relation of the database; its name is always qualified.

    `parents` are those that it inherits from, or the one that it is a partition of.
    `partition_key` are the columns that say into which partition a row goes; None is an
    expression.
    `wrapper` is a foreign table's foreign-data wrapper (`postgres_fdw`).
    `view_query` is the SQL of a view's query where it is known.
    `is_whole`: no part of what made it went unread, so that what is not here is not there; of
    a linted file's table that is so as far as the run tells.
    """

    name: TableName
    kind: RelationKind
    origin: Origin
    columns: tuple[Column, ...] = ()
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    parents: tuple[TableName, ...] = ()
    is_partition: bool = False
    partition_key: tuple[str | None, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    wrapper: str | None = None
    view_query: str | None = None
    is_whole: bool = True

    @property
    def key_columns(self) -> frozenset[str]:
        """The columns whose change takes the stronger row lock."""
        return key_columns(self.indexes)

    @property
    def tells_all(self) -> bool:
        """Whether a key that is not here does not exist.

        Files that are linted are no schema, and what is unique in a foreign table or a view is
        not said here.
        """
        is_table = self.kind in (RelationKind.TABLE, RelationKind.PARTITIONED_TABLE)
        return is_table and self.is_whole and self.origin.trust is not Trust.LINTED_FILE

    @property
    def has_trigger_before_update(self) -> bool:
        """Whether a trigger runs BEFORE UPDATE for each row."""
        return any(
            each.before and each.per_row and "UPDATE" in each.events for each in self.triggers
        )

    def is_partitioned_by(self, columns: Iterable[str]) -> bool:
        """Whether a change of some columns may move a row into another partition."""
        return None in self.partition_key or not set(self.partition_key).isdisjoint(columns)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key in its order; () where there is none."""
        found = (index.columns for index in self.indexes if index.primary)
        return tuple(column for column in next(found, ()) if column is not None)

    def unique_keys(self) -> Iterator[tuple[str, ...]]:
        """The columns of each unique key, the primary key first."""
        for index in sorted(self.indexes, key=lambda each: not each.primary):
            if index.is_unique_key:
                yield tuple(column for column in index.columns if column is not None)

    def without_origins(self) -> Relation:
        """The same, whatever told it."""
        nowhere = Origin(Trust.LINTED_FILE, "")
        return self._replace(
            origin=nowhere,
            indexes=tuple(index._replace(origin=None) for index in self.indexes),
            foreign_keys=tuple(key._replace(origin=None) for key in self.foreign_keys),
        )

    def column(self, name: str) -> Column | None:
        """A column by its name."""
        return next((each for each in self.columns if each.name == name), None)


class Reference(NamedTuple):
    """A foreign key that points at a relation, with the relation that holds it."""

    holder: Relation
    key: ForeignKey


@dataclass(frozen=True, slots=True)
class Catalog:
    """The relations that are known, by name.

    `is_closed`: a source is taken to tell of all relations (a schema file, a server), so that
    a foreign key which no source knows does not exist.  `ambiguous` are names without schema
    that sources define in contradicting ways; they are not found.
    """

    relations: dict[TableName, Relation] = field(default_factory=dict)
    search_path: tuple[str, ...] = DEFAULT_SEARCH_PATH
    is_closed: bool = False
    ambiguous: frozenset[TableName] = frozenset()
    _by_name: dict[str, list[Relation]] = field(init=False, repr=False, default_factory=dict)
    _inbound: dict[TableName, list[Reference]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Index the relations by their bare names and by what refers to them."""
        for relation in self.relations.values():
            self._by_name.setdefault(relation.name.name, []).append(relation)
            for key in relation.foreign_keys:
                self._inbound.setdefault(key.referenced, []).append(Reference(relation, key))

    def find(self, name: TableName) -> Relation | None:
        """The relation that a name means under the search path; None where that is not known.

        A name without schema that no schema of the path holds is found where just one other
        schema does: the path that the server will have is seldom the one that we know.
        """
        if name.schema is not None:
            return self._known(name)
        for schema in self.search_path:
            qualified = TableName(schema, name.name)
            if qualified in self.ambiguous:
                return None
            if qualified in self.relations:
                return self.relations[qualified]
        elsewhere = self._by_name.get(name.name, ())
        return self._known(elsewhere[0].name) if len(elsewhere) == 1 else None

    def _known(self, name: TableName) -> Relation | None:
        return None if name in self.ambiguous else self.relations.get(name)

    def references_to(self, relation: Relation) -> Sequence[Reference]:
        """The foreign keys that point at a relation, or at the partitioned table above it."""
        found = list(self._inbound.get(relation.name, ()))
        if relation.is_partition:
            for parent in relation.parents:
                above = self.relations.get(parent)
                found += self.references_to(above) if above is not None else ()
        return found

    def knows_references_to(self, relation: Relation) -> bool:
        """Whether a foreign key that no source tells of does not exist.

        A table that only a linted file tells of is none that a schema is complete about.
        """
        return self.is_closed and relation.tells_all


def merged(catalogs: Iterable[Catalog]) -> Catalog:
    """Several catalogues as one; of a relation that several know, the most trusted is believed."""
    every = sorted(catalogs, key=_trust)
    relations: dict[TableName, Relation] = {}
    ambiguous: frozenset[TableName] = frozenset()
    for each in every:
        ambiguous = (ambiguous - each.relations.keys()) | each.ambiguous
        relations.update(each.relations)
    last = every[-1].search_path if every else DEFAULT_SEARCH_PATH
    return Catalog(relations, last, any(each.is_closed for each in every), ambiguous)


def _trust(catalog: Catalog) -> int:
    return max((each.origin.trust.value for each in catalog.relations.values()), default=-1)
