"""Advisory locks for rows that do not come out: the model's word against a live server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pglint_locks.model.rows.advisory import StrayReason, stray_locks
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse

if TYPE_CHECKING:
    from tests.conftest import Server

_TABLES = """
CREATE TABLE jobs (id bigint PRIMARY KEY, status text, priority int, q int);
INSERT INTO jobs SELECT n, CASE WHEN n % 2 = 0 THEN 'ready' ELSE 'done' END, 1000 - n, n % 7
  FROM generate_series(1, 1000) AS n;
CREATE INDEX ON jobs (status);
CREATE TABLE q (id int PRIMARY KEY, name text);
INSERT INTO q SELECT n, 'q' || n FROM generate_series(0, 6) AS n;
ANALYZE;
"""

_TRY = "pg_try_advisory_xact_lock"

# A statement, and why it locks more keys than it returns rows; None where it does not.
_CASES = [
    (f"SELECT id FROM jobs WHERE status = 'ready' AND {_TRY}(id)", StrayReason.CONDITION),
    (f"SELECT id FROM jobs WHERE status = 'ready' AND {_TRY}(id) LIMIT 1", StrayReason.CONDITION),
    (f"UPDATE jobs SET priority = 0 WHERE status = 'ready' AND q = 3 AND {_TRY}(id) RETURNING 1",
     StrayReason.CONDITION),
    ("WITH c AS (SELECT id FROM jobs ORDER BY id LIMIT 5) "
     f"UPDATE jobs SET priority = 0 FROM c WHERE jobs.id = c.id AND {_TRY}(jobs.id) RETURNING 1",
     StrayReason.CONDITION),
    (f"SELECT id FROM jobs WHERE status = 'ready' AND {_TRY}(id) ORDER BY priority LIMIT 1",
     StrayReason.SORT),
    (f"SELECT id FROM jobs WHERE {_TRY}(id) ORDER BY priority LIMIT 1", StrayReason.SORT),
    (f"SELECT id FROM jobs WHERE CASE WHEN status = 'ready' THEN {_TRY}(id) ELSE false END "
     "ORDER BY priority LIMIT 1", StrayReason.SORT),
    (f"SELECT id FROM (SELECT id FROM jobs WHERE status = 'ready' ORDER BY priority) s "
     f"WHERE {_TRY}(id) LIMIT 1", StrayReason.SORT),
    (f"WITH s AS (SELECT id FROM jobs WHERE status = 'ready' ORDER BY priority) "
     f"SELECT id FROM s WHERE {_TRY}(id) LIMIT 1", StrayReason.SORT),
    (f"WITH s AS MATERIALIZED (SELECT id, priority FROM jobs WHERE status = 'ready') "
     f"SELECT id FROM s WHERE {_TRY}(id) ORDER BY priority LIMIT 1", StrayReason.SORT),
    (f"SELECT j.id FROM jobs j JOIN q ON q.id = j.q AND q.name = 'q3' WHERE {_TRY}(j.id) LIMIT 1",
     StrayReason.JOIN),
    (f"SELECT id, {_TRY}(id) FROM jobs ORDER BY id LIMIT 1 OFFSET 10", StrayReason.OFFSET),
    (f"SELECT DISTINCT {_TRY}(id) FROM jobs LIMIT 1", StrayReason.DISTINCT),
    (f"SELECT DISTINCT ON (q) id, {_TRY}(id) FROM jobs", StrayReason.DISTINCT),
    (f"SELECT id FROM jobs ORDER BY {_TRY}(id), id LIMIT 1", StrayReason.ORDER_KEY),
    (f"SELECT id FROM jobs WHERE {_TRY}(id)", None),
    (f"SELECT id FROM jobs WHERE {_TRY}(id) LIMIT 5", None),
    (f"SELECT id FROM jobs WHERE {_TRY}(id) ORDER BY id LIMIT 1", None),
    (f"SELECT id FROM jobs WHERE id = 4 AND status = 'ready' AND {_TRY}(id)", None),
    (f"SELECT id FROM jobs WHERE CASE WHEN status = 'ready' THEN {_TRY}(id) ELSE false END LIMIT 1",
     None),
    (f"SELECT id, {_TRY}(id) FROM jobs WHERE status = 'ready' ORDER BY priority LIMIT 1", None),
    (f"SELECT id, {_TRY}(id) FROM jobs GROUP BY id ORDER BY id LIMIT 1", None),
    (f"UPDATE jobs SET priority = 0 WHERE status = 'ready' RETURNING {_TRY}(id)", None),
    (f"SELECT id FROM (SELECT id FROM jobs WHERE status = 'ready' ORDER BY priority LIMIT 5) s "
     f"WHERE {_TRY}(id) LIMIT 1", None),
    (f"SELECT id FROM (SELECT id FROM jobs WHERE status = 'ready' ORDER BY priority OFFSET 0) s "
     f"WHERE {_TRY}(id) LIMIT 1", None),
    (f"WITH s AS MATERIALIZED (SELECT id FROM jobs WHERE status = 'ready' ORDER BY priority) "
     f"SELECT id FROM s WHERE {_TRY}(id) LIMIT 1", None),
    ("WITH c AS MATERIALIZED (SELECT id FROM jobs ORDER BY id LIMIT 5) "
     f"UPDATE jobs SET priority = 0 FROM c WHERE jobs.id = c.id AND {_TRY}(c.id) RETURNING 1",
     None),
    (f"SELECT id FROM jobs WHERE status = 'ready' AND {_TRY}(42) ORDER BY priority LIMIT 1", None),
]  # fmt: skip


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[Any]:
    with server.connect(server.new_database()) as connection:
        connection.execute(_TABLES)
        connection.commit()
        yield connection


@pytest.mark.parametrize(("sql", "reason"), _CASES)
def test_the_server_locks_more_than_it_returns(
    session: Any, sql: str, reason: StrayReason | None
) -> None:
    returned = len(session.execute(sql).fetchall())
    locks = session.execute(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    ).fetchone()[0]
    session.rollback()
    assert (locks > returned) == (reason is not None)


@pytest.mark.parametrize(("sql", "reason"), _CASES)
def test_the_model_says_why(sql: str, reason: StrayReason | None) -> None:
    parsed = parse(sql)
    assert isinstance(parsed, Parsed)
    found = [stray.reason for stray in stray_locks(Statement(parsed, 0))]
    assert found == ([] if reason is None else [reason])
