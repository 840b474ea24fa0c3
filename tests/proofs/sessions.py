"""Sessions on a live PostgreSQL: each has a thread, so that one can wait while others go on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import psycopg

from pglint_locks.sql.split import split

Row = tuple[Any, ...]
DEADLOCK = "40P01"
SERIALIZATION_FAILURE = "40001"
LOCK_NOT_AVAILABLE = "55P03"
UNIQUE_VIOLATION = "23505"

_PATIENCE = 20  # seconds, for what takes milliseconds
_PARAMETER = re.compile(r"\$(\d+)")


@dataclass
class Running:
    """A statement, or several, that a session has begun."""

    future: Future[list[Row]]
    is_blocked: Callable[[], bool]

    def waits(self) -> bool:
        """Whether it comes to wait for another session before it comes to its end."""
        while not self.future.done():
            if self.is_blocked():
                return True
            time.sleep(0.002)
        return False

    def rows(self) -> list[Row]:
        """The rows of the last statement that has any."""
        return self.future.result(_PATIENCE)

    def ids(self) -> list[Any]:
        """The first column of the rows."""
        return [row[0] for row in self.rows()]

    def error(self) -> str | None:
        """The SQLSTATE with which it failed, if it did."""
        failure = self.future.exception(_PATIENCE)
        if failure is None:
            return None
        assert isinstance(failure, psycopg.Error), failure
        return failure.sqlstate


@dataclass
class Session:
    """A connection that commits each statement, unless one begins a transaction."""

    connection: psycopg.Connection[Row]
    is_blocked: Callable[[], bool]
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    changed: int = 0
    last: Future[list[Row]] | None = None

    def start(self, script: str, *values: object) -> Running:
        """Begin statements whose parameters are `$1`, `$2`, …, and go on without waiting."""
        self.last = self.thread.submit(self._run, script, values)
        return Running(self.last, self.is_blocked)

    def end(self) -> None:
        """Stop what runs, undo what is not committed, and leave the server."""
        if self.last is not None and not self.last.done():
            self.connection.cancel()
        self.thread.submit(self.connection.rollback).result(_PATIENCE)
        self.thread.shutdown()
        self.connection.close()

    def run(self, script: str, *values: object) -> list[Row]:
        """Run statements to their end; the rows of the last one that has any."""
        return self.start(script, *values).rows()

    def ids(self, script: str, *values: object) -> list[Any]:
        """The first column of the rows."""
        return self.start(script, *values).ids()

    def value(self, script: str, *values: object) -> Any:
        """The first column of the only row."""
        (row,) = self.run(script, *values)
        return row[0]

    def error(self, script: str, *values: object) -> str | None:
        """The SQLSTATE with which a statement fails, if it does."""
        return self.start(script, *values).error()

    def writes(self, script: str, *values: object) -> int:
        """How many rows the last statement changed; they are as before afterwards."""
        self.run("BEGIN")
        self.run(script, *values)
        changed = self.changed
        self.run("ROLLBACK")
        return changed

    def _run(self, script: str, values: Sequence[object]) -> list[Row]:
        rows: list[Row] = []
        for statement in statements(script):
            used = max(map(int, _PARAMETER.findall(statement)), default=0)
            cursor = psycopg.RawCursor(self.connection)
            cursor.execute(statement.encode(), values[:used] or None, prepare=False)
            self.changed = cursor.rowcount
            if cursor.description:
                rows = cursor.fetchall()
        return rows


def statements(script: str) -> list[str]:
    """The statements of a script."""
    return [chunk.text for chunk in split(script).chunks]
