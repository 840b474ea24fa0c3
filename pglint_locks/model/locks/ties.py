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

    Asked of a level that reads that table alone; a column with one value in all rows adds
    nothing to the order, and takes nothing from a key.
    """
    level, item = mark.level, mark.item
    if not knows_keys(item) or level is not locking_level(level) or len(level.items) != 1:
        return False
    sorts = list(sort_expressions(level))
    if not sorts or random_sort_key(level) is not None:
        return False
    columns = equal_column_names(item)
    for expression in sorts:
        parts = column_parts(expression)
        if parts and is_stand_in(parts[-1]):
            return False
        if parts and level.resolve(parts) is item:
            columns.add(parts[-1])
    return "ctid" not in columns and not pins_one_row(item, columns)


def tie_breaker(mark: RowMark) -> tuple[str, ...]:
    """The columns that make a mark's ORDER BY unique: the primary key, or another unique one."""
    relation = mark.item.relation
    return next(relation.unique_keys(), ()) if relation is not None else ()
