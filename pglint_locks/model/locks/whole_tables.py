"""Clauses that lock every row of a table."""

from __future__ import annotations

from pglast import ast

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.planner.flow import is_bounded
from pglint_locks.model.queries.query import Cte, ItemKind, Query, QueryKind, SubLink
from pglint_locks.model.statements.statement import Statement

# These fetch every row of their query.
_READ_WHOLE = (ast.SelectStmt, ast.CopyStmt, ast.CreateTableAsStmt)


def locks_whole_table(clause: LockingClause, mark: RowMark) -> bool:
    """Whether nothing at or above a mark's level restricts which rows are locked.

    No condition, LIMIT, sample or join that could; and all rows are fetched: a cursor, a
    view or a sub-link may stop after some.
    """
    if not isinstance(clause.statement.node, _READ_WHOLE) and not _is_write(clause.statement):
        return False
    if clause.statement.fetches_one:
        return False
    tables = [item for item in mark.level.items if item.kind is not ItemKind.JOIN]
    if tables != [mark.item] or _is_sampled(mark.level):
        return False
    level: Query | None = mark.level
    while level is not None and not level.is_write:
        node = level.node
        if level.kind is not QueryKind.SELECT or node.whereClause or is_bounded(level):
            return False
        if len(level.items) > 1 or isinstance(level.embedding, SubLink):
            return False
        if isinstance(level.embedding, Cte):
            return all(_reads_whole(item.holder) for item in level.embedding.references[:1])
        level = level.parent
    return True


def _reads_whole(reader: Query) -> bool:
    """Whether a level fetches all rows of what it reads: nothing in it may stop before."""
    return not is_bounded(reader) and not isinstance(reader.embedding, SubLink)


def _is_write(statement: Statement) -> bool:
    return any(query.is_write for query in statement.queries)


def _is_sampled(query: Query) -> bool:
    sources = getattr(query.node, "fromClause", None) or ()
    return any(isinstance(source, ast.RangeTableSample) for source in sources)
