"""Names of tables and columns, folded as the server folds them."""

from __future__ import annotations

from typing import NamedTuple


class TableName(NamedTuple):
    """A table's name as written, after folding; `schema` is None where it is unqualified."""

    schema: str | None
    name: str

    def same_table(self, other: TableName) -> bool:
        """Whether both can be the same table: an unqualified name may be in any schema."""
        return self.name == other.name and (
            self.schema is None or other.schema is None or self.schema == other.schema
        )

    def is_temporary(self, made: frozenset[str]) -> bool:
        """Whether it is a session's own table; `made` are the names of those known."""
        if self.schema is None:
            return self.name in made
        return self.schema == "pg_temp" or self.schema.startswith("pg_temp_")

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


_KEY_LIKE = frozenset({"id", "uuid", "guid", "pk", "oid"})


def is_key_like(column: str, table: TableName) -> bool:
    """Whether a column reads as the table's key where no schema is known.

    `id`, `uuid`, `guid`, `pk`, `oid`, or the table's own name, singular or plural,
    with `_id`.  Another table's `…_id` is no key.
    """
    return column in _KEY_LIKE or column in {f"{form}_id" for form in _name_forms(table.name)}


def is_reference_like(column: str) -> bool:
    """Whether a column reads as a reference to some row of another table."""
    return column.endswith("_id")


def is_state_like(column: str) -> bool:
    """Whether a column is called what the state of a row is called everywhere."""
    return column.rpartition("_")[2] in ("status", "state")


_NATURAL_KEYS = frozenset(
    "code email hash key login name number reference sku slug token username".split()
)


def may_be_natural_key(column: str) -> bool:
    """Whether a column reads as one whose values are often unique: `email`, `order_number`."""
    return column.rpartition("_")[2] in _NATURAL_KEYS


def refers_to(column: str, table: TableName) -> bool:
    """Whether a column of another table reads as a foreign key to this one."""
    return column in {f"{form}_id" for form in _name_forms(table.name)}


def _name_forms(name: str) -> set[str]:
    """A table's name with its likely singular and plural forms."""
    forms = {name, f"{name}s", f"{name}es"}
    if name.endswith("ies"):
        forms.add(f"{name[:-3]}y")
    if name.endswith("y"):
        forms.add(f"{name[:-1]}ies")
    if name.endswith("es"):
        forms.add(name[:-2])
    if name.endswith("s"):
        forms.add(name[:-1])
    return forms
