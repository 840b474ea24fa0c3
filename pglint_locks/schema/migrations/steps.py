"""What migrations in Python do to a schema, step by step."""

from __future__ import annotations

from typing import NamedTuple


class Drop(NamedTuple):
    """What goes without being named: the `kind` (unique, index, foreign key) over columns."""

    kind: str
    table: str
    columns: tuple[str, ...]


class Step(NamedTuple):
    """A step: SQL, or a drop; where neither shows, the texts of the code that takes it."""

    line: int
    sql: str | None = None
    drop: Drop | None = None
    names: tuple[str, ...] = ()
