"""Where facts of a schema come from, and how far they are believed."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Trust(Enum):
    """How far a source is believed, the least first."""

    LINTED_FILE = 0
    SCHEMA_FILE = 1
    SNAPSHOT = 2
    SERVER = 3


class Origin(NamedTuple):
    """Where a fact comes from: a place in a file, or a server (`line` is None)."""

    trust: Trust
    name: str
    line: int | None = None

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}:{self.line}"
