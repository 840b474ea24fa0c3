"""DROP, RENAME and SET SCHEMA."""

from __future__ import annotations

from collections.abc import Iterable

from pglast import ast
from pglast.enums import ObjectType

from pglint_locks.schema.ddl.altering import rename_index
from pglint_locks.schema.ddl.draft import Draft, DraftRelation, column_refs, name_of
from pglint_locks.schema.names import TableName

_RELATIONS = frozenset(
    {
        ObjectType.OBJECT_TABLE,
        ObjectType.OBJECT_FOREIGN_TABLE,
        ObjectType.OBJECT_VIEW,
        ObjectType.OBJECT_MATVIEW,
        ObjectType.OBJECT_SEQUENCE,
    }
)


def drop(draft: Draft, node: ast.DropStmt) -> None:
    """DROP of relations, indexes, triggers and schemas."""
    for written in node.objects:
        parts = [part.sval for part in written] if isinstance(written, tuple) else None
        if node.removeType == ObjectType.OBJECT_SCHEMA:
            _drop_schema(draft, written.sval)
        elif parts is None:
            continue
        elif node.removeType in _RELATIONS:
            _drop_relation(draft, named(parts))
        elif node.removeType == ObjectType.OBJECT_INDEX:
            found = draft.index(named(parts))
            if found is not None:
                draft.drop_index(found[0], found[1].name)
        elif node.removeType == ObjectType.OBJECT_TRIGGER:
            relation = draft.find(named(parts[:-1]))
            if relation is not None:
                _drop_trigger(relation, parts[-1])


def named(parts: Iterable[str]) -> TableName:
    """A name that is given in parts."""
    *schema, name = parts
    return TableName(schema[-1] if schema else None, name)


def _drop_relation(draft: Draft, name: TableName) -> None:
    if name.schema is None and name.name in draft.temporary:
        return
    relation = draft.find(name)
    if relation is not None:
        draft.drop(relation)


def _drop_schema(draft: Draft, schema: str) -> None:
    for relation in list(draft.relations.values()):
        if relation.name.schema == schema and relation.name in draft.relations:
            draft.drop(relation)


def _drop_trigger(relation: DraftRelation, name: str) -> None:
    relation.triggers.pop(name, None)
    for child in relation.partitions:
        _drop_trigger(child, name)


def rename(draft: Draft, node: ast.RenameStmt) -> None:
    """ALTER … RENAME TO."""
    if node.renameType == ObjectType.OBJECT_SCHEMA:
        _rename_schema(draft, node.subname, node.newname)
        return
    if node.renameType == ObjectType.OBJECT_TYPE:
        _rename_type(draft, node.object[-1].sval, node.newname)
    if node.relation is None:
        return
    name = name_of(node.relation)
    index = draft.index(name)
    if node.renameType in (ObjectType.OBJECT_INDEX, ObjectType.OBJECT_TABLE) and index is not None:
        rename_index(draft, index[0], index[1].name, node.newname)
        return
    relation = draft.find(name)
    if relation is None or (name.schema is None and name.name in draft.temporary):
        return
    if node.renameType in _RELATIONS:
        draft.move(relation, TableName(relation.name.schema, node.newname))
    elif node.renameType == ObjectType.OBJECT_COLUMN:
        rename_column(draft, relation, node.subname, node.newname)
        _rename_referenced(draft, relation, node.subname, node.newname)
    elif node.renameType == ObjectType.OBJECT_TABCONSTRAINT:
        _rename_constraint(draft, relation, node.subname, node.newname)
    elif node.renameType == ObjectType.OBJECT_TRIGGER and node.subname in relation.triggers:
        old = relation.triggers.pop(node.subname)
        relation.triggers[node.newname] = old._replace(name=node.newname)


def _rename_type(draft: Draft, old: str, new: str) -> None:
    for relation in draft.relations.values():
        for column in relation.columns.values():
            head, _, name = (column.type or "").rpartition(".")
            if name.removesuffix("[]") == old:
                changed = name.replace(old, new, 1)
                shown = f"{head}.{changed}" if head else changed
                relation.columns[column.name] = column._replace(type=shown)


def _rename_schema(draft: Draft, old: str, new: str) -> None:
    for relation in list(draft.relations.values()):
        if relation.name.schema == old:
            draft.move(relation, TableName(new, relation.name.name))


def rename_column(draft: Draft, relation: DraftRelation, old: str, new: str) -> None:
    """Rename a column here, in what is made of it, and in what inherits it."""

    def renamed(names: Iterable[str]) -> list[str]:
        return [new if name == old else name for name in names]

    for each in draft.relations.values():
        if each.owner == (relation, old):
            each.owner = (relation, new)
    relation.columns = {
        (new if name == old else name): (column._replace(name=new) if name == old else column)
        for name, column in relation.columns.items()
    }
    relation.local = set(renamed(relation.local))
    relation.not_nulls = {k: new if v == old else v for k, v in relation.not_nulls.items()}
    for index in relation.indexes.values():
        index.included = renamed(index.included)
        for key in index.keys:
            key.column = new if key.column == old else key.column
            key.expression = _renamed_within(key.expression, old, new)
        index.predicate = _renamed_within(index.predicate, old, new)
    relation.partition_key = [new if name == old else name for name in relation.partition_key]
    for own in relation.foreign_keys.values():
        own.columns = renamed(own.columns)
    for child in relation.children:
        rename_column(draft, child, old, new)


def _renamed_within(node: ast.Node | None, old: str, new: str) -> ast.Node | None:
    """An expression over one table in which a column has another name."""
    if node is None or not any(ref.fields[-1].sval == old for ref in column_refs(node)):
        return node
    import copy

    node = copy.deepcopy(node)
    for ref in column_refs(node):
        if ref.fields[-1].sval == old:
            ref.fields = (*ref.fields[:-1], ast.String(new))
    return node


def _rename_referenced(draft: Draft, relation: DraftRelation, old: str, new: str) -> None:
    for other in draft.relations.values():
        for key in other.foreign_keys.values():
            if key.referenced is relation:
                key.referenced_columns = [
                    new if name == old else name for name in key.referenced_columns
                ]


def _rename_constraint(draft: Draft, relation: DraftRelation, old: str, new: str) -> None:
    if old in relation.indexes:
        rename_index(draft, relation, old, new)
    if old in relation.foreign_keys:
        key = relation.foreign_keys[old]
        key.name = new
        relation.foreign_keys = {each.name: each for each in relation.foreign_keys.values()}
        for child in relation.partitions:
            below = [each.name for each in child.foreign_keys.values() if each.above is key]
            for name in below:
                _rename_constraint(draft, child, name, new)
    if old in relation.not_nulls:
        relation.not_nulls[new] = relation.not_nulls.pop(old)


def set_schema(draft: Draft, node: ast.AlterObjectSchemaStmt) -> None:
    """ALTER … SET SCHEMA."""
    if node.objectType in _RELATIONS and node.relation is not None:
        relation = draft.find(name_of(node.relation))
        if relation is not None:
            draft.move(relation, TableName(node.newschema, relation.name.name))
