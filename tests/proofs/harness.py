"""A place for experiments with several sessions on a live PostgreSQL.

Nothing here waits for a time to pass: a session is started, and comes to its end or is seen to wait
for a lock that another one holds.
"""

from __future__ import annotations

import itertools
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pglint_locks.sql.split import split

Row = tuple[Any, ...]
DEADLOCK = "40P01"
SERIALIZATION_FAILURE = "40001"
LOCK_NOT_AVAILABLE = "55P03"

_SETTINGS = """
SET statement_timeout = '15s';
SET default_transaction_isolation = 'read committed';
SET default_transaction_read_only = off;
SET jit = off;
"""
# Statistics are taken when a proof says so, and at no other time.
_NO_AUTOVACUUM = """
DO $$
DECLARE made regclass;
BEGIN
    FOR made IN SELECT oid FROM pg_class
                 WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', made);
    END LOOP;
END $$;
"""
_PATIENCE = 20  # seconds, for what takes milliseconds
_PARAMETER = re.compile(r"\$(\d+)")
_numbers = itertools.count(1)


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


@dataclass
class Lab:
    """A schema in the scratch database, the sessions that work in it, and one that looks on."""

    dsn: str
    schema: str
    made: list[Session] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.observer = self._connect()
        self.observed = Session(self.observer, lambda: False)
        major, minor = divmod(self.observer.info.server_version, 10000)
        self.version = f"{major}.{minor}"

    def session(self, begin: bool = False) -> Session:
        """A new session, in a transaction where `begin` says so."""
        connection = self._connect()
        pid = connection.info.backend_pid

        def is_blocked() -> bool:
            return bool(self.observer.execute(f"SELECT pg_blocking_pids({pid})").fetchall()[0][0])

        made = Session(connection, is_blocked)
        self.made.append(made)
        if begin:
            made.run("BEGIN")
        return made

    def sessions(self, number: int, begin: bool = False) -> list[Session]:
        """Some new sessions."""
        return [self.session(begin) for _ in range(number)]

    def run(self, script: str, *values: object) -> list[Row]:
        """Run statements beside all sessions, each committed at once."""
        return self.observed.run(script, *values)

    def value(self, script: str, *values: object) -> Any:
        """The first column of the only row."""
        return self.observed.value(script, *values)

    def locked(self, table: str = "jobs", key: str = "id") -> list[Any]:
        """The keys of the rows on which sessions hold locks, as pgrowlocks sees them."""
        return self.observed.ids(
            f"SELECT t.{key} FROM pgrowlocks('{table}') AS l JOIN {table} AS t"
            f" ON t.ctid = l.locked_row ORDER BY t.{key}"
        )

    def locks(self, script: str, table: str = "jobs") -> tuple[int, int]:
        """How many rows a query returns, and how many of a table it locks."""
        session = self.session(begin=True)
        returned = len(session.run(script))
        locked = len(self.locked(table))
        session.run("ROLLBACK")
        return returned, locked

    def collide(self, gate: str, first: Sequence[Any], second: Sequence[Any]) -> list[str | None]:
        """How two transactions end that are let go at once, each with what it has locked so far.

        Both are a statement and its values. They come to wait for a row that `gate` locks, or one
        for the other; then the gate is opened. What ends well is None, else it is the SQLSTATE.
        All sessions are ended.
        """
        keeper = self.session(begin=True)
        keeper.run(gate)
        made = []
        for script, *values in (first, second):
            made.append(self.session().start(f"BEGIN; {script}; COMMIT", *values))
            assert made[-1].waits()
        keeper.run("ROLLBACK")
        ends = [each.error() for each in made]
        self.end_sessions()
        return ends

    def end_sessions(self) -> None:
        """End all sessions and what they still run; what they did not commit is undone."""
        while self.made:
            self.made.pop().end()

    def close(self) -> None:
        """End all sessions, the observer too."""
        self.end_sessions()
        self.observer.close()

    def _connect(self) -> psycopg.Connection[Row]:
        made = psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None)
        made.execute(_SETTINGS)
        made.execute(f"SET search_path = {self.schema}, public")
        with suppress(psycopg.errors.InsufficientPrivilege):
            made.execute("SET deadlock_timeout = '10ms'")
        return made


@contextmanager
def open_lab(dsn: str, script: str) -> Iterator[Lab]:
    """A schema that holds what a script makes; it goes when the lab is closed."""
    schema = f"proof_{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        lab = Lab(dsn, schema)
        try:
            lab.run(script)
            lab.run(_NO_AUTOVACUUM)
            yield lab
        finally:
            lab.close()
            connection.execute("SET client_min_messages = warning")
            connection.execute(f"DROP SCHEMA {schema} CASCADE")


@contextmanager
def scratch_database(dsn: str) -> Iterator[str]:
    """Make a database with pgrowlocks on a server, and drop it; gives its connection string."""
    name = sql.Identifier(f"pglint_proof_{os.getpid()}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            made = make_conninfo(dsn, dbname=f"pglint_proof_{os.getpid()}")
            with psycopg.connect(made, autocommit=True) as inside:
                inside.execute("CREATE EXTENSION pgrowlocks")
            yield made
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
