"""CREATE TABLE, and the constraints of tables."""

from __future__ import annotations

from collections.abc import Sequence

from pglast import ast
from pglast.enums import ConstrType, TableLikeOption

from pglint_locks.schema.catalog import ForeignKey, Origin, RelationKind
from pglint_locks.schema.ddl.draft import Draft, Drafts, object_name
from pglint_locks.schema.ddl.nodes import (
    column_of,
    index_of_constraint,
    names_of,
    table_name,
)
from pglint_locks.schema.names import TableName

_INDEXED = {
    ConstrType.CONSTR_PRIMARY: "pkey",
    ConstrType.CONSTR_UNIQUE: "key",
    ConstrType.CONSTR_EXCLUSION: "excl",
}


def create_table(drafts: Drafts, node: ast.CreateStmt, origin: Origin) -> None:
    """CREATE TABLE, also PARTITION OF and INHERITS."""
    if node.relation.relpersistence == "t":
        drafts.temporary.add(node.relation.relname)
        return
    name = drafts.home_of(table_name(node.relation))
    if name in drafts.by_name:
        if not node.if_not_exists:
            drafts.by_name[name].is_whole = False  # there is another of its name
        return
    kind = RelationKind.TABLE if node.partspec is None else RelationKind.PARTITIONED_TABLE
    draft = Draft(name, kind, origin)
    if node.partspec is not None:
        draft.partition_key = tuple(each.name for each in node.partspec.partParams)
    parents = [drafts.find(table_name(each)) for each in node.inhRelations or ()]
    for parent, written in zip(parents, node.inhRelations or (), strict=True):
        _inherit(draft, parent, drafts.home_of(table_name(written)))
    draft.is_partition = node.partbound is not None
    drafts.by_name[name] = draft
    elements = node.tableElts or ()
    for each in elements:
        if isinstance(each, ast.ColumnDef):
            draft.columns[each.colname] = column_of(each)
        elif isinstance(each, ast.TableLikeClause):
            _copy(drafts, draft, each)
    for each in elements:
        if isinstance(each, ast.ColumnDef):
            add_column_constraints(drafts, draft, each, origin)
        elif isinstance(each, ast.Constraint):
            add_constraint(drafts, draft, each, origin)
    if draft.is_partition and parents[0] is not None:
        adopt_indexes(drafts, parents[0], draft)


def _inherit(draft: Draft, parent: Draft | None, name: TableName) -> None:
    draft.parents.append(name if parent is None else parent.name)
    if parent is None:
        draft.is_whole = False
    else:
        draft.columns.update(parent.columns)


def adopt_indexes(drafts: Drafts, parent: Draft, partition: Draft) -> None:
    """Give a new partition what its parent has."""
    for index in list(parent.indexes.values()):
        if index.valid:
            drafts.add_like(partition, index, parent)


def _copy(drafts: Drafts, draft: Draft, node: ast.TableLikeClause) -> None:
    """LIKE another table."""
    source = drafts.find(table_name(node.relation))
    if source is None:
        draft.is_whole = False
        return
    keeps_generated = node.options & TableLikeOption.CREATE_TABLE_LIKE_GENERATED
    keeps_identity = node.options & TableLikeOption.CREATE_TABLE_LIKE_IDENTITY
    for name, column in source.columns.items():
        draft.columns[name] = column._replace(
            generated=column.generated and bool(keeps_generated),
            identity=column.identity and bool(keeps_identity),
        )
    if node.options & TableLikeOption.CREATE_TABLE_LIKE_INDEXES:
        for index in list(source.indexes.values()):
            label = "pkey" if index.primary else "key" if index.is_constraint else "idx"
            columns = "" if index.primary else index.name_columns
            drafts.add_index(draft, index._replace(name=None), label=label, columns=columns)


def add_column_constraints(
    drafts: Drafts, draft: Draft, node: ast.ColumnDef, origin: Origin
) -> None:
    """The constraints that a column's definition holds."""
    constraints = list(node.constraints or ())
    for index, each in enumerate(constraints):
        if each.contype in _INDEXED or each.contype == ConstrType.CONSTR_FOREIGN:
            following = constraints[index + 1 : index + 2]
            is_deferrable = bool(following) and following[0].contype in (
                ConstrType.CONSTR_ATTR_DEFERRABLE,
                ConstrType.CONSTR_ATTR_DEFERRED,
            )
            add_constraint(drafts, draft, each, origin, (node.colname,), is_deferrable)


def add_constraint(
    drafts: Drafts,
    draft: Draft,
    node: ast.Constraint,
    origin: Origin,
    columns: Sequence[str] = (),
    is_deferrable: bool = False,
) -> None:
    """A constraint of a table; `columns` are those of the column that it stands at."""
    if node.contype == ConstrType.CONSTR_FOREIGN:
        _add_foreign_key(drafts, draft, node, origin, columns)
    elif node.contype == ConstrType.CONSTR_NOTNULL and node.keys:
        for name in names_of(node.keys):
            require(draft, name)
    elif node.contype in _INDEXED and node.indexname:
        _take_index(draft, node)
    elif node.contype in _INDEXED:
        index = index_of_constraint(node, tuple(columns) or names_of(node.keys))
        index = index._replace(deferrable=index.deferrable or is_deferrable)
        if index.primary:
            for key in index.keys:
                require(draft, key.column or "")
        label = _INDEXED[node.contype]
        drafts.add_index(
            draft, index, label=label, columns="" if index.primary else index.name_columns
        )


def require(draft: Draft, column: str) -> None:
    """Let a column be NOT NULL."""
    if column in draft.columns:
        draft.columns[column] = draft.columns[column]._replace(not_null=True)


def _take_index(draft: Draft, node: ast.Constraint) -> None:
    """ADD … USING INDEX: the index gets the constraint's name."""
    index = draft.indexes.pop(node.indexname, None)
    if index is None:
        draft.is_whole = False
        return
    name = node.conname or node.indexname
    primary = node.contype == ConstrType.CONSTR_PRIMARY
    if primary:
        for key in index.keys:
            require(draft, key.column or "")
    draft.indexes[name] = index._replace(
        name=name, primary=primary, is_constraint=True, deferrable=bool(node.deferrable)
    )


def _add_foreign_key(
    drafts: Drafts, draft: Draft, node: ast.Constraint, origin: Origin, columns: Sequence[str]
) -> None:
    own = tuple(columns) or names_of(node.fk_attrs)
    written = table_name(node.pktable)
    target = drafts.find(written)
    referenced = names_of(node.pk_attrs)
    if not referenced and target is not None:
        referenced = target.primary_key()
    name = node.conname or _free_constraint_name(draft, "_".join(own))
    where = target.name if target is not None else drafts.home_of(written)
    draft.foreign_keys[name] = ForeignKey(name, own, where, referenced, origin)


def _free_constraint_name(draft: Draft, columns: str) -> str:
    number = 0
    while True:
        name = object_name(draft.name.name, columns, f"fkey{number or ''}")
        if name not in draft.foreign_keys:
            return name
        number += 1
