"""Indexes, and the columns whose change makes an UPDATE take the stronger lock of a row.

Mirrors `RelationGetIndexAttrBitmap` (INDEX_ATTR_BITMAP_KEY) and `heap_update`: a row that
changes in a key column is locked FOR UPDATE, any other FOR NO KEY UPDATE.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pglint_locks.schema.origins import Origin


class IndexKey(NamedTuple):
    """A key column of an index; `column` is None for an expression.

    `expression` is its SQL where it is known.
    """

    column: str | None
    expression: str | None = None
    descending: bool = False
    nulls_first: bool = False


class Index(NamedTuple):
    """An index of a table.

    `predicate` is the SQL of a partial index's WHERE.  An index that is not `valid` is not
    used by plans and proves nothing unique, yet its columns are key columns to row locks.
    A `deferrable` one may hold duplicates inside a transaction.  `is_constraint`: it belongs
    to a primary key, unique or exclusion constraint.
    """

    keys: tuple[IndexKey, ...]
    unique: bool = False
    included: tuple[str, ...] = ()
    predicate: str | None = None
    name: str | None = None
    method: str = "btree"
    primary: bool = False
    valid: bool = True
    deferrable: bool = False
    is_constraint: bool = False
    nulls_not_distinct: bool = False
    origin: Origin | None = None

    @property
    def columns(self) -> tuple[str | None, ...]:
        """The key columns in their order; None is an expression."""
        return tuple(key.column for key in self.keys)

    @property
    def has_key_columns(self) -> bool:
        """Whether its columns are key columns to row locks: full, unique, of plain columns.

        Also what a foreign key may point at, but for an invalid or deferrable one.
        """
        return self.unique and self.predicate is None and None not in self.columns

    @property
    def is_unique_key(self) -> bool:
        """Whether no two rows can be equal in its columns, NULLs aside."""
        return self.has_key_columns and self.valid and not self.deferrable


def key_columns(indexes: Iterable[Index]) -> frozenset[str]:
    """The key columns of a table with these indexes; those of INCLUDE are none."""
    return frozenset(
        column
        for index in indexes
        if index.has_key_columns
        for column in index.columns
        if column is not None
    )


def lock_of_update(changed: Iterable[str], indexes: Iterable[Index]) -> str:
    """The strength in which an UPDATE locks a row: as in `FOR {strength}`.

    `changed` are the columns that get another value; one that is set to what it held does
    not count.
    """
    return "NO KEY UPDATE" if key_columns(indexes).isdisjoint(changed) else "UPDATE"
