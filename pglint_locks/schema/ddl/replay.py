"""Replays the statements of scripts over a draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pglast import ast
from pglast.enums import ObjectType, VariableSetKind

from pglint_locks.schema.catalog import RelationKind, Trigger
from pglint_locks.schema.ddl import moving, queries
from pglint_locks.schema.ddl.altering import alter_table
from pglint_locks.schema.ddl.constraints import add_index, keys_of
from pglint_locks.schema.ddl.draft import Draft, DraftIndex, DraftRelation, name_of
from pglint_locks.schema.ddl.tables import begun, create_table, create_type

_ROW, _BEFORE = 1, 1 << 1
_EVENTS = {1 << 2: "INSERT", 1 << 3: "DELETE", 1 << 4: "UPDATE", 1 << 5: "TRUNCATE"}


def replay(draft: Draft, node: ast.Node) -> None:
    """Replay a statement; one that makes nothing of a catalogue's is passed over."""
    step = _STEPS.get(type(node))
    if step is not None:
        step(draft, node)


def _create_foreign_table(draft: Draft, node: ast.CreateForeignTableStmt) -> None:
    create_table(draft, node.base, draft.wrappers.get(node.servername, ""))


def _create_server(draft: Draft, node: ast.CreateForeignServerStmt) -> None:
    draft.wrappers[node.servername] = node.fdwname


def _create_schema(draft: Draft, node: ast.CreateSchemaStmt) -> None:
    path, draft.path = draft.path, (node.schemaname or "public", *draft.path)
    for element in node.schemaElts or ():
        replay(draft, element)
    draft.path = path


def _create_sequence(draft: Draft, node: ast.CreateSeqStmt) -> None:
    sequence = begun(draft, node.sequence, RelationKind.SEQUENCE)
    if sequence is not None:
        draft.add(sequence)
        _own(draft, node)


def _own(draft: Draft, node: ast.CreateSeqStmt | ast.AlterSeqStmt) -> None:
    """OWNED BY: the sequence goes with the column."""
    sequence = draft.find(name_of(node.sequence))
    for option in node.options or ():
        if option.defname == "owned_by" and sequence is not None:
            *table, column = (part.sval for part in option.arg)
            relation = draft.find(moving.named(table)) if table else None
            sequence.owner = (relation, column) if relation is not None else None


def _create_index(draft: Draft, node: ast.IndexStmt) -> None:
    name = name_of(node.relation)
    if name.schema is None and name.name in draft.temporary:
        return
    relation = draft.touched(name)
    index = DraftIndex(
        node.idxname or "",
        keys_of(node.indexParams),
        draft.at,
        unique=bool(node.unique),
        included=[each.name for each in node.indexIncludingParams or ()],
        predicate=node.whereClause,
        method=node.accessMethod or "btree",
        nulls_not_distinct=bool(node.nulls_not_distinct),
    )
    add_index(draft, relation, index, alone=not node.relation.inh)


def _create_table_as(draft: Draft, node: ast.CreateTableAsStmt) -> None:
    queries.create_table_as(draft, node, node.objtype == ObjectType.OBJECT_MATVIEW)


def _create_trigger(draft: Draft, node: ast.CreateTrigStmt) -> None:
    events = frozenset(word for bit, word in _EVENTS.items() if node.events & bit)
    trigger = Trigger(node.trigname, bool(node.timing & _BEFORE), bool(node.row), events)
    _give_trigger(draft.touched(name_of(node.relation)), trigger)


def _give_trigger(relation: DraftRelation, trigger: Trigger) -> None:
    relation.triggers[trigger.name] = trigger
    if trigger.per_row:
        for child in relation.partitions:
            _give_trigger(child, trigger)


def _set(draft: Draft, node: ast.VariableSetStmt) -> None:
    if node.name != "search_path" and node.kind != VariableSetKind.VAR_RESET_ALL:
        return
    if node.kind == VariableSetKind.VAR_SET_VALUE:
        draft.path = _path(value.val.sval for value in node.args if isinstance(value, ast.A_Const))
        if draft.path:
            draft.app_paths.add(draft.path)
    else:
        draft.path = ("public",)


def _path(schemas: Any) -> tuple[str, ...]:
    return tuple(each for each in schemas if each and each not in ("$user", "pg_catalog"))


def _set_for_all(draft: Draft, node: Any) -> None:
    """ALTER DATABASE or ROLE … SET search_path: what applications will have."""
    before = draft.path
    _set(draft, node.setstmt)
    draft.path = before


def _select(draft: Draft, node: ast.SelectStmt) -> None:
    queries.select_into(draft, node)
    for target in node.targetList or ():
        call = getattr(target, "val", None)
        if isinstance(call, ast.FuncCall) and call.funcname[-1].sval == "set_config":
            values = [getattr(getattr(each, "val", None), "sval", None) for each in call.args or ()]
            if values[:1] == ["search_path"] and isinstance(values[1], str):
                draft.path = _path(part.strip(' "') for part in values[1].split(","))


_STEPS: dict[type[ast.Node], Callable[[Draft, Any], None]] = {
    ast.CreateStmt: create_table,
    ast.CreateForeignTableStmt: _create_foreign_table,
    ast.CreateForeignServerStmt: _create_server,
    ast.CreateSchemaStmt: _create_schema,
    ast.CreateSeqStmt: _create_sequence,
    ast.CreateTableAsStmt: _create_table_as,
    ast.CompositeTypeStmt: create_type,
    ast.AlterSeqStmt: _own,
    ast.CreateTrigStmt: _create_trigger,
    ast.IndexStmt: _create_index,
    ast.ViewStmt: queries.create_view,
    ast.AlterTableStmt: alter_table,
    ast.AlterObjectSchemaStmt: moving.set_schema,
    ast.AlterDatabaseSetStmt: _set_for_all,
    ast.AlterRoleSetStmt: _set_for_all,
    ast.DropStmt: moving.drop,
    ast.RenameStmt: moving.rename,
    ast.SelectStmt: _select,
    ast.VariableSetStmt: _set,
}
