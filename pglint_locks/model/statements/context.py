"""What the settings say of a project that its SQL does not show."""

from __future__ import annotations

from typing import NamedTuple

from pglint_locks.schema.names import TableName


class Context(NamedTuple):
    """The few settings that rules may read.

    `queue_tables` are names as in SQL, after folding, with or without a schema.
    `isolation_level` holds where a script names none; None where it is not known.
    `strict_no_key`: FOR UPDATE is reported also where nothing shows what follows it.
    """

    queue_tables: tuple[str, ...] = ()
    isolation_level: str | None = None
    strict_no_key: bool = False

    @property
    def keeps_snapshot(self) -> bool:
        """Whether transactions fail (40001) at rows that were changed after they began."""
        return self.isolation_level in ("repeatable read", "serializable")

    def is_queue(self, table: TableName) -> bool:
        """Whether the settings name a table as a queue."""
        return any(_table_name(name).same_table(table) for name in self.queue_tables)


def _table_name(name: str) -> TableName:
    schema, dot, table = name.rpartition(".")
    return TableName(schema if dot else None, table)
