"""Rows that are looked for under a lock, and inserted where they are not found."""

from __future__ import annotations

from typing import NamedTuple

from pglast import ast

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.planner.predicates import equalities
from pglint_locks.model.queries.keys import pins_one_row_by_schema
from pglint_locks.model.queries.query import Query, QueryKind, SubLink, SubLinkKind
from pglint_locks.model.rows.exclusion import is_serialized
from pglint_locks.model.statements.statement import Statement
from pglint_locks.text import Span

_UNIQUE_VIOLATION = frozenset(
    ["unique_violation", "'23505'", "integrity_constraint_violation", "'23000'", "others"]
)


class LateInsert(NamedTuple):
    """An INSERT of the row that a locking SELECT looked for by `columns`."""

    statement: Statement
    query: Query
    columns: tuple[str, ...]
    same_statement: bool

    @property
    def span(self) -> Span:
        """The table that the INSERT names, as unit offsets."""
        return self.statement.target_name(self.query)


def insert_after_check(clause: LockingClause, mark: RowMark) -> LateInsert | None:
    """The INSERT, without ON CONFLICT, that a check of the same row precedes.

    One whose unique_violation is handled has its constraint, and knows of the other row; so
    does one that the schema shows to have it.

    In one statement the check is a NOT EXISTS.  In a later one the inserted columns must
    have the very values that the check looked for: another row is another matter.
    """
    checked = {
        equality.column: value
        for equality in equalities(mark.level)
        if equality.item is mark.item and (value := _value(equality.value)) is not None
    }
    if pins_one_row_by_schema(mark.item, checked):
        return None
    top = clause.statement.queries[0] if clause.statement.queries else None
    if top is not None and _inserts_into(top, mark):
        if _is_not_exists(mark.level):
            return LateInsert(clause.statement, top, tuple(checked), same_statement=True)
        return None
    if not checked or is_serialized(clause, mark):
        return None
    for statement in clause.statement.later:
        if statement.catches & _UNIQUE_VIOLATION:
            continue
        for level in statement.levels:
            if _inserts_into(level, mark) and _is_same_row(level, checked):
                return LateInsert(statement, level, tuple(checked), same_statement=False)
    return None


def _inserts_into(query: Query, mark: RowMark) -> bool:
    return (
        query.kind is QueryKind.INSERT
        and query.node.onConflictClause is None
        and query.target is not None
        and query.target.table is not None
        and query.target.table.same_table(mark.table)
    )


def _is_not_exists(level: Query) -> bool:
    """Whether a level, or one that reads it in FROM, is tested by NOT EXISTS."""
    query: Query | None = level
    while query is not None:
        link = query.embedding
        if isinstance(link, SubLink):
            return link.kind is SubLinkKind.EXISTS and link.standing.negated
        query = query.parent
    return False


def _is_same_row(insert: Query, checked: dict[str, str]) -> bool:
    """Whether an INSERT gives the checked columns the values that were looked for."""
    names = [column.name for column in insert.node.cols or ()]
    source = insert.node.selectStmt
    if source is None or not set(checked) <= set(names):
        return False
    rows = source.valuesLists or (tuple(target.val for target in source.targetList or ()),)
    return any(
        len(row) == len(names)
        and all(_value(row[names.index(column)]) == value for column, value in checked.items())
        for row in rows
    )


def _value(node: ast.Node) -> str | None:
    """What a constant, parameter or variable is, to compare it with another; else None."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    if isinstance(node, ast.A_Const) and not node.isnull:
        return str(node.val)
    if isinstance(node, ast.ParamRef):
        return f"${node.number}"
    if isinstance(node, ast.ColumnRef):
        return ".".join(getattr(part, "sval", "*") for part in node.fields)
    return None
