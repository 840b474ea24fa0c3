"""Names of tables, folded as the server folds them."""

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
