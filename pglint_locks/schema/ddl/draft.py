"""A schema while statements change it: relations by name, their columns, indexes and keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pglint_locks.schema.catalog import (
    DEFAULT_SEARCH_PATH,
    Catalog,
    Column,
    ForeignKey,
    Origin,
    Relation,
    RelationKind,
    Trigger,
)
from pglint_locks.schema.indexes import Index
from pglint_locks.schema.names import TableName

# Never created by scripts; and an unqualified name is made in the first other one.
_NO_HOME = frozenset({"pg_catalog", '"$user"', "$user", "pg_temp"})
_MAX_NAME = 63  # NAMEDATALEN - 1, in bytes


@dataclass(slots=True)
class Draft:
    """A relation that statements still change; see `Relation` for what its parts mean."""

    name: TableName
    kind: RelationKind
    origin: Origin
    columns: dict[str, Column] = field(default_factory=dict)
    indexes: dict[str, Index] = field(default_factory=dict)
    foreign_keys: dict[str, ForeignKey] = field(default_factory=dict)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    parents: list[TableName] = field(default_factory=list)
    is_partition: bool = False
    partition_key: tuple[str | None, ...] = ()
    wrapper: str | None = None
    view_query: str | None = None
    is_whole: bool = True

    def finished(self) -> Relation:
        """The relation as it is now."""
        return Relation(
            self.name,
            self.kind,
            self.origin,
            columns=tuple(self.columns.values()),
            indexes=tuple(self.indexes.values()),
            foreign_keys=tuple(self.foreign_keys.values()),
            parents=tuple(self.parents),
            is_partition=self.is_partition,
            partition_key=self.partition_key,
            triggers=tuple(self.triggers.values()),
            wrapper=self.wrapper,
            view_query=self.view_query,
            is_whole=self.is_whole,
        )

    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key; () where there is none."""
        return self.finished().primary_key

    def drop_column(self, name: str) -> None:
        """Take a column away, with the indexes and keys that it is part of."""
        self.columns.pop(name, None)
        self.indexes = {
            each: index
            for each, index in self.indexes.items()
            if name not in index.columns and name not in index.included
        }
        self.foreign_keys = {
            each: key for each, key in self.foreign_keys.items() if name not in key.columns
        }

    def rename_column(self, old: str, new: str) -> None:
        """Give a column another name, wherever it is named."""

        def renamed(columns: Iterable[str]) -> tuple[str, ...]:
            return tuple(new if each == old else each for each in columns)

        self.columns = {
            new if name == old else name: column._replace(name=new) if name == old else column
            for name, column in self.columns.items()
        }
        for name, index in self.indexes.items():
            keys = tuple(
                key._replace(column=new) if key.column == old else key for key in index.keys
            )
            self.indexes[name] = index._replace(keys=keys, included=renamed(index.included))
        for name, key in self.foreign_keys.items():
            self.foreign_keys[name] = key._replace(columns=renamed(key.columns))
        self.partition_key = tuple(new if each == old else each for each in self.partition_key)


@dataclass(slots=True)
class Drafts:
    """All relations of a schema that statements still change.

    `servers` are the foreign-data wrappers of foreign servers.  `is_closed` becomes false
    where a statement went unread of which it does not show what it changed.
    """

    by_name: dict[TableName, Draft] = field(default_factory=dict)
    search_path: tuple[str, ...] = DEFAULT_SEARCH_PATH
    servers: dict[str, str] = field(default_factory=dict)
    attached: dict[TableName, set[TableName]] = field(default_factory=dict)
    temporary: set[str] = field(default_factory=set)
    is_closed: bool = True

    # --- names --------------------------------------------------------------------

    def home_of(self, name: TableName) -> TableName:
        """The qualified name that CREATE gives a relation."""
        if name.schema is not None:
            return name
        path = [schema for schema in self.search_path if schema not in _NO_HOME]
        return TableName(path[0] if path else "public", name.name)

    def find(self, name: TableName) -> Draft | None:
        """The relation that a name means."""
        if name.schema is not None:
            return self.by_name.get(name)
        if name.name in self.temporary:
            return None
        for schema in self.search_path:
            found = self.by_name.get(TableName(schema, name.name))
            if found is not None:
                return found
        return None

    def holder_of_index(self, name: TableName) -> Draft | None:
        """The relation that has an index of a name."""
        schemas = self.search_path if name.schema is None else (name.schema,)
        for schema in schemas:
            for draft in self.by_name.values():
                if draft.name.schema == schema and name.name in draft.indexes:
                    return draft
        return None

    def free_name(self, schema: str | None, table: str, columns: str, label: str) -> str:
        """A name for an index as the server gives it (`ChooseRelationName`)."""
        number = 0
        while True:
            suffix = f"{label}{number or ''}"
            name = object_name(table, columns, suffix)
            taken = TableName(schema, name) in self.by_name or any(
                name in draft.indexes
                for draft in self.by_name.values()
                if draft.name.schema == schema
            )
            if not taken:
                return name
            number += 1

    def partitions_of(self, parent: Draft) -> Iterator[Draft]:
        """The partitions of a table."""
        for draft in self.by_name.values():
            if draft.is_partition and parent.name in draft.parents:
                yield draft

    # --- what happens to all of them ------------------------------------------------

    def drop(self, name: TableName) -> None:
        """Take a relation away, with its partitions and the foreign keys that point at it."""
        gone = self.by_name.pop(name, None)
        if gone is None:
            return
        for partition in list(self.partitions_of(gone)):
            self.drop(partition.name)
        for draft in self.by_name.values():
            draft.foreign_keys = {
                each: key for each, key in draft.foreign_keys.items() if key.referenced != name
            }
            if name in draft.parents:
                draft.parents.remove(name)

    def rename(self, old: TableName, new: TableName) -> None:
        """Give a relation another name or schema, wherever it is named."""
        draft = self.by_name.pop(old)
        draft.name = new
        self.by_name[new] = draft
        for each in self.by_name.values():
            each.parents = [new if parent == old else parent for parent in each.parents]
            for name, key in each.foreign_keys.items():
                if key.referenced == old:
                    each.foreign_keys[name] = key._replace(referenced=new)

    def rename_column(self, draft: Draft, old: str, new: str) -> None:
        """Give a column another name, in the foreign keys that point at it too."""
        draft.rename_column(old, new)
        for each in self.by_name.values():
            for name, key in each.foreign_keys.items():
                if key.referenced == draft.name:
                    columns = tuple(new if c == old else c for c in key.referenced_columns)
                    each.foreign_keys[name] = key._replace(referenced_columns=columns)

    def add_index(self, draft: Draft, index: Index, *, label: str, columns: str) -> Index:
        """Add an index, named as the server would; the partitions get one like it."""
        schema, table = draft.name
        name = index.name or self.free_name(schema, table, columns, label)
        index = index._replace(name=name)
        draft.indexes[name] = index
        for partition in self.partitions_of(draft) if index.valid else ():
            self.add_like(partition, index, parent=draft)
        return index

    def add_like(self, partition: Draft, index: Index, parent: Draft) -> None:
        """Give a partition an index like its parent's, if it has none."""
        if any(_is_like(each, index) for each in partition.indexes.values()):
            return
        label = "pkey" if index.primary else "key" if index.is_constraint else "idx"
        columns = "" if index.primary else index.name_columns
        made = self.add_index(partition, index._replace(name=None), label=label, columns=columns)
        assert made.name is not None
        assert index.name is not None
        home = TableName(parent.name.schema, index.name)
        self.attached.setdefault(home, set()).add(TableName(partition.name.schema, made.name))

    def attach_index(self, holder: Draft, name: str, below: TableName) -> None:
        """ALTER INDEX … ATTACH PARTITION: the parent's is valid once every partition has its."""
        home = TableName(holder.name.schema, name)
        attached = self.attached.setdefault(home, set())
        attached.add(below)
        if len(attached) >= sum(1 for _ in self.partitions_of(holder)):
            holder.indexes[name] = holder.indexes[name]._replace(valid=True)

    def catalog(self) -> Catalog:
        """The catalogue of what there is now."""
        relations = {name: draft.finished() for name, draft in self.by_name.items()}
        return Catalog(relations, self.search_path, self.is_closed)


def _is_like(one: Index, other: Index) -> bool:
    same = one.keys == other.keys and one.unique == other.unique
    return same and one.primary == other.primary and one.predicate == other.predicate


def object_name(table: str, columns: str, label: str) -> str:
    """A name made of a table's and columns' that fits (`makeObjectName`): the longer is cut."""
    one, two = table.encode(), columns.encode()
    room = _MAX_NAME - len(label.encode()) - 1 - (1 if columns else 0)
    while len(one) + len(two) > room:
        if len(one) > len(two):
            one = one[:-1]
        else:
            two = two[:-1]
    parts = [one.decode(errors="ignore"), two.decode(errors="ignore"), label]
    return "_".join(part for part in parts if part)
