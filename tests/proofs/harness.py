"""A place for experiments with several sessions on a live PostgreSQL.

Nothing here waits for a time to pass: a session is started, and comes to its end or is seen to wait
for a lock that another one holds.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from proofs.sessions import Row, Session
from psycopg import sql
from psycopg.conninfo import make_conninfo

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
_numbers = itertools.count(1)


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
    database = f"pglint_proof_{os.getpid()}_{next(_numbers)}"
    name = sql.Identifier(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            made = make_conninfo(dsn, dbname=database)
            with psycopg.connect(made, autocommit=True) as inside:
                inside.execute("CREATE EXTENSION pgrowlocks")
            yield made
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
