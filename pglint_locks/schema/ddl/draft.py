"""A catalogue in the making: what the statements so far have made, open to be altered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pglast import ast
from pglast.stream import RawStream

from pglint_locks.schema.catalog import (
    DEFAULT_SEARCH_PATH,
    Column,
    ForeignKey,
    Origin,
    Relation,
    RelationKind,
    Trigger,
)
from pglint_locks.schema.indexes import Index, IndexKey
from pglint_locks.schema.names import TableName


@dataclass(slots=True, eq=False)
class DraftKey:
    """A key column of an index, or an expression."""

    column: str | None
    expression: ast.Node | None = None
    descending: bool = False
    nulls_first: bool = False


@dataclass(slots=True, eq=False)
class DraftIndex:
    """An index.  `above` is the one of the partitioned table that it is attached to."""

    name: str
    keys: list[DraftKey]
    origin: Origin
    unique: bool = False
    included: list[str] = field(default_factory=list)
    predicate: ast.Node | None = None
    method: str = "btree"
    primary: bool = False
    valid: bool = True
    deferrable: bool = False
    nulls_not_distinct: bool = False
    is_constraint: bool = False
    above: DraftIndex | None = None

    def columns_read(self) -> set[str]:
        """The columns that it needs: with one of them it is dropped."""
        expressions = [key.expression for key in self.keys if key.expression is not None]
        expressions += [self.predicate] if self.predicate is not None else []
        named = {key.column for key in self.keys if key.column is not None}
        return named.union(self.included, *map(columns_named, expressions))

    def made(self) -> Index:
        """The index as the catalogue has it."""
        keys = tuple(
            IndexKey(key.column, _sql(key.expression), key.descending, key.nulls_first)
            for key in self.keys
        )
        return Index(
            keys,
            self.unique,
            tuple(self.included),
            _sql(self.predicate),
            self.name,
            self.method,
            self.primary,
            self.valid,
            self.deferrable,
            self.is_constraint,
            self.nulls_not_distinct,
            self.origin,
        )


@dataclass(slots=True, eq=False)
class DraftForeignKey:
    """A foreign key.  `above` is the one of the partitioned table that it comes from."""

    name: str
    columns: list[str]
    referenced: DraftRelation
    referenced_columns: list[str]
    origin: Origin
    enforced: bool = True
    above: DraftForeignKey | None = None


@dataclass(slots=True, eq=False)
class DraftRelation:
    """A relation.  `local` are the columns that it has of its own, not by inheritance only.

    `is_stub`: statements speak of it, and none that made it was read.  `owner` is the column
    that a sequence goes with, `reads` what the query of a view reads.
    """

    name: TableName
    kind: RelationKind
    origin: Origin
    columns: dict[str, Column] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)
    indexes: dict[str, DraftIndex] = field(default_factory=dict)
    foreign_keys: dict[str, DraftForeignKey] = field(default_factory=dict)
    not_nulls: dict[str, str] = field(default_factory=dict)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    parents: list[DraftRelation] = field(default_factory=list)
    children: list[DraftRelation] = field(default_factory=list)
    is_partition: bool = False
    partition_key: list[str | None] = field(default_factory=list)
    wrapper: str | None = None
    view_query: str | None = None
    is_whole: bool = True
    is_stub: bool = False
    owner: tuple[DraftRelation, str] | None = None
    reads: list[DraftRelation] = field(default_factory=list)

    @property
    def is_partitioned(self) -> bool:
        """Whether its indexes and constraints are those of its partitions."""
        return self.kind is RelationKind.PARTITIONED_TABLE

    @property
    def partitions(self) -> list[DraftRelation]:
        """Its partitions."""
        return [child for child in self.children if child.is_partition]

    @property
    def primary_key(self) -> list[str]:
        """The columns of its primary key."""
        keys = next((index.keys for index in self.indexes.values() if index.primary), ())
        return [key.column for key in keys if key.column is not None]

    def is_below(self, other: DraftRelation) -> bool:
        """Whether it is another relation, or inherits from it."""
        return self is other or any(parent.is_below(other) for parent in self.parents)

    def alter(self, column: str, **changes: object) -> None:
        """Change what is known of a column, here and in what inherits it."""
        if column in self.columns:
            self.columns[column] = self.columns[column]._replace(**changes)  # type: ignore[arg-type]
        for child in self.children:
            child.alter(column, **changes)

    def made(self) -> Relation:
        """The relation as the catalogue has it."""
        return Relation(
            self.name,
            self.kind,
            self.origin,
            tuple(self.columns.values()),
            tuple(index.made() for index in self.indexes.values()),
            tuple(
                ForeignKey(
                    key.name,
                    tuple(key.columns),
                    key.referenced.name,
                    tuple(key.referenced_columns),
                    key.origin,
                )
                for key in self.foreign_keys.values()
                if key.enforced
            ),
            tuple(parent.name for parent in self.parents),
            self.is_partition,
            tuple(self.partition_key),
            tuple(self.triggers.values()),
            self.wrapper,
            self.view_query,
            self.is_whole and not self.is_stub,
        )


@dataclass(slots=True, eq=False)
class Draft:
    """What statements have made so far.

    `at` is the place of the statement that is being replayed.  `forgotten` are relations that
    were dropped, as they were then; `temporary` the names of a session's own tables;
    `contested` those of relations that were created again while they were there.
    """

    at: Origin
    relations: dict[TableName, DraftRelation] = field(default_factory=dict)
    indexes: dict[TableName, DraftRelation] = field(default_factory=dict)
    path: tuple[str, ...] = DEFAULT_SEARCH_PATH
    app_paths: set[tuple[str, ...]] = field(default_factory=set)
    wrappers: dict[str, str] = field(default_factory=dict)
    forgotten: list[Relation] = field(default_factory=list)
    temporary: set[str] = field(default_factory=set)
    contested: set[TableName] = field(default_factory=set)
    types: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    is_closed: bool = True

    # --- names ----------------------------------------------------------------------

    def home(self, name: TableName) -> TableName:
        """The full name of what is created under a name."""
        if name.schema is not None:
            return name
        return TableName((self.path or DEFAULT_SEARCH_PATH)[0], name.name)

    def find(self, name: TableName) -> DraftRelation | None:
        """The relation that a name means now."""
        found = self._found(name, self.relations)
        return self.relations[found] if found is not None else None

    def index(self, name: TableName) -> tuple[DraftRelation, DraftIndex] | None:
        """The index that a name means now, and the table that has it."""
        found = self._found(name, self.indexes)
        if found is None:
            return None
        relation = self.indexes[found]
        return relation, relation.indexes[found.name]

    def _found(self, name: TableName, known: Iterable[TableName]) -> TableName | None:
        if name.schema is not None:
            return name if name in known else None
        schemas = (*self.path, *DEFAULT_SEARCH_PATH)
        homes = (TableName(schema, name.name) for schema in schemas)
        return next((home for home in homes if home in known), None)

    def touched(self, name: TableName) -> DraftRelation:
        """The relation that a name means; one that nothing made yet is a stub."""
        found = self.find(name)
        if found is None:
            found = DraftRelation(self.home(name), RelationKind.TABLE, self.at, is_stub=True)
            self.relations[found.name] = found
        return found

    def is_taken(self, schema: str | None, name: str) -> bool:
        """Whether a relation of a schema, be it an index, has a name."""
        full = TableName(schema, name)
        return full in self.relations or full in self.indexes

    def is_told_of(self, relation: DraftRelation) -> bool:
        """Whether a stub has anything that is worth knowing."""
        if relation.indexes or relation.foreign_keys or relation.triggers or relation.children:
            return True
        keys = (key for each in self.relations.values() for key in each.foreign_keys.values())
        return any(key.referenced is relation for key in keys)

    # --- changes --------------------------------------------------------------------

    def add(self, relation: DraftRelation) -> None:
        """Take in a new relation; it takes the place of one that is there already."""
        old = self.relations.get(relation.name)
        if old is not None:
            if not old.is_stub:
                self.forget(old)
            self.replace(old, relation)
        self.relations[relation.name] = relation

    def replace(self, old: DraftRelation, new: DraftRelation) -> None:
        """Have what refers to a relation refer to another in its place."""
        for index in list(old.indexes):
            self.drop_index(old, index)
        for relation in self.relations.values():
            for key in relation.foreign_keys.values():
                if key.referenced is old:
                    key.referenced = new

    def add_index(self, relation: DraftRelation, index: DraftIndex) -> None:
        """Take in an index of a relation."""
        relation.indexes[index.name] = index
        self.indexes[TableName(relation.name.schema, index.name)] = relation

    def drop_index(self, relation: DraftRelation, name: str) -> None:
        """Drop an index, and those of partitions that are attached to it."""
        index = relation.indexes.pop(name)
        self.indexes.pop(TableName(relation.name.schema, name), None)
        for child in relation.partitions:
            for below in [each.name for each in child.indexes.values() if each.above is index]:
                self.drop_index(child, below)

    def drop(self, relation: DraftRelation) -> None:
        """Drop a relation, what inherits it, and the foreign keys that point at it."""
        if self.relations.pop(relation.name, None) is None:
            return  # by way of another parent
        self.forget(relation)
        for child in list(relation.children):
            if child.is_partition or child.kind is RelationKind.TABLE:
                self.drop(child)
        for name in list(relation.indexes):
            self.drop_index(relation, name)
        self.drop_sequences(relation)
        self.drop_views(relation)
        for parent in relation.parents:
            parent.children = [child for child in parent.children if child is not relation]
        for other in self.relations.values():
            for name in [k.name for k in other.foreign_keys.values() if k.referenced is relation]:
                del other.foreign_keys[name]

    def drop_sequences(self, relation: DraftRelation, column: str | None = None) -> None:
        """Drop the sequences of a relation's columns, or of one."""
        for each in list(self.relations.values()):
            owner = each.owner
            if owner is not None and owner[0] is relation and column in (None, owner[1]):
                self.drop(each)

    def drop_views(self, relation: DraftRelation, column: str | None = None) -> None:
        """Drop the views that read a relation, or a column of it as far as their text shows."""
        for each in list(self.relations.values()):
            words = re.findall(r"[\w$]+|\*", each.view_query or "")
            is_read = column is None or column in words or "*" in words
            if is_read and any(source is relation for source in each.reads):
                self.drop(each)

    def forget(self, relation: DraftRelation) -> None:
        """Remember how a relation was that is dropped."""
        if not relation.is_stub and relation.kind is not RelationKind.SEQUENCE:
            self.forgotten.append(relation.made())

    def move(self, relation: DraftRelation, name: TableName) -> None:
        """Give a relation another name or schema."""
        del self.relations[relation.name]
        for index in relation.indexes:
            self.indexes.pop(TableName(relation.name.schema, index), None)
            self.indexes[TableName(name.schema, index)] = relation
        schema, relation.name = relation.name.schema, name
        self.add(relation)
        if name.schema != schema:
            for each in list(self.relations.values()):
                if each.owner is not None and each.owner[0] is relation:
                    self.move(each, TableName(name.schema, each.name.name))

    def unread(self, name: TableName | None) -> None:
        """Note that a statement was not understood: of this relation, or of any."""
        relation = self.find(name) if name is not None else None
        if relation is not None:
            relation.is_whole = False
        else:
            self.is_closed = False


def name_of(node: ast.RangeVar) -> TableName:
    """The name of a relation as a statement writes it."""
    return TableName(node.schemaname, node.relname)


def columns_named(node: ast.Node) -> set[str]:
    """The columns that an expression over one table reads."""
    return {ref.fields[-1].sval for ref in column_refs(node)}


def column_refs(node: ast.Node) -> Iterator[ast.ColumnRef]:
    """The places of an expression that name a column."""
    from pglint_locks.sql.walk import descendants

    for below in descendants(node):
        if isinstance(below, ast.ColumnRef) and isinstance(below.fields[-1], ast.String):
            yield below


def _sql(node: ast.Node | None) -> str | None:
    return RawStream()(node) if node is not None else None
