"""ALTER TABLE and the other ALTER statements that matter to keys."""

from __future__ import annotations

from pglast import ast
from pglast.enums import AlterTableType, ObjectType

from pglint_locks.schema.catalog import Origin
from pglint_locks.schema.ddl.draft import Draft, Drafts
from pglint_locks.schema.ddl.nodes import column_of, table_name
from pglint_locks.schema.ddl.tables import (
    add_column_constraints,
    add_constraint,
    adopt_indexes,
    require,
)
from pglint_locks.schema.names import TableName

_RELATIONS = frozenset(
    {
        ObjectType.OBJECT_TABLE,
        ObjectType.OBJECT_VIEW,
        ObjectType.OBJECT_MATVIEW,
        ObjectType.OBJECT_FOREIGN_TABLE,
        ObjectType.OBJECT_SEQUENCE,
    }
)


def alter_table(drafts: Drafts, node: ast.AlterTableStmt, origin: Origin) -> None:
    """ALTER TABLE, and ALTER INDEX … ATTACH PARTITION."""
    name = table_name(node.relation)
    if node.objtype == ObjectType.OBJECT_INDEX:
        _alter_index(drafts, node, name)
        return
    draft = drafts.find(name)
    if draft is None:
        return
    for command in node.cmds:
        _alter(drafts, draft, command, origin, only=not node.relation.inh)


def _alter_index(drafts: Drafts, node: ast.AlterTableStmt, name: TableName) -> None:
    for command in node.cmds:
        if command.subtype == AlterTableType.AT_AttachPartition:
            holder = drafts.holder_of_index(name)
            below = table_name(command.def_.name)
            partition = drafts.holder_of_index(below)
            if holder is not None and partition is not None:
                home = TableName(partition.name.schema, below.name)
                drafts.attach_index(holder, name.name, home)


def _alter(
    drafts: Drafts, draft: Draft, command: ast.AlterTableCmd, origin: Origin, only: bool
) -> None:
    match command.subtype:
        case AlterTableType.AT_AddColumn:
            column = command.def_
            if column.colname not in draft.columns:
                for each in (draft, *drafts.partitions_of(draft)):
                    each.columns[column.colname] = column_of(column)
                add_column_constraints(drafts, draft, column, origin)
        case AlterTableType.AT_DropColumn:
            for each in (draft, *drafts.partitions_of(draft)):
                each.drop_column(command.name)
            _drop_references(drafts, draft.name, column=command.name)
        case AlterTableType.AT_AddConstraint:
            add_constraint(drafts, draft, command.def_, origin)
            if only:
                _invalidate_alone(drafts, draft)
        case AlterTableType.AT_DropConstraint:
            _drop_constraint(drafts, draft, command.name)
        case AlterTableType.AT_SetNotNull:
            require(draft, command.name)
        case AlterTableType.AT_DropNotNull:
            if command.name in draft.columns:
                draft.columns[command.name] = draft.columns[command.name]._replace(not_null=False)
        case AlterTableType.AT_AlterColumnType:
            if command.name in draft.columns:
                changed = column_of(command.def_).type
                draft.columns[command.name] = draft.columns[command.name]._replace(type=changed)
        case AlterTableType.AT_AddIdentity | AlterTableType.AT_DropIdentity:
            if command.name in draft.columns:
                adds = command.subtype == AlterTableType.AT_AddIdentity
                draft.columns[command.name] = draft.columns[command.name]._replace(identity=adds)
        case AlterTableType.AT_DropExpression:
            if command.name in draft.columns:
                draft.columns[command.name] = draft.columns[command.name]._replace(generated=False)
        case AlterTableType.AT_AttachPartition:
            _attach(drafts, draft, table_name(command.def_.name))
        case AlterTableType.AT_DetachPartition:
            _detach(drafts, draft, table_name(command.def_.name))
        case AlterTableType.AT_AddInherit:
            parent = drafts.find(table_name(command.def_))
            draft.parents += [] if parent is None else [parent.name]
        case AlterTableType.AT_DropInherit:
            parent = drafts.find(table_name(command.def_))
            if parent is not None and parent.name in draft.parents:
                draft.parents.remove(parent.name)


def _invalidate_alone(drafts: Drafts, draft: Draft) -> None:
    """An index made ON ONLY a table is not valid before each partition has its own."""
    name, index = next(reversed(draft.indexes.items()), (None, None))
    if name is None or index is None:
        return
    wanted = [each.name for each in drafts.partitions_of(draft)]
    attached = drafts.attached.get(TableName(draft.name.schema, name), set())
    if len(attached) < len(wanted):
        draft.indexes[name] = index._replace(valid=False)


def _drop_constraint(drafts: Drafts, draft: Draft, name: str) -> None:
    if draft.foreign_keys.pop(name, None) is not None:
        return
    index = draft.indexes.pop(name, None)
    if index is None:
        return
    columns = frozenset(each for each in index.columns if each is not None)
    _drop_references(drafts, draft.name, key=columns)
    below = drafts.attached.pop(TableName(draft.name.schema, name), set())
    for partition in drafts.partitions_of(draft):
        for each in [each for each in partition.indexes if (partition.name.schema, each) in below]:
            _drop_constraint(drafts, partition, each)


def _drop_references(
    drafts: Drafts,
    target: TableName,
    *,
    column: str | None = None,
    key: frozenset[str] | None = None,
) -> None:
    """Take away the foreign keys that need a column, or a unique key, of a relation."""
    for each in drafts.by_name.values():
        for name, found in list(each.foreign_keys.items()):
            needed = found.referenced_columns
            if found.referenced == target and (column in needed or frozenset(needed) == key):
                del each.foreign_keys[name]


def _attach(drafts: Drafts, parent: Draft, name: TableName) -> None:
    partition = drafts.find(name)
    if partition is not None:
        partition.parents, partition.is_partition = [parent.name], True
        adopt_indexes(drafts, parent, partition)


def _detach(drafts: Drafts, parent: Draft, name: TableName) -> None:
    partition = drafts.find(name)
    if partition is not None and parent.name in partition.parents:
        partition.parents.remove(parent.name)
        partition.is_partition = False


def rename(drafts: Drafts, node: ast.RenameStmt) -> None:
    """ALTER … RENAME of relations, columns, constraints, indexes and schemas."""
    if node.renameType == ObjectType.OBJECT_SCHEMA:
        _rename_schema(drafts, node.subname, node.newname)
        return
    if node.relation is None:
        return
    name = table_name(node.relation)
    if node.renameType == ObjectType.OBJECT_INDEX:
        _rename_index(drafts.holder_of_index(name), name.name, node.newname)
        return
    draft = drafts.find(name)
    if draft is None:
        if node.renameType in _RELATIONS:  # ALTER TABLE takes an index too
            _rename_index(drafts.holder_of_index(name), name.name, node.newname)
    elif node.renameType in _RELATIONS:
        drafts.rename(draft.name, TableName(draft.name.schema, node.newname))
    elif node.renameType == ObjectType.OBJECT_COLUMN:
        for each in (draft, *drafts.partitions_of(draft)):
            drafts.rename_column(each, node.subname, node.newname)
    elif node.renameType == ObjectType.OBJECT_TABCONSTRAINT:
        _rename_index(draft, node.subname, node.newname)
        key = draft.foreign_keys.pop(node.subname, None)
        if key is not None:
            draft.foreign_keys[node.newname] = key._replace(name=node.newname)


def _rename_index(holder: Draft | None, old: str, new: str) -> None:
    if holder is not None and old in holder.indexes:
        holder.indexes = {
            new if name == old else name: index._replace(name=new) if name == old else index
            for name, index in holder.indexes.items()
        }


def _rename_schema(drafts: Drafts, old: str, new: str) -> None:
    for name in [name for name in drafts.by_name if name.schema == old]:
        drafts.rename(name, TableName(new, name.name))


def set_schema(drafts: Drafts, node: ast.AlterObjectSchemaStmt) -> None:
    """ALTER … SET SCHEMA of relations."""
    if node.objectType in _RELATIONS and node.relation is not None:
        draft = drafts.find(table_name(node.relation))
        if draft is not None:
            drafts.rename(draft.name, TableName(node.newschema, draft.name.name))
