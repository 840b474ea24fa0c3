"""What nodes of the parse tree say of columns, indexes and constraints."""

from __future__ import annotations

from collections.abc import Sequence

from pglast import ast
from pglast.enums import ConstrType, SortByDir, SortByNulls

from pglint_locks.schema.catalog import Column
from pglint_locks.schema.indexes import Index, IndexKey
from pglint_locks.schema.names import TableName

_SERIAL = frozenset({"serial", "serial4", "bigserial", "serial8", "smallserial", "serial2"})


def table_name(relation: ast.RangeVar) -> TableName:
    """The name of a relation as it is written."""
    return TableName(relation.schemaname, relation.relname)


def dotted_name(parts: Sequence[ast.String]) -> TableName:
    """The name that a list of its parts is."""
    *schema, name = (part.sval for part in parts)
    return TableName(schema[-1] if schema else None, name)


def names_of(parts: Sequence[ast.String] | None) -> tuple[str, ...]:
    """The columns in a list."""
    return tuple(part.sval for part in parts or ())


def sql_of(node: ast.Node) -> str:
    """The SQL of an expression, always in one form."""
    from pglast.stream import RawStream

    return str(RawStream()(node))


def column_of(node: ast.ColumnDef) -> Column:
    """A column as its definition says."""
    kinds = {each.contype for each in node.constraints or ()}
    is_serial = node.typeName is not None and node.typeName.names[-1].sval in _SERIAL
    is_identity = ConstrType.CONSTR_IDENTITY in kinds
    required = {ConstrType.CONSTR_NOTNULL, ConstrType.CONSTR_PRIMARY}
    return Column(
        node.colname,
        None if node.typeName is None else sql_of(node.typeName),
        not_null=is_serial or is_identity or not required.isdisjoint(kinds),
        generated=ConstrType.CONSTR_GENERATED in kinds,
        identity=is_identity,
    )


def index_of(node: ast.IndexStmt) -> Index:
    """An index as CREATE INDEX says."""
    return Index(
        tuple(_index_key(each) for each in node.indexParams),
        unique=bool(node.unique),
        included=tuple(each.name for each in node.indexIncludingParams or ()),
        predicate=None if node.whereClause is None else sql_of(node.whereClause),
        name=node.idxname,
        method=node.accessMethod,
        nulls_not_distinct=bool(node.nulls_not_distinct),
    )


def _index_key(node: ast.IndexElem) -> IndexKey:
    descending = node.ordering == SortByDir.SORTBY_DESC
    nulls_first = node.nulls_ordering == SortByNulls.SORTBY_NULLS_FIRST
    if node.nulls_ordering == SortByNulls.SORTBY_NULLS_DEFAULT:
        nulls_first = descending
    if node.name:
        return IndexKey(node.name, None, descending, nulls_first)
    called = node.expr.funcname[-1].sval if isinstance(node.expr, ast.FuncCall) else None
    return IndexKey(None, sql_of(node.expr), descending, nulls_first, called)


def index_of_constraint(node: ast.Constraint, columns: Sequence[str]) -> Index:
    """The index behind a PRIMARY KEY, UNIQUE or EXCLUDE constraint."""
    is_exclusion = node.contype == ConstrType.CONSTR_EXCLUSION
    if is_exclusion:
        keys = tuple(_index_key(each[0]) for each in node.exclusions)
    else:
        keys = tuple(IndexKey(column) for column in columns)
    return Index(
        keys,
        unique=not is_exclusion,
        included=names_of(node.including),
        predicate=None if node.where_clause is None else sql_of(node.where_clause),
        name=node.conname,
        method=node.access_method or ("gist" if is_exclusion else "btree"),
        primary=node.contype == ConstrType.CONSTR_PRIMARY,
        deferrable=bool(node.deferrable),
        is_constraint=True,
        nulls_not_distinct=bool(node.nulls_not_distinct),
    )
