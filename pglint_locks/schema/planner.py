"""Asking a server for the generic plans of statements, none of which is ever run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pglint_locks.schema.plans import PlanNode, plan_of
from pglint_locks.schema.session import Session

if TYPE_CHECKING:
    from pglint_locks.schema.session import Connection

_NAME = "pglint_locks"
_HAS_GENERIC_PLAN = 160000


class Planned(Protocol):
    """Who gives the plans of statements; `name` is what it is called in messages."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def plan(self, sql: str) -> PlanNode | str:
        """The plan of a statement, or why there is none."""


class Planner:
    """Asks a server for plans, each once.

    Every statement goes alone, in a read-only transaction that is rolled back.
    """

    def __init__(self, url: str) -> None:
        self._session = Session(url)
        self._known: dict[str, PlanNode | str] = {}

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._session.name

    def plan(self, sql: str) -> PlanNode | str:
        """The plan of a statement; why there is none in the server's words.

        Raises:
            UsageError: the server cannot be reached.
        """
        if sql not in self._known:
            self._known[sql] = self._ask(sql)
        return self._known[sql]

    def close(self) -> None:
        """Leave the server; what is asked later opens another session."""
        self._session.close()

    def _ask(self, sql: str) -> PlanNode | str:
        import psycopg

        with self._session.transaction() as connection:
            try:
                found = _plan(connection, sql)
            except psycopg.Error as error:
                found = self._session.words(error)
        if not connection.closed:
            connection.execute("DEALLOCATE ALL")
        return found


def _plan(connection: Connection, sql: str) -> PlanNode | str:
    """The plan of what the server itself takes for one statement.

    To prepare a statement is to parse it alone, and is refused for several.
    """
    parameters = _prepared(connection, sql)
    if isinstance(parameters, str):
        return parameters
    if connection.info.server_version >= _HAS_GENERIC_PLAN:
        question = f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}"
    else:
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        values = f" ({', '.join(['NULL'] * parameters)})" if parameters else ""
        question = f"EXPLAIN (FORMAT JSON) EXECUTE {_NAME}{values}"
    row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return plan_of(row[0][0]["Plan"])


def _prepared(connection: Connection, sql: str) -> int | str:
    """How many parameters a statement has; what the server says where it refuses it."""
    from psycopg.pq import DiagnosticField, ExecStatus

    server, name = connection.pgconn, _NAME.encode()
    done = server.prepare(name, sql.encode())
    if done.status != ExecStatus.COMMAND_OK:
        said = done.error_field(DiagnosticField.MESSAGE_PRIMARY) or b"it is refused"
        return said.decode("utf-8", "replace")
    return server.describe_prepared(name).nparams
