"""Builds the `Query` graph of a statement from its parse tree, in one walk.

Names are looked up as parse analysis does: a WITH query is seen by later ones, by its
level and by all below; with RECURSIVE also by itself and by earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from pglast import ast

from pglint_locks.model.queries.constants import is_named_parameter
from pglint_locks.model.queries.expressions import call_of, flatten, standing_below, sub_link_kind
from pglint_locks.model.queries.query import (
    Clause,
    Column,
    Cte,
    Embedding,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    Standing,
    SubLink,
)
from pglint_locks.model.queries.refnames import (
    alias_columns,
    aliasname,
    cte_columns,
    function_refname,
    output_columns,
)
from pglint_locks.schema.names import TableName
from pglint_locks.sql.walk import textual_children

if TYPE_CHECKING:
    from pglint_locks.model.queries.known import Known
    from pglint_locks.model.queries.views import View

_QUERY_NODES = (ast.SelectStmt, ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt, ast.MergeStmt)


def build_queries(
    root: ast.Node,
    parameters: Mapping[str, str] = MappingProxyType({}),
    known: Known | None = None,
    transition_tables: frozenset[str] = frozenset(),
) -> list[Query]:
    """The topmost query levels of a statement, in the order of the text.

    One for a plain query; for a utility statement (CREATE VIEW, COPY, EXPLAIN, CREATE
    POLICY …) each query that it holds.  `parameters` are names of values from outside;
    what is `known`, and `transition_tables`, are what names in FROM may mean.
    """
    found: list[Query] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, _QUERY_NODES):
            found.append(_build(node, None, None, parameters, known, transition_tables))
        else:
            stack.extend(reversed(list(textual_children(node))))
    return found


def _build(
    node: ast.Node,
    parent: Query | None,
    embedding: Embedding,
    parameters: Mapping[str, str] = MappingProxyType({}),
    known: Known | None = None,
    transition_tables: frozenset[str] = frozenset(),
) -> Query:
    query = Query(_kind(node), node, parent, embedding)
    query.parameters = parent.parameters if parent else parameters
    query.known = parent.known if parent else known
    query.transition_tables = parent.transition_tables if parent else transition_tables
    query.view_item = parent.view_item if parent else None
    if isinstance(embedding, RangeItem) and embedding.view is not None:
        query.parameters = embedding.view.parameters
        query.view_item = query.view_item or embedding
        query.transition_tables = frozenset()
    if isinstance(embedding, SubLink | Cte | RangeItem):
        embedding.query = query
    _add_ctes(query, node.withClause)
    match node:
        case ast.SelectStmt():
            _fill_select(query, node)
        case ast.InsertStmt():
            _fill_insert(query, node)
        case ast.UpdateStmt():
            _add_target(query, node.relation)
            _add_from(query, node.fromClause)
            _add_expressions(query, Clause.SET, node.targetList)
            _add_expressions(query, Clause.WHERE, (node.whereClause,))
            _add_expressions(query, Clause.RETURNING, (node.returningClause,))
        case ast.DeleteStmt():
            _add_target(query, node.relation)
            _add_from(query, node.usingClause)
            _add_expressions(query, Clause.WHERE, (node.whereClause,))
            _add_expressions(query, Clause.RETURNING, (node.returningClause,))
        case ast.MergeStmt():
            _add_target(query, node.relation)
            _add_from(query, (node.sourceRelation,))
            _add_expressions(query, Clause.ON, (node.joinCondition,))
            _add_expressions(query, Clause.ACTION, node.mergeWhenClauses)
            _add_expressions(query, Clause.RETURNING, (node.returningClause,))
    return query


def _kind(node: ast.Node) -> QueryKind:
    match node:
        case ast.InsertStmt():
            return QueryKind.INSERT
        case ast.UpdateStmt():
            return QueryKind.UPDATE
        case ast.DeleteStmt():
            return QueryKind.DELETE
        case ast.MergeStmt():
            return QueryKind.MERGE
    if node.larg is not None:
        return QueryKind.SET_OPERATION
    return QueryKind.VALUES if node.valuesLists else QueryKind.SELECT


def _fill_select(query: Query, node: ast.SelectStmt) -> None:
    if node.larg is not None:
        for arm in _arms(node):
            query.arms.append(_build(arm, query, None))
    _add_from(query, node.fromClause)
    _add_expressions(query, Clause.DISTINCT, node.distinctClause)
    _add_expressions(query, Clause.TARGET, node.targetList)
    _add_expressions(query, Clause.WHERE, (node.whereClause,))
    _add_expressions(query, Clause.GROUP, node.groupClause)
    _add_expressions(query, Clause.HAVING, (node.havingClause,))
    _add_expressions(query, Clause.WINDOW, node.windowClause)
    _add_expressions(query, Clause.VALUES, node.valuesLists)
    _add_expressions(query, Clause.ORDER, node.sortClause)
    _add_expressions(query, Clause.LIMIT, (node.limitCount,))
    _add_expressions(query, Clause.OFFSET, (node.limitOffset,))


def _arms(node: ast.SelectStmt) -> list[ast.SelectStmt]:
    """The leaves of a tree of set operations (`transformSetOperationTree`), left to right.

    An arm with clauses of its own (ORDER BY, LIMIT, a lock, WITH) is a leaf as a whole.
    """
    leaves: list[ast.SelectStmt] = []
    stack = [node.rarg, node.larg]
    while stack:
        arm = stack.pop()
        own = arm.sortClause or arm.limitOffset or arm.limitCount or arm.lockingClause
        if arm.larg is None or own or arm.withClause:
            leaves.append(arm)
        else:
            stack += [arm.rarg, arm.larg]
    return leaves


def _fill_insert(query: Query, node: ast.InsertStmt) -> None:
    _add_target(query, node.relation)
    if node.selectStmt is not None:
        query.arms.append(_build(node.selectStmt, query, None))
    if node.onConflictClause is not None:
        _add_expressions(query, Clause.SET, node.onConflictClause.targetList)
        _add_expressions(query, Clause.ACTION, (node.onConflictClause.whereClause,))
    _add_expressions(query, Clause.RETURNING, (node.returningClause,))


# --- WITH -------------------------------------------------------------------------


def _add_ctes(query: Query, clause: ast.WithClause | None) -> None:
    if clause is None:
        return
    ctes = [Cte(node.ctename, node.location, query) for node in clause.ctes]
    if clause.recursive:
        query.ctes.extend(ctes)
    for cte, node in zip(ctes, clause.ctes, strict=True):
        _build(node.ctequery, query, cte)
        if not clause.recursive:
            query.ctes.append(cte)


def _find_cte(query: Query | None, name: str) -> Cte | None:
    while query is not None:
        for cte in query.ctes:
            if cte.name == name:
                return cte
        query = query.enclosing
    return None


# --- FROM -------------------------------------------------------------------------


def _add_target(query: Query, relation: ast.RangeVar) -> None:
    table = _table_name(query, relation)
    refname = relation.alias.aliasname if relation.alias else relation.relname
    query.target = _table_item(query, table, refname, None)


def _add_from(query: Query, nodes: Sequence[ast.Node] | None) -> None:
    """Adds range items in the order of the server's range table: joins after their sides."""
    stack: list[tuple[ast.Node, bool]] = [(node, False) for node in reversed(nodes or ())]
    while stack:
        node, sides_done = stack.pop()
        if not isinstance(node, ast.JoinExpr):
            _add_item(query, node)
        elif not sides_done:
            stack += [(node, True), (node.rarg, False), (node.larg, False)]
        else:
            alias = node.alias or node.join_using_alias
            query.items.append(RangeItem(ItemKind.JOIN, alias.aliasname if alias else None, query))
            _add_expressions(query, Clause.ON, (node.quals,))


def _add_item(query: Query, node: ast.Node) -> None:
    match node:
        case ast.RangeVar():
            query.items.append(_named_item(query, node))
        case ast.RangeSubselect():
            item = RangeItem(
                ItemKind.SUBQUERY, aliasname(node.alias), query, lateral=bool(node.lateral)
            )
            item.columns = alias_columns(node.alias) or output_columns(node.subquery)
            # Joins only see what stands before them; so does a LATERAL sub-SELECT.
            _build(node.subquery, query, item)
            query.items.append(item)
        case ast.RangeTableSample():
            _add_item(query, node.relation)
            _add_expressions(query, Clause.FROM, (*node.args, node.repeatable))
        case ast.RangeFunction():
            kind, refname = ItemKind.FUNCTION, function_refname(node)
            query.items.append(RangeItem(kind, refname, query, columns=alias_columns(node.alias)))
            _add_expressions(query, Clause.FROM, (node.functions,))
        case _:  # XMLTABLE, JSON_TABLE
            query.items.append(RangeItem(ItemKind.TABLE_FUNCTION, aliasname(node.alias), query))
            _add_expressions(query, Clause.FROM, tuple(textual_children(node)))


def _named_item(query: Query, node: ast.RangeVar) -> RangeItem:
    refname = node.alias.aliasname if node.alias else node.relname
    columns = alias_columns(node.alias)
    cte = _find_cte(query, node.relname) if node.schemaname is None else None
    if cte is None:
        if node.schemaname is None and node.relname in query.transition_tables:
            return RangeItem(ItemKind.TRANSITION_TABLE, refname, query, columns=columns)
        table = _table_name(query, node)
        view = query.known.view(table) if query.known is not None else None
        if view is not None and not view.is_materialized:
            return _view_item(query, view, refname, columns)
        return _table_item(query, table, refname, columns, view)
    if columns is None:
        columns = cte_columns(cte)
    item = RangeItem(ItemKind.CTE, refname, query, cte=cte, columns=columns)
    cte.references.append(item)
    return item


def _table_name(query: Query, node: ast.RangeVar) -> TableName:
    """A table's name; a part of it that stands for something else as it is written."""
    written = query.parameters
    schema = node.schemaname and written.get(node.schemaname, node.schemaname)
    return TableName(schema, written.get(node.relname, node.relname))


def _table_item(
    query: Query,
    table: TableName,
    refname: str,
    columns: tuple[str, ...] | None,
    view: View | None = None,
) -> RangeItem:
    """An item for a table; an alias with columns hides what the schema calls them."""
    item = RangeItem(ItemKind.TABLE, refname, query, table=table, view=view)
    if query.known is not None and columns is None:
        item.relation = query.known.relation(table)
    return item


def _view_item(
    query: Query, view: View, refname: str, columns: tuple[str, ...] | None
) -> RangeItem:
    item = RangeItem(ItemKind.SUBQUERY, refname, query, view=view)
    item.columns = columns or view.columns or output_columns(view.query)
    _build(view.query, query, item)
    return item


# --- expressions ------------------------------------------------------------------


def _add_expressions(query: Query, clause: Clause, nodes: Sequence[ast.Node | None] | None) -> None:
    """Records the sub-links, calls and columns of expressions, without recursion in depth."""
    standing = Standing(clause)
    stack = [(node, standing) for node in reversed(list(flatten(nodes)))]
    while stack:
        node, standing = stack.pop()
        match node:
            case ast.SubLink():
                if node.testexpr is not None:
                    stack.append((node.testexpr, standing._replace(conjunct=False)))
                link = SubLink(sub_link_kind(node), standing, node, node.location, query)
                query.sub_links.append(link)
                _build(node.subselect, query, link)
                continue
            case ast.A_Expr() if is_named_parameter(node):
                continue
            case ast.ColumnRef():
                parts = tuple(
                    part.sval if isinstance(part, ast.String) else "*" for part in node.fields
                )
                query.columns.append(Column(parts, standing))
                continue
            case ast.FuncCall() | ast.JsonArrayAgg() | ast.JsonObjectAgg():
                query.calls.append(call_of(node, standing)._replace(view_item=query.view_item))
        below = standing_below(node, standing)
        stack.extend((child, below) for child in reversed(list(textual_children(node))))
