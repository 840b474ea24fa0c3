"""Statements of DDL, replayed one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pglast import ast
from pglast.enums import ObjectType

from pglint_locks.schema.catalog import Catalog, Column, Origin, RelationKind, Trigger, Trust
from pglint_locks.schema.ddl.alter import alter_table, rename, set_schema
from pglint_locks.schema.ddl.draft import Draft, Drafts
from pglint_locks.schema.ddl.nodes import dotted_name, index_of, sql_of, table_name
from pglint_locks.schema.ddl.tables import create_table
from pglint_locks.schema.names import TableName
from pglint_locks.sql.parse import Unparsed, parse
from pglint_locks.sql.split import Chunk, split
from pglint_locks.text import SourceText

_FIRST_WORDS = frozenset({"alter", "create", "do", "drop", "set", "reset"})
_CREATED = frozenset(
    """foreign global index local materialized or recursive schema sequence server table temp
    temporary trigger unique unlogged view constraint""".split()
)
_ALTERED = frozenset("foreign index materialized schema sequence table view".split())
_DROPPED = frozenset("foreign index materialized schema sequence table trigger view".split())
_WANTED = {"create": _CREATED, "alter": _ALTERED, "drop": _DROPPED}
_SETS_PATH = re.compile(r"\bset_config\s*\(\s*'search_path'", re.IGNORECASE)
_NAME = r'(?:"(?:[^"\n]|"")+"|[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)'
_CHANGED = re.compile(
    rf"\b(?:create|alter|drop)\s+(?:\w+\s+)?table\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?"
    rf"(?:({_NAME})\s*\.\s*)?({_NAME})|\bon\s+(?:only\s+)?(?:({_NAME})\s*\.\s*)?({_NAME})\s*"
    r"(?:using\s+\w+\s*)?\(",
    re.IGNORECASE,
)
_TRIGGER_BEFORE, _TRIGGER_ROW = 2, True
_EVENTS = {4: "INSERT", 8: "DELETE", 16: "UPDATE", 32: "TRUNCATE"}


class Replay:
    """The schema that scripts make, one after the other.

    `unread` are the places of statements that matter and were not understood, by file.
    """

    def __init__(self, trust: Trust = Trust.SCHEMA_FILE) -> None:
        self._trust = trust
        self._drafts = Drafts()
        self.unread: list[tuple[str, int]] = []

    def run(self, source: SourceText) -> None:
        """Replay the statements of a script."""
        for chunk in split(source.text).chunks:
            if _may_matter(chunk):
                line = source.position(chunk.span.start).row
                self._run(chunk, Origin(self._trust, source.name, line))

    def catalog(self) -> Catalog:
        """What there is now."""
        return self._drafts.catalog()

    def _run(self, chunk: Chunk, origin: Origin) -> None:
        parsed = None if chunk.first_words[:1] == ("do",) else parse(chunk.text)
        if parsed is None:
            self._leave(chunk.text)
        elif isinstance(parsed, Unparsed) or parsed.parameters:
            self.unread.append((origin.name, origin.line or 0))
            self._leave(chunk.text)
        else:
            _apply(self._drafts, parsed.node, origin)

    def _leave(self, text: str) -> None:
        """Note that what a statement names is not known whole any more."""
        for schema, name, on_schema, on_name in _CHANGED.findall(text):
            written = TableName(_folded(schema or on_schema) or None, _folded(name or on_name))
            draft = self._drafts.find(written)
            if draft is not None:
                draft.is_whole = False
            else:
                self._drafts.is_closed = False


def _may_matter(chunk: Chunk) -> bool:
    first, *others = chunk.first_words or ("",)
    if first == "select":
        return _SETS_PATH.search(chunk.text) is not None or "into" in chunk.text.lower()
    if first not in _FIRST_WORDS:
        return False
    wanted = _WANTED.get(first)
    return wanted is None or not wanted.isdisjoint(others[:3])


def _folded(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def _apply(drafts: Drafts, node: ast.Node, origin: Origin) -> None:
    match node:
        case ast.CreateForeignTableStmt():
            create_table(drafts, node.base, origin)
            draft = drafts.find(table_name(node.base.relation))
            if draft is not None:
                draft.kind = RelationKind.FOREIGN_TABLE
                draft.wrapper = drafts.servers.get(node.servername)
        case ast.CreateStmt():
            create_table(drafts, node, origin)
        case ast.AlterTableStmt():
            alter_table(drafts, node, origin)
        case ast.IndexStmt():
            _create_index(drafts, node)
        case ast.RenameStmt():
            rename(drafts, node)
        case ast.AlterObjectSchemaStmt():
            set_schema(drafts, node)
        case ast.DropStmt():
            _drop(drafts, node)
        case ast.CreateSchemaStmt():
            _create_schema(drafts, node, origin)
        case ast.ViewStmt():
            if node.view.relpersistence != "t":
                _create_view(drafts, node, origin)
        case ast.CreateTableAsStmt():
            kind = RelationKind.TABLE
            if node.objtype == ObjectType.OBJECT_MATVIEW:
                kind = RelationKind.MATERIALIZED_VIEW
            _create_as(drafts, node.into.rel, kind, node.query, origin)
        case ast.SelectStmt():
            if node.intoClause is not None:
                _create_as(drafts, node.intoClause.rel, RelationKind.TABLE, None, origin)
            else:
                _set_config(drafts, node)
        case ast.CreateSeqStmt():
            name = drafts.home_of(table_name(node.sequence))
            drafts.by_name.setdefault(name, Draft(name, RelationKind.SEQUENCE, origin))
        case ast.CreateForeignServerStmt():
            drafts.servers[node.servername] = node.fdwname
        case ast.CreateTrigStmt():
            _create_trigger(drafts, node)
        case ast.VariableSetStmt():
            if node.name == "search_path":
                drafts.search_path = tuple(filter(None, _words_of(node.args or ()))) or ("public",)


def _create_index(drafts: Drafts, node: ast.IndexStmt) -> None:
    draft = drafts.find(table_name(node.relation))
    if draft is None or (node.if_not_exists and node.idxname in draft.indexes):
        return
    index = index_of(node)
    if not node.relation.inh and any(True for _ in drafts.partitions_of(draft)):
        index = index._replace(valid=False)
    drafts.add_index(draft, index, label="idx", columns=index.name_columns)


def _create_view(drafts: Drafts, node: ast.ViewStmt, origin: Origin) -> None:
    name = drafts.home_of(table_name(node.view))
    query = sql_of(node.query)
    drafts.by_name[name] = Draft(name, RelationKind.VIEW, origin, view_query=query)


def _create_as(
    drafts: Drafts,
    relation: ast.RangeVar,
    kind: RelationKind,
    query: ast.Node | None,
    origin: Origin,
) -> None:
    if relation.relpersistence == "t":
        drafts.temporary.add(relation.relname)
        return
    name = drafts.home_of(table_name(relation))
    if name in drafts.by_name:
        return
    draft = Draft(name, kind, origin)
    if kind is RelationKind.MATERIALIZED_VIEW and query is not None:
        draft.view_query = sql_of(query)
    for target in getattr(query, "targetList", None) or ():
        column = target.name
        if column is None and isinstance(target.val, ast.ColumnRef):
            column = getattr(target.val.fields[-1], "sval", None)
        if column is not None:
            draft.columns[column] = Column(column)
    drafts.by_name[name] = draft


def _create_schema(drafts: Drafts, node: ast.CreateSchemaStmt, origin: Origin) -> None:
    before = drafts.search_path
    drafts.search_path = (node.schemaname, *before) if node.schemaname else before
    for each in node.schemaElts or ():
        _apply(drafts, each, origin)
    drafts.search_path = before


def _drop(drafts: Drafts, node: ast.DropStmt) -> None:
    for written in node.objects:
        if node.removeType == ObjectType.OBJECT_SCHEMA:
            for name in [name for name in drafts.by_name if name.schema == written.sval]:
                drafts.drop(name)
        elif node.removeType == ObjectType.OBJECT_TRIGGER:
            draft = drafts.find(dotted_name(written[:-1]))
            if draft is not None:
                draft.triggers.pop(written[-1].sval, None)
        elif node.removeType == ObjectType.OBJECT_INDEX:
            name = dotted_name(written)
            holder = drafts.holder_of_index(name)
            if holder is not None:
                holder.indexes.pop(name.name, None)
        elif isinstance(written, tuple):
            draft = drafts.find(dotted_name(written))
            if draft is not None:
                drafts.drop(draft.name)
            else:
                drafts.temporary.discard(dotted_name(written).name)


def _create_trigger(drafts: Drafts, node: ast.CreateTrigStmt) -> None:
    draft = drafts.find(table_name(node.relation))
    if draft is not None:
        events = frozenset(word for bit, word in _EVENTS.items() if node.events & bit)
        before = node.timing == _TRIGGER_BEFORE
        draft.triggers[node.trigname] = Trigger(node.trigname, before, bool(node.row), events)


def _set_config(drafts: Drafts, node: ast.SelectStmt) -> None:
    """`set_config('search_path', …)` as pg_dump writes it."""
    for target in node.targetList or ():
        call = target.val
        if isinstance(call, ast.FuncCall) and call.funcname[-1].sval == "set_config":
            name, value = _words_of(call.args[:2])
            if name == "search_path":
                parts = (part.strip().strip('"') for part in value.split(","))
                drafts.search_path = tuple(part for part in parts if part)


def _words_of(nodes: Sequence[ast.Node]) -> list[str]:
    """The strings that constants are; what is none is empty."""
    return [str(getattr(getattr(node, "val", None), "sval", "")) for node in nodes]
