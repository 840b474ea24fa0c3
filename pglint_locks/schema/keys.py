"""The columns whose change makes an UPDATE take the stronger lock of a row.

Mirrors `RelationGetIndexAttrBitmap` (INDEX_ATTR_BITMAP_KEY) and `heap_update`: a row that
changes in a key column is locked FOR UPDATE, any other FOR NO KEY UPDATE.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Index(NamedTuple):
    """An index of a table; None among `columns` is an expression.

    Whether it is deferrable, INVALID or NULLS NOT DISTINCT makes no difference here.
    """

    columns: tuple[str | None, ...]
    unique: bool = False
    included: tuple[str, ...] = ()
    partial: bool = False

    @property
    def may_be_referenced(self) -> bool:
        """Whether a foreign key may point at its columns: a full unique index of plain columns."""
        return self.unique and not self.partial and None not in self.columns


def key_columns(indexes: Iterable[Index]) -> frozenset[str]:
    """The key columns of a table with these indexes; those of INCLUDE are none."""
    return frozenset(
        column
        for index in indexes
        if index.may_be_referenced
        for column in index.columns
        if column is not None
    )


def lock_of_update(changed: Iterable[str], indexes: Iterable[Index]) -> str:
    """The strength in which an UPDATE locks a row: as in `FOR {strength}`.

    `changed` are the columns that get another value; one that is set to what it held does
    not count.
    """
    return "NO KEY UPDATE" if key_columns(indexes).isdisjoint(changed) else "UPDATE"
