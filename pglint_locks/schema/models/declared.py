"""Tables as other languages declare them, and the DDL that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pglint_locks.sql.names import quoted


class Declared(NamedTuple):
    """A statement of DDL that a declaration stands for, and where that stands in its file."""

    sql: str
    offset: int


@dataclass(slots=True)
class Table:
    """A table that a file declares at `offset`.

    `columns` are names with the SQL of their types, `references` are foreign keys: the column,
    the table that it points at and the column there.
    """

    name: str
    offset: int
    columns: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    key: Sequence[str] = ()
    uniques: list[Sequence[str]] = field(default_factory=list)
    indexes: list[Sequence[str]] = field(default_factory=list)
    references: list[tuple[Sequence[str], str, Sequence[str]]] = field(default_factory=list)

    def created(self) -> Declared:
        """CREATE TABLE, without its foreign keys: these may point at what comes later."""
        parts = [
            f"{quoted(name)} {kind}{' NOT NULL' if name in self.required else ''}"
            for name, kind in self.columns.items()
        ]
        if self.key:
            parts.append(f"PRIMARY KEY ({listed(self.key)})")
        parts += [f"UNIQUE ({listed(columns)})" for columns in self.uniques]
        return Declared(f"CREATE TABLE {dotted(self.name)} ({', '.join(parts)})", self.offset)

    def completed(self) -> Iterator[Declared]:
        """The indexes and foreign keys of the table."""
        table = dotted(self.name)
        for columns in self.indexes:
            yield Declared(f"CREATE INDEX ON {table} ({listed(columns)})", self.offset)
        for columns, target, there in self.references:
            what = f" ({listed(there)})" if there else ""
            yield Declared(
                f"ALTER TABLE {table} ADD FOREIGN KEY ({listed(columns)})"
                f" REFERENCES {dotted(target)}{what}",
                self.offset,
            )


def all_declared(tables: Sequence[Table]) -> Iterator[Declared]:
    """The DDL of tables that may refer to one another."""
    for table in tables:
        yield table.created()
    for table in tables:
        yield from table.completed()


def listed(columns: Sequence[str]) -> str:
    """Columns in a list."""
    return ", ".join(map(quoted, columns))


def dotted(name: str) -> str:
    """A table's name, with its schema where it has one."""
    return ".".join(map(quoted, name.split(".")))
