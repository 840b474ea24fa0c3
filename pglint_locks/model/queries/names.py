"""What the names of tables and columns say where no schema is known."""

from __future__ import annotations

from pglint_locks.schema.names import TableName

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
