"""In which order a clause locks many rows of a table, and which orders oppose each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import SortByDir

from pglint_locks.model.locks.row_marks import LockingClause, RowMark, Strength, WaitPolicy
from pglint_locks.model.locks.sorting import sort_expressions
from pglint_locks.model.planner.flow import lazy_limits
from pglint_locks.model.planner.predicates import equalities, is_by_key
from pglint_locks.model.queries.keys import is_key
from pglint_locks.model.queries.query import Query, RangeItem
from pglint_locks.schema.names import TableName
from pglint_locks.sql.standins import is_stand_in

# Which strengths a row's lock of one strength keeps out.
_CONFLICTS = {
    Strength.FOR_KEY_SHARE: {Strength.FOR_UPDATE},
    Strength.FOR_SHARE: {Strength.FOR_UPDATE, Strength.FOR_NO_KEY_UPDATE},
    Strength.FOR_NO_KEY_UPDATE: set(Strength) - {Strength.FOR_KEY_SHARE},
    Strength.FOR_UPDATE: set(Strength),
}


class SortKey(NamedTuple):
    """A column that rows are sorted by."""

    column: str
    descending: bool


class LockOrder(NamedTuple):
    """Rows of a table that a statement waits for one by one, in the order of `keys`.

    Columns that have one value in all the rows are `fixed` and no part of `keys`; `pinned`
    has those whose value is a constant of the text.  `words` is the ORDER BY clause as written.
    """

    table: TableName
    strength: Strength
    keys: tuple[SortKey, ...]
    fixed: frozenset[str]
    pinned: tuple[tuple[str, str], ...]
    words: str

    def opposes(self, other: LockOrder) -> bool:
        """Whether sessions that run both can wait for each other's rows.

        An order that only goes on where the other ends does not oppose it.
        """
        return (
            self.table.same_table(other.table)
            and other.strength in _CONFLICTS[self.strength]
            and any(one != two for one, two in self._pairs(other))
            and not self._has_other_rows(other)
        )

    def is_reverse_of(self, other: LockOrder) -> bool:
        """Whether the two differ first in a key's direction, not in its column."""
        for one, two in self._pairs(other):
            if one != two:
                return one.column == two.column
        return False

    def _pairs(self, other: LockOrder) -> Iterator[tuple[SortKey, SortKey]]:
        """The keys side by side: a column that one fixes has one value in the rows of both."""
        mine = (key for key in self.keys if key.column not in other.fixed)
        theirs = (key for key in other.keys if key.column not in self.fixed)
        return zip(mine, theirs, strict=False)

    def _has_other_rows(self, other: LockOrder) -> bool:
        theirs = dict(other.pinned)
        return any(theirs.get(column, value) != value for column, value in self.pinned)


def lock_orders(clause: LockingClause) -> Iterator[tuple[RowMark, LockOrder]]:
    """The orders in which a clause waits for rows, as far as ORDER BY shows them."""
    for mark in clause.marks:
        level = mark.level
        if mark.wait_policy is not WaitPolicy.BLOCK or is_by_key(mark.item):
            continue
        if any(limit in (0, 1) for limit in lazy_limits(level)):
            continue
        keys = _keys(level, mark.item)
        if keys:
            order = clause.statement.order_clause(level)
            yield (
                mark,
                LockOrder(
                    table=mark.table,
                    strength=mark.strength,
                    keys=keys,
                    fixed=_fixed(level, mark.item),
                    pinned=tuple(sorted(_pinned(mark.item).items())),
                    words=clause.statement.words(order),
                ),
            )


def _keys(level: Query, item: RangeItem) -> tuple[SortKey, ...]:
    """The keys that order a table's rows; none where one of them is not just a column of it."""
    fixed = _fixed(level, item)
    keys: list[SortKey] = []
    sorts = getattr(level.node, "sortClause", None) or ()
    for sort, expression in zip(sorts, sort_expressions(level), strict=True):
        if not isinstance(expression, ast.ColumnRef):
            return ()
        parts = tuple(getattr(part, "sval", "*") for part in expression.fields)
        if level.resolve(parts) is not item or (len(parts) == 1 and len(level.items) > 1):
            return ()
        column = parts[-1]
        if is_stand_in(column):
            return ()
        if column not in fixed:
            keys.append(SortKey(column, sort.sortby_dir == SortByDir.SORTBY_DESC))
        if is_key(item, column):
            break  # unique: what comes after it decides nothing
    return tuple(keys)


def _fixed(level: Query, item: RangeItem) -> frozenset[str]:
    return frozenset(each.column for each in equalities(level) if each.item is item)


def _pinned(item: RangeItem) -> dict[str, str]:
    return {
        equality.column: str(equality.value.val)
        for equality in equalities(item.holder)
        if equality.item is item and isinstance(equality.value, ast.A_Const)
    }
