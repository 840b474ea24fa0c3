"""ALTER TABLE: columns, constraints, inheritance and partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pglast import ast
from pglast.enums import AlterTableType as Do
from pglast.enums import ConstrType, ObjectType

from pglint_locks.schema.ddl.constraints import Stated, add_all
from pglint_locks.schema.ddl.draft import Draft, DraftRelation, name_of
from pglint_locks.schema.ddl.tables import (
    add_column,
    inherit,
    own_sequence,
    take_from_above,
    take_not_nulls,
)
from pglint_locks.schema.ddl.typenames import shown_type

_Change = Callable[[Draft, DraftRelation, Any], None]
_RELATIONS = frozenset(
    {ObjectType.OBJECT_TABLE, ObjectType.OBJECT_FOREIGN_TABLE, ObjectType.OBJECT_MATVIEW}
)


def alter_table(draft: Draft, node: ast.AlterTableStmt) -> None:
    """ALTER TABLE, and ALTER INDEX … ATTACH PARTITION."""
    if node.objtype == ObjectType.OBJECT_INDEX:
        _attach_index(draft, node)
    if node.objtype not in _RELATIONS:
        return
    name = name_of(node.relation)
    if name.schema is None and name.name in draft.temporary:
        return
    changes = [
        (_CHANGES[command.subtype], command) for command in node.cmds if command.subtype in _CHANGES
    ]
    if not changes:
        return
    relation = draft.find(name)
    if relation is None:
        if node.missing_ok:
            return
        relation = draft.touched(name)
    for change, command in changes:
        change(draft, relation, command)


def _add_column(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    node = command.def_
    if command.missing_ok and node.colname in relation.columns:
        return
    stated = add_column(draft, relation, node)
    column = relation.columns[node.colname]
    for child in relation.children:
        _pass_on(child, column)
    take_not_nulls(relation, stated)
    add_all(draft, relation, stated)


def _pass_on(child: DraftRelation, column: Any) -> None:
    """Give a new column to what inherits."""
    child.columns.setdefault(column.name, column)
    for below in child.children:
        _pass_on(below, column)


def _drop_column(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    drop_column(draft, relation, command.name)


def drop_column(draft: Draft, relation: DraftRelation, name: str) -> None:
    """Drop a column with the indexes and foreign keys that need it."""
    relation.columns.pop(name, None)
    relation.local.discard(name)
    draft.drop_sequences(relation, name)
    draft.drop_views(relation, name)
    for index in [each for each in relation.indexes.values() if name in each.columns_read()]:
        if index.name in relation.indexes:
            draft.drop_index(relation, index.name)
    for key in [each for each in relation.foreign_keys.values() if name in each.columns]:
        drop_foreign_key(relation, key.name)
    for other in draft.relations.values():
        for key in list(other.foreign_keys.values()):
            if key.referenced is relation and name in key.referenced_columns:
                del other.foreign_keys[key.name]
    relation.not_nulls = {k: v for k, v in relation.not_nulls.items() if v != name}
    for child in relation.children:
        if name not in child.local:
            drop_column(draft, child, name)


def _set_type(_: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    relation.alter(command.name, type=shown_type(command.def_.typeName))


def _changing(**changes: object) -> _Change:
    def change(_: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
        relation.alter(command.name, **changes)

    return change


def _add_identity(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    relation.alter(command.name, identity=True, not_null=True)
    own_sequence(draft, relation, command.name, command.def_.options)


def _drop_identity(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    relation.alter(command.name, identity=False)
    draft.drop_sequences(relation, command.name)


def _drop_not_null(_: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    _let_be_null(relation, command.name)


def _let_be_null(relation: DraftRelation, column: str) -> None:
    """Take NOT NULL from a column; what inherits it keeps a constraint of its own."""
    if column in relation.columns:
        relation.columns[column] = relation.columns[column]._replace(not_null=False)
    relation.not_nulls = {k: v for k, v in relation.not_nulls.items() if v != column}
    for child in relation.children:
        if column not in child.primary_key and column not in child.not_nulls.values():
            _let_be_null(child, column)


def _add_constraint(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    node = command.def_
    if node.indexname is not None:
        _use_index(draft, relation, node)
        return
    stated = [Stated(node)]
    take_not_nulls(relation, stated)
    add_all(draft, relation, stated)


def _use_index(draft: Draft, relation: DraftRelation, node: ast.Constraint) -> None:
    """PRIMARY KEY USING INDEX: the index takes the constraint's name."""
    index = relation.indexes.get(node.indexname)
    if index is None:
        relation.is_whole = False
        return
    if node.conname and node.conname != index.name:
        rename_index(draft, relation, index.name, node.conname)
    index.is_constraint = True
    index.deferrable = bool(node.deferrable)
    index.primary = node.contype is ConstrType.CONSTR_PRIMARY
    if index.primary:
        for key in index.keys:
            if key.column is not None:
                relation.alter(key.column, not_null=True)


def rename_index(draft: Draft, relation: DraftRelation, old: str, new: str) -> None:
    """Give an index another name, in its place among the others."""
    index = relation.indexes[old]
    index.name = new
    relation.indexes = {each.name: each for each in relation.indexes.values()}
    schema = relation.name.schema
    draft.indexes.pop(type(relation.name)(schema, old), None)
    draft.indexes[type(relation.name)(schema, new)] = relation


def _drop_constraint(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    name = command.name
    index = relation.indexes.get(name)
    if index is not None and index.is_constraint:
        columns = [key.column for key in index.keys]
        draft.drop_index(relation, name)
        _drop_keys_onto(draft, relation, columns)
    drop_foreign_key(relation, name)
    column = relation.not_nulls.pop(name, None)
    if column is not None:
        relation.alter(column, not_null=False)


def _drop_keys_onto(draft: Draft, relation: DraftRelation, columns: list[str | None]) -> None:
    """DROP CONSTRAINT … CASCADE: foreign keys that no other unique index serves go."""
    served = [
        {key.column for key in index.keys} for index in relation.indexes.values() if index.unique
    ]
    for other in draft.relations.values():
        for key in list(other.foreign_keys.values()):
            onto = set(key.referenced_columns)
            if key.referenced is relation and onto == set(columns) and onto not in served:
                drop_foreign_key(other, key.name)


def drop_foreign_key(relation: DraftRelation, name: str) -> None:
    """Drop a foreign key, and those of partitions that come from it."""
    key = relation.foreign_keys.pop(name, None)
    if key is None:
        return
    for child in relation.partitions:
        for below in [each.name for each in child.foreign_keys.values() if each.above is key]:
            drop_foreign_key(child, below)


def _alter_constraint(_: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    key = relation.foreign_keys.get(command.def_.conname)
    if key is not None and command.def_.alterEnforceability:
        key.enforced = bool(command.def_.is_enforced)


def _attach_partition(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    child = draft.touched(name_of(command.def_.name))
    child.is_partition = True
    child.local.clear()
    inherit(child, relation)
    take_from_above(draft, child, relation)


def _detach_partition(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    child = draft.find(name_of(command.def_.name))
    if child is None or child not in relation.children:
        return
    _let_go(relation, child)
    child.is_partition = False
    child.local.update(child.columns)
    for index in child.indexes.values():
        index.above = None
    for key in child.foreign_keys.values():
        key.above = None
    child.triggers = {k: v for k, v in child.triggers.items() if k not in relation.triggers}
    for column in relation.columns.values():
        if column.identity:
            child.alter(column.name, identity=False)


def _let_go(parent: DraftRelation, child: DraftRelation) -> None:
    parent.children.remove(child)
    child.parents.remove(parent)


def _inherit(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    inherit(relation, draft.touched(name_of(command.def_)))


def _no_inherit(draft: Draft, relation: DraftRelation, command: ast.AlterTableCmd) -> None:
    parent = draft.find(name_of(command.def_))
    if parent is not None and relation in parent.children:
        _let_go(parent, relation)
        relation.local.update(relation.columns)


def _attach_index(draft: Draft, node: ast.AlterTableStmt) -> None:
    above = draft.index(name_of(node.relation))
    for command in node.cmds:
        if above is None or command.subtype != Do.AT_AttachPartition:
            continue
        below = draft.index(name_of(command.def_.name))
        if below is not None:
            below[1].above = above[1]
            validate_if_attached(*above)


def validate_if_attached(relation: DraftRelation, index: Any) -> None:
    """An index of a partitioned table is valid once each partition has its part of it."""
    index.valid = all(
        any(own.above is index and own.valid for own in child.indexes.values())
        for child in relation.partitions
    )


_CHANGES: dict[Do, _Change] = {
    Do.AT_AddColumn: _add_column,
    Do.AT_DropColumn: _drop_column,
    Do.AT_AlterColumnType: _set_type,
    Do.AT_SetNotNull: _changing(not_null=True),
    Do.AT_DropNotNull: _drop_not_null,
    Do.AT_AddIdentity: _add_identity,
    Do.AT_DropIdentity: _drop_identity,
    Do.AT_DropExpression: _changing(generated=False),
    Do.AT_AddConstraint: _add_constraint,
    Do.AT_DropConstraint: _drop_constraint,
    Do.AT_AlterConstraint: _alter_constraint,
    Do.AT_AttachPartition: _attach_partition,
    Do.AT_DetachPartition: _detach_partition,
    Do.AT_AddInherit: _inherit,
    Do.AT_DropInherit: _no_inherit,
}
