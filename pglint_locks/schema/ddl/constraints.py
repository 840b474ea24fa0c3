"""Constraints: the indexes that they make, and foreign keys.

Mirrors `transformIndexConstraints`, `DefineIndex` and `ATAddForeignKeyConstraint`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pglast import ast
from pglast.enums import ConstrType, SortByDir, SortByNulls

from pglint_locks.schema.ddl.chosen import chosen_name, column_names
from pglint_locks.schema.ddl.draft import (
    Draft,
    DraftForeignKey,
    DraftIndex,
    DraftKey,
    DraftRelation,
    name_of,
)

INDEX_MAKING = frozenset(
    {ConstrType.CONSTR_PRIMARY, ConstrType.CONSTR_UNIQUE, ConstrType.CONSTR_EXCLUSION}
)
ATTRIBUTES = frozenset(
    {
        ConstrType.CONSTR_ATTR_DEFERRABLE,
        ConstrType.CONSTR_ATTR_NOT_DEFERRABLE,
        ConstrType.CONSTR_ATTR_DEFERRED,
        ConstrType.CONSTR_ATTR_IMMEDIATE,
        ConstrType.CONSTR_ATTR_ENFORCED,
        ConstrType.CONSTR_ATTR_NOT_ENFORCED,
    }
)


class Stated(NamedTuple):
    """A constraint as it is stated, of a table or of one of its columns.

    A column's attributes (DEFERRABLE) are constraints of their own in the tree, behind theirs.
    """

    node: ast.Constraint
    column: str | None = None
    attributes: tuple[ConstrType, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that it is over."""
        if self.column is not None:
            return [self.column]
        named = self.node.fk_attrs or self.node.keys or ()
        return [column.sval for column in named]

    @property
    def is_deferrable(self) -> bool:
        """Whether it may be checked at the transaction's end."""
        deferred = {ConstrType.CONSTR_ATTR_DEFERRABLE, ConstrType.CONSTR_ATTR_DEFERRED}
        return bool(self.node.deferrable or not deferred.isdisjoint(self.attributes))

    @property
    def is_enforced(self) -> bool:
        """Whether it is checked at all."""
        return bool(
            self.node.is_enforced and ConstrType.CONSTR_ATTR_NOT_ENFORCED not in self.attributes
        )


def stated_of_column(column: ast.ColumnDef) -> list[Stated]:
    """The constraints that stand behind a column's type."""
    stated: list[Stated] = []
    for node in column.constraints or ():
        if node.contype in ATTRIBUTES:
            if stated:
                last = stated[-1]
                stated[-1] = last._replace(attributes=(*last.attributes, node.contype))
        else:
            stated.append(Stated(node, column.colname))
    return stated


def add_all(draft: Draft, relation: DraftRelation, stated: Sequence[Stated]) -> None:
    """Add constraints in the server's order: the primary key, other indexes, foreign keys."""
    making = [each for each in stated if each.node.contype in INDEX_MAKING]
    making.sort(key=lambda each: each.node.contype is not ConstrType.CONSTR_PRIMARY)
    made: list[DraftIndex] = []
    for each in making:
        index = index_of(draft, each)
        same = next((old for old in made if _is_same(old, index)), None)
        if same is None:
            made.append(index)
        else:
            same.name = same.name or index.name
            same.unique = same.unique or index.unique
    for index in made:
        add_index(draft, relation, index)
    for each in stated:
        if each.node.contype is ConstrType.CONSTR_FOREIGN:
            add_foreign_key(draft, relation, each)


def index_of(draft: Draft, stated: Stated) -> DraftIndex:
    """The index that a constraint makes; its name is empty where the server chooses it."""
    node = stated.node
    elements = [element for element, _ in node.exclusions or ()]
    primary = node.contype is ConstrType.CONSTR_PRIMARY
    exclusion = node.contype is ConstrType.CONSTR_EXCLUSION
    keys = keys_of(elements) if exclusion else [DraftKey(column) for column in stated.columns]
    return DraftIndex(
        node.conname or "",
        keys,
        draft.at,
        unique=not exclusion,
        included=[column.sval for column in node.including or ()],
        predicate=node.where_clause,
        method=node.access_method or ("gist" if node.without_overlaps else "btree"),
        primary=primary,
        deferrable=stated.is_deferrable,
        nulls_not_distinct=bool(node.nulls_not_distinct),
        is_constraint=True,
    )


def keys_of(elements: Iterable[ast.IndexElem]) -> list[DraftKey]:
    """The key columns of an index."""
    keys = []
    for element in elements:
        descending = element.ordering == SortByDir.SORTBY_DESC
        nulls = element.nulls_ordering
        first = (
            descending
            if nulls == SortByNulls.SORTBY_NULLS_DEFAULT
            else nulls == (SortByNulls.SORTBY_NULLS_FIRST)
        )
        keys.append(DraftKey(element.name, element.expr, descending, first))
    return keys


def add_index(
    draft: Draft, relation: DraftRelation, index: DraftIndex, *, alone: bool = False
) -> None:
    """Add an index to a table and, unless `alone`, to its partitions."""
    if not index.name or (
        index.above is not None and draft.is_taken(relation.name.schema, index.name)
    ):
        index.name = _index_name(draft, relation, index)
    elif draft.is_taken(relation.name.schema, index.name):
        return
    draft.add_index(relation, index)
    if index.primary:
        for key in index.keys:
            if key.column is not None:
                relation.alter(key.column, not_null=True)
    if not relation.is_partitioned:
        return
    if alone:
        index.valid = not relation.partitions
        return
    for child in relation.partitions:
        give_index(draft, child, index)


def give_index(draft: Draft, child: DraftRelation, above: DraftIndex) -> None:
    """Have a partition hold an index of its parent: one that it has already, or a new one."""
    for own in child.indexes.values():
        if own.above is None and own.valid and _serves_as(own, above):
            own.above = above
            return
    own = DraftIndex(
        "",
        [DraftKey(k.column, k.expression, k.descending, k.nulls_first) for k in above.keys],
        above.origin,
        above.unique,
        list(above.included),
        above.predicate,
        above.method,
        above.primary,
        True,
        above.deferrable,
        above.nulls_not_distinct,
        above.is_constraint,
        above,
    )
    add_index(draft, child, own)


def add_foreign_key(draft: Draft, relation: DraftRelation, stated: Stated) -> None:
    """Add a foreign key to a table and to its partitions."""
    node = stated.node
    referenced = (
        relation if name_of(node.pktable) == relation.name else draft.touched(name_of(node.pktable))
    )
    columns = stated.columns
    key = DraftForeignKey(
        node.conname or "",
        columns,
        referenced,
        [column.sval for column in node.pk_attrs or ()] or referenced.primary_key,
        draft.at,
        stated.is_enforced,
    )
    give_foreign_key(draft, relation, key)


def give_foreign_key(draft: Draft, relation: DraftRelation, key: DraftForeignKey) -> None:
    """Have a table hold a foreign key; a partition may hold it already."""
    if key.above is not None:
        for own in relation.foreign_keys.values():
            if own.above is None and _points_alike(own, key):
                own.above = key.above
                return
    names = (
        relation.foreign_keys.keys()
        | relation.not_nulls.keys()
        | {index.name for index in relation.indexes.values() if index.is_constraint}
    )
    if not key.name or (key.name in names and key.above is not None):
        key.name = chosen_name(relation.name.name, key.columns, "fkey", names.__contains__)
    elif key.name in names:
        return
    relation.foreign_keys[key.name] = key
    if relation.is_partitioned:
        for child in relation.partitions:
            give_foreign_key(draft, child, copied(key, above=key))


def copied(key: DraftForeignKey, above: DraftForeignKey | None = None) -> DraftForeignKey:
    """A copy of a foreign key, for another table."""
    return DraftForeignKey(
        key.name,
        list(key.columns),
        key.referenced,
        list(key.referenced_columns),
        key.origin,
        key.enforced,
        above,
    )


def _index_name(draft: Draft, relation: DraftRelation, index: DraftIndex) -> str:
    """The name that the server chooses (`ChooseIndexName`)."""

    def is_taken(name: str) -> bool:
        return draft.is_taken(relation.name.schema, name) or (
            index.is_constraint and name in relation.foreign_keys
        )

    elements = [(key.column, key.expression) for key in index.keys]
    columns = column_names([*elements, *((column, None) for column in index.included)])
    if index.primary:
        return chosen_name(relation.name.name, (), "pkey", is_taken)
    if not index.is_constraint:
        return chosen_name(relation.name.name, columns, "idx", is_taken)
    label = "key" if index.unique else "excl"
    return chosen_name(relation.name.name, columns, label, is_taken)


def _is_same(one: DraftIndex, other: DraftIndex) -> bool:
    """Whether two constraints of one statement make one index."""
    return (
        _shape(one) == _shape(other)
        and one.deferrable == other.deferrable
        and not (one.name and other.name and one.name != other.name)
    )


def _serves_as(own: DraftIndex, above: DraftIndex) -> bool:
    """Whether an index can be the partition's part of one (`CompareIndexInfo`)."""
    return _shape(own) == _shape(above) and (not above.is_constraint or own.is_constraint)


def _shape(index: DraftIndex) -> tuple[object, ...]:
    keys = tuple((k.column, k.expression, k.descending, k.nulls_first) for k in index.keys)
    return (
        keys,
        index.unique,
        tuple(index.included),
        index.predicate,
        index.method,
        index.nulls_not_distinct,
    )


def _points_alike(one: DraftForeignKey, other: DraftForeignKey) -> bool:
    return (one.columns, one.referenced, one.referenced_columns) == (
        other.columns,
        other.referenced,
        other.referenced_columns,
    )
