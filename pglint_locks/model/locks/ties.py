"""Rows that are equal in ORDER BY: in which order they are locked is the plan's affair."""

from __future__ import annotations

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.locks.rowcounts import equal_column_names
from pglint_locks.model.locks.sorting import random_sort_key, sort_expressions
from pglint_locks.model.planner.flow import locking_level
from pglint_locks.model.planner.predicates import column_parts
from pglint_locks.model.queries.keys import knows_keys, pins_one_row
from pglint_locks.sql.standins import is_stand_in


def may_tie(mark: RowMark) -> bool:
    """Whether the schema shows that rows of a mark can be equal in the ORDER BY above it.

    Asked of a level that reads that table alone.
    """
    level, item = mark.level, mark.item
    if not knows_keys(item) or level is not locking_level(level) or len(level.items) != 1:
        return False
    if not level.node.sortClause or random_sort_key(level) is not None:
        return False
    columns = _columns_in_order(mark)
    if "ctid" in columns or any(map(is_stand_in, columns)):
        return False
    return not pins_one_row(item, columns)


def tie_breaker(mark: RowMark) -> tuple[str, ...]:
    """The columns that make a mark's ORDER BY unique: what it lacks of the primary key.

    Or of another unique key; none where the table has none.
    """
    relation = mark.item.relation
    key = next(relation.unique_keys(), ()) if relation is not None else ()
    there = _columns_in_order(mark)
    return tuple(column for column in key if column not in there)


def _columns_in_order(mark: RowMark) -> set[str]:
    """The columns in which rows of a mark that are equal in ORDER BY are equal.

    Those of the clause, and those that have one value in all rows.
    """
    columns = equal_column_names(mark.item)
    for expression in sort_expressions(mark.level):
        parts = column_parts(expression)
        if parts and (is_stand_in(parts[-1]) or mark.level.resolve(parts) is mark.item):
            columns.add(parts[-1])
    return columns
