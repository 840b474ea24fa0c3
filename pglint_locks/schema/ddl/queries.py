"""Relations that a query makes: views, materialized views and CREATE TABLE … AS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglast import ast
from pglast.stream import RawStream

from pglint_locks.schema.catalog import Column, RelationKind
from pglint_locks.schema.ddl.chosen import figured_name
from pglint_locks.schema.ddl.draft import Draft, DraftRelation, name_of
from pglint_locks.schema.ddl.tables import begun
from pglint_locks.schema.ddl.typenames import shown_type
from pglint_locks.sql.walk import descendants


def create_view(draft: Draft, node: ast.ViewStmt) -> None:
    """CREATE VIEW; OR REPLACE may add columns, and the newest query counts."""
    old = draft.find(name_of(node.view)) if node.replace else None
    if old is not None and old.kind is RelationKind.VIEW:
        view = DraftRelation(old.name, RelationKind.VIEW, draft.at)
    else:
        made = begun(draft, node.view, RelationKind.VIEW)
        if made is None:
            return
        view = made
    _fill(draft, view, node.query, [alias.sval for alias in node.aliases or ()])
    view.reads = _read_by(draft, node.query)
    view.view_query = RawStream()(node.query)
    draft.add(view)


def create_table_as(draft: Draft, node: ast.CreateTableAsStmt, is_materialized: bool) -> None:
    """CREATE TABLE … AS, and CREATE MATERIALIZED VIEW."""
    kind = RelationKind.MATERIALIZED_VIEW if is_materialized else RelationKind.TABLE
    _create_into(draft, node.into, node.query, kind)


def select_into(draft: Draft, node: ast.SelectStmt) -> None:
    """SELECT … INTO makes a table; any other SELECT nothing."""
    leftmost = node
    while leftmost.larg is not None:
        leftmost = leftmost.larg
    if leftmost.intoClause is not None:
        _create_into(draft, leftmost.intoClause, node, RelationKind.TABLE)


def _create_into(draft: Draft, into: ast.IntoClause, query: ast.Node, kind: RelationKind) -> None:
    made = begun(draft, into.rel, kind)
    if made is None:
        return
    _fill(draft, made, query, [column.sval for column in into.colNames or ()])
    if kind is RelationKind.MATERIALIZED_VIEW:
        made.view_query = RawStream()(query)
        made.reads = _read_by(draft, query)
    draft.add(made)


def _read_by(draft: Draft, query: ast.Node) -> list[DraftRelation]:
    """The relations that a query names."""
    names = (name_of(node) for node in descendants(query) if isinstance(node, ast.RangeVar))
    return [found for name in names if (found := draft.find(name)) is not None]


def _fill(draft: Draft, relation: DraftRelation, query: ast.Node, names: Sequence[str]) -> None:
    """Give a relation the columns of its query; it is not whole where they are not known."""
    columns = _outputs(draft, query)
    if columns is None:
        relation.is_whole = False
        columns = [Column(name) for name in names]
    for place, column in enumerate(columns):
        name = names[place] if place < len(names) else column.name
        relation.columns[name] = Column(name, column.type)
        relation.local.add(name)


def _outputs(draft: Draft, query: ast.Node) -> list[Column] | None:
    """The columns of a query's result, with their types where they show."""
    while isinstance(query, ast.SelectStmt) and query.larg is not None:
        query = query.larg
    if not isinstance(query, ast.SelectStmt):
        return None
    if query.valuesLists:
        return [Column(f"column{n + 1}") for n in range(len(query.valuesLists[0]))]
    sources = dict(_sources(draft, query))
    columns: list[Column] = []
    for target in query.targetList or ():
        value = target.val
        if isinstance(value, ast.ColumnRef) and isinstance(value.fields[-1], ast.A_Star):
            starred = _starred(value, sources)
            if starred is None:
                return None
            columns += starred
        else:
            name = target.name or figured_name(value) or "?column?"
            columns.append(Column(name, _type_of(value, sources)))
    return columns


def _sources(draft: Draft, query: ast.SelectStmt) -> Iterator[tuple[str, Sequence[Column] | None]]:
    """What stands in FROM, by the name it goes by, in order; None where its columns are unknown."""
    ctes = {cte.ctename for cte in query.withClause.ctes} if query.withClause else set()
    stack = list(reversed(query.fromClause or ()))
    unnamed = 0
    while stack:
        node = stack.pop()
        match node:
            case ast.JoinExpr():
                if node.usingClause or node.isNatural or node.alias:
                    unnamed += 1  # columns are merged, or go by another name
                    yield f"({unnamed})", None
                stack += [node.rarg, node.larg]
            case ast.RangeVar():
                found = draft.find(name_of(node))
                known = found is not None and found.is_whole and not found.is_stub
                if node.schemaname is None and node.relname in ctes:
                    known = False
                name = node.alias.aliasname if node.alias else node.relname
                plain = known and not (node.alias and node.alias.colnames)
                yield name, tuple(found.columns.values()) if plain and found else None
            case ast.RangeSubselect():
                below = _outputs(draft, node.subquery)
                named = node.alias is not None and node.alias.colnames
                unnamed += 1
                name = node.alias.aliasname if node.alias else f"({unnamed})"
                yield name, None if named or below is None else tuple(below)
            case _:
                alias = getattr(node, "alias", None)
                unnamed += 1
                yield alias.aliasname if alias else f"({unnamed})", None


def _starred(
    star: ast.ColumnRef, sources: dict[str, Sequence[Column] | None]
) -> list[Column] | None:
    if len(star.fields) > 1:
        columns = sources.get(star.fields[-2].sval)
        return list(columns) if columns is not None else None
    found: list[Column] = []
    for columns in sources.values():
        if columns is None:
            return None
        found += columns
    return found


def _type_of(value: ast.Node, sources: dict[str, Sequence[Column] | None]) -> str | None:
    match value:
        case ast.TypeCast():
            return shown_type(value.typeName)
        case ast.ColumnRef():
            *table, name = (part.sval for part in value.fields)
            places = [sources.get(table[-1])] if table else list(sources.values())
            if None in places:
                return None
            types = [
                column.type for columns in places for column in columns or () if column.name == name
            ]
            return types[0] if len(types) == 1 else None
    return None
