"""CREATE TABLE, and what is a table's from its first statement on."""

from __future__ import annotations

from collections.abc import Iterable

from pglast import ast
from pglast.enums import ConstrType
from pglast.enums import TableLikeOption as Copied

from pglint_locks.schema.catalog import Column, RelationKind
from pglint_locks.schema.ddl.chosen import chosen_name
from pglint_locks.schema.ddl.constraints import (
    Stated,
    add_all,
    add_index,
    copied,
    give_foreign_key,
    give_index,
    stated_of_column,
)
from pglint_locks.schema.ddl.draft import Draft, DraftIndex, DraftKey, DraftRelation, name_of
from pglint_locks.schema.ddl.typenames import serial_type, shown_type
from pglint_locks.schema.names import TableName

_TEMPORARY = "t"


def create_table(draft: Draft, node: ast.CreateStmt, wrapper: str | None = None) -> None:
    """CREATE TABLE; with a `wrapper`, CREATE FOREIGN TABLE."""
    relation = begun(draft, node.relation, RelationKind.TABLE)
    if relation is None:
        return
    if wrapper is not None:
        relation.kind, relation.wrapper = RelationKind.FOREIGN_TABLE, wrapper or None
    elif node.partspec is not None:
        relation.kind = RelationKind.PARTITIONED_TABLE
        relation.partition_key = [each.name for each in node.partspec.partParams]
    if node.ofTypename is not None:
        _take_type(draft, relation, node.ofTypename)
    relation.is_partition = node.partbound is not None
    parents = [draft.touched(name_of(parent)) for parent in node.inhRelations or ()]
    for parent in parents:
        inherit(relation, parent)
    stated: list[Stated] = []
    likes: list[ast.TableLikeClause] = []
    for element in node.tableElts or ():
        match element:
            case ast.ColumnDef():
                stated += add_column(draft, relation, element)
            case ast.Constraint():
                stated.append(Stated(element))
            case ast.TableLikeClause():
                likes.append(element)
                _copy_columns(draft, relation, element)
    draft.add(relation)
    take_not_nulls(relation, stated)
    add_all(draft, relation, stated)
    for like in likes:
        _copy_indexes(draft, relation, like)
    for parent in parents:
        take_from_above(draft, relation, parent)


def begun(draft: Draft, node: ast.RangeVar, kind: RelationKind) -> DraftRelation | None:
    """A new relation; None where it is a session's own, or there is one of its name.

    Without IF NOT EXISTS the server refuses the second: no file that runs holds it.
    """
    name = name_of(node)
    if node.relpersistence == _TEMPORARY or name.is_temporary(frozenset()):
        draft.temporary.add(name.name)
        return None
    home = draft.home(name)
    old = draft.relations.get(home)
    if old is not None and not old.is_stub:
        draft.contested.add(home)
        return None
    return DraftRelation(home, kind, draft.at)


def add_column(draft: Draft, relation: DraftRelation, node: ast.ColumnDef) -> list[Stated]:
    """Add a column to a table; gives the constraints that are stated with it."""
    stated = stated_of_column(node)
    kinds = {each.node.contype for each in stated}
    serial = serial_type(node.typeName) if node.typeName is not None else None
    inherited = relation.columns.get(node.colname, Column(node.colname))
    is_identity = ConstrType.CONSTR_IDENTITY in kinds
    required = {ConstrType.CONSTR_NOTNULL, ConstrType.CONSTR_PRIMARY, ConstrType.CONSTR_IDENTITY}
    relation.columns[node.colname] = Column(
        node.colname,
        serial or shown_type(node.typeName) or inherited.type,
        inherited.not_null or serial is not None or not required.isdisjoint(kinds),
        inherited.generated or ConstrType.CONSTR_GENERATED in kinds,
        inherited.identity or is_identity,
    )
    relation.local.add(node.colname)
    if serial is not None or is_identity:
        options = (each.node.options for each in stated if each.node.options)
        own_sequence(draft, relation, node.colname, next(options, None))
    return stated


def own_sequence(
    draft: Draft,
    relation: DraftRelation,
    column: str,
    options: Iterable[ast.DefElem] | None = None,
) -> None:
    """The sequence of a serial or identity column, which goes with it."""

    def is_taken(name: str) -> bool:
        return draft.is_taken(relation.name.schema, name)

    name = chosen_name(relation.name.name, (column,), "seq", is_taken)
    home = TableName(relation.name.schema, name)
    for option in options or ():
        if option.defname == "sequence_name":
            *schema, own = (part.sval for part in option.arg)
            home = TableName(schema[-1] if schema else home.schema, own)
    sequence = DraftRelation(home, RelationKind.SEQUENCE, draft.at, owner=(relation, column))
    draft.add(sequence)


def _take_type(draft: Draft, relation: DraftRelation, written: ast.TypeName) -> None:
    """CREATE TABLE … OF a composite type."""
    columns = draft.types.get(written.names[-1].sval)
    relation.is_whole = columns is not None
    for column in columns or ():
        relation.columns[column.name] = column
        relation.local.add(column.name)


def create_type(draft: Draft, node: ast.CompositeTypeStmt) -> None:
    """CREATE TYPE … AS (…)."""
    draft.types[node.typevar.relname] = tuple(
        Column(each.colname, shown_type(each.typeName)) for each in node.coldeflist or ()
    )


def take_not_nulls(relation: DraftRelation, stated: Iterable[Stated]) -> None:
    """Take in NOT NULL constraints, which have names, and may stand behind the columns."""
    for each in stated:
        if each.node.contype is ConstrType.CONSTR_NOTNULL:
            for column in each.columns:
                default = f"{relation.name.name}_{column}_not_null"
                relation.not_nulls[each.node.conname or default] = column
                relation.alter(column, not_null=True)


def inherit(relation: DraftRelation, parent: DraftRelation) -> None:
    """Have a relation inherit the columns of another; a circle is refused."""
    if parent.is_below(relation) or relation in parent.children:
        return
    relation.parents.append(parent)
    parent.children.append(relation)
    relation.is_whole = relation.is_whole and parent.is_whole and not parent.is_stub
    for column in parent.columns.values():
        own = relation.columns.get(column.name)
        kept = column if relation.is_partition else column._replace(identity=False)
        if own is not None:
            kept = own._replace(
                not_null=own.not_null or column.not_null,
                identity=column.identity if relation.is_partition else own.identity,
            )
        relation.columns[column.name] = kept


def take_from_above(draft: Draft, relation: DraftRelation, parent: DraftRelation) -> None:
    """Have a partition hold the indexes, foreign keys and row triggers of its parent."""
    if not relation.is_partition:
        return
    for index in list(parent.indexes.values()):
        give_index(draft, relation, index)
    for key in list(parent.foreign_keys.values()):
        give_foreign_key(draft, relation, copied(key, above=key))
    for trigger in parent.triggers.values():
        if trigger.per_row:
            relation.triggers.setdefault(trigger.name, trigger)


def _copy_columns(draft: Draft, relation: DraftRelation, like: ast.TableLikeClause) -> None:
    source = draft.find(name_of(like.relation))
    if source is None:
        relation.is_whole = False
        return
    relation.is_whole = relation.is_whole and source.is_whole and not source.is_stub
    for column in source.columns.values():
        relation.columns[column.name] = column._replace(
            generated=column.generated and bool(like.options & Copied.CREATE_TABLE_LIKE_GENERATED),
            identity=column.identity and bool(like.options & Copied.CREATE_TABLE_LIKE_IDENTITY),
        )
        if relation.columns[column.name].identity:
            own_sequence(draft, relation, column.name)
        relation.local.add(column.name)


def _copy_indexes(draft: Draft, relation: DraftRelation, like: ast.TableLikeClause) -> None:
    source = draft.find(name_of(like.relation))
    if source is None or not like.options & Copied.CREATE_TABLE_LIKE_INDEXES:
        return
    for index in list(source.indexes.values()):
        copy = DraftIndex(
            "",
            [DraftKey(k.column, k.expression, k.descending, k.nulls_first) for k in index.keys],
            draft.at,
            index.unique,
            list(index.included),
            index.predicate,
            index.method,
            index.primary,
            True,
            index.deferrable,
            index.nulls_not_distinct,
            index.is_constraint,
        )
        add_index(draft, relation, copy)
