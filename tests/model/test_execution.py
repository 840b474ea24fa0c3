"""Queries that are never run or read only in part: the model's word against a live server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pglint_locks.model.locks.execution import partial_read, unread_cte
from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.planner.unread import unread_item
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse

if TYPE_CHECKING:
    from tests.conftest import Server

ROWS = 10

_TABLES = """
CREATE EXTENSION pgrowlocks;
CREATE TABLE t (id int PRIMARY KEY, u_id int);
CREATE TABLE u (id int PRIMARY KEY, t_id int);
INSERT INTO t SELECT n, n FROM generate_series(1, 10) AS n;
INSERT INTO u SELECT n, n FROM generate_series(1, 10) AS n;
ANALYZE;
"""

# A statement, and how many of the ten rows of u it locks.
_CASES = [
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT 1", 0),
    ("WITH c AS MATERIALIZED (SELECT id FROM u FOR UPDATE) UPDATE t SET u_id = 0", 0),
    ("WITH c AS (SELECT id FROM u FOR UPDATE), d AS (SELECT * FROM c) SELECT 1", 0),
    ("WITH d AS (WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM c) SELECT 1", 0),
    ("WITH c AS (SELECT id FROM u FOR UPDATE), d AS (DELETE FROM t WHERE id IN (TABLE c)) SELECT 1",
     10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM c", 10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT count(*) FROM c LIMIT 1", 10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM c ORDER BY id LIMIT 1", 10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM c LIMIT 2", 2),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM c FETCH FIRST 2 ROWS ONLY", 2),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT * FROM (SELECT * FROM c) s LIMIT 2", 2),
    ("WITH c AS (SELECT id FROM u FOR UPDATE), d AS (TABLE c) SELECT * FROM d LIMIT 2", 2),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT (SELECT id FROM c LIMIT 1)", 1),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT ARRAY(SELECT id FROM c LIMIT 2)", 2),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT id FROM t WHERE EXISTS (SELECT FROM c)", 1),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT 1 WHERE NOT EXISTS (SELECT FROM c)", 1),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT id FROM t "
     "WHERE EXISTS (SELECT FROM c WHERE c.id = t.id)", 10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) SELECT id FROM t WHERE id IN (TABLE c)", 10),
    ("WITH c AS (SELECT id FROM u FOR UPDATE) "
     "SELECT (SELECT id FROM c LIMIT 1), (SELECT count(*) FROM c)", 10),
    ("SELECT s.a FROM (SELECT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) AS b "
     "FROM t) s", 0),
    ("SELECT count(*) FROM (SELECT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) AS b "
     "FROM t LIMIT 10) s", 0),
    ("SELECT s.b FROM (SELECT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) AS b "
     "FROM t) s", 10),
    ("SELECT s.a FROM (SELECT DISTINCT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) "
     "AS b FROM t) s", 10),
    ("SELECT s.a FROM (SELECT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) AS b "
     "FROM t ORDER BY b) s", 10),
    ("WITH s AS (SELECT id AS a, (SELECT id FROM u WHERE u.id = t.id FOR UPDATE) AS b FROM t) "
     "SELECT a FROM s", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT x.t_id FROM (SELECT t_id FROM u FOR UPDATE) x)"
     " s ON s.t_id = t.id", 0),
    ("SELECT t.id FROM t LEFT JOIN (SELECT x.t_id, count(*) FROM (SELECT t_id FROM u FOR UPDATE) x "
     "GROUP BY x.t_id) s ON s.t_id = t.id", 0),
    ("SELECT s.t_id FROM t LEFT JOIN (SELECT DISTINCT x.t_id FROM (SELECT t_id FROM u FOR UPDATE) "
     "x) s ON s.t_id = t.id", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT id FROM u FOR UPDATE) s ON s.id = t.id", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT * FROM (TABLE u OFFSET 0 FOR UPDATE) x (i, k))"
     " s (i, k) ON s.i = t.id AND s.k = t.u_id WHERE t.id = 2", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT * FROM (TABLE u OFFSET 0 FOR UPDATE) x (i, k))"
     " s (i, k) ON s.i = t.id + 1 AND s.k = t.u_id WHERE t.id + 1 = 2", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT x.t_id FROM (SELECT t_id FROM u FOR UPDATE) x)"
     " s ON s.t_id = t.id AND s.t_id = 2", 0),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT x.t_id FROM (SELECT t_id FROM u FOR UPDATE) x)"
     " s (id) USING (id)", 0),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT * FROM (TABLE u OFFSET 0 FOR UPDATE) x (i, k))"
     " s (id, u_id) USING (id, u_id) WHERE t.id = 2", 10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT d.id AS u_id FROM (SELECT DISTINCT x.id, x.t_id AS "
     "u_id FROM (TABLE u FOR UPDATE) x) d) s USING (u_id)", 10),
    ("SELECT t.id FROM (SELECT max(x.id) AS id FROM (TABLE u FOR UPDATE) x) m "
     "LEFT JOIN (SELECT DISTINCT id FROM u) d ON d.id = m.id RIGHT JOIN t ON t.id = m.id", 0),
    ("SELECT t.id FROM t LEFT JOIN (SELECT max(x.id) AS id FROM (TABLE u FOR UPDATE) x) m "
     "ON t.id = m.id LEFT JOIN LATERAL (SELECT DISTINCT id FROM u WHERE u.id = m.id) d "
     "ON d.id = t.id", 0),
    ("SELECT t.id FROM (SELECT max(x.id) AS id FROM (TABLE u FOR UPDATE) x) m "
     "LEFT JOIN (SELECT DISTINCT id, t_id FROM u) d ON d.t_id = m.id RIGHT JOIN t ON t.id = m.id",
     10),
    ("SELECT t.id FROM t LEFT JOIN (SELECT max(x.id) AS id FROM (TABLE u FOR UPDATE) x) m "
     "ON t.id = m.id LEFT JOIN (SELECT DISTINCT id FROM u) d ON d.id = m.id", 0),
    ("SELECT t.id FROM t LEFT JOIN (SELECT max(x.id) AS id FROM (TABLE u FOR UPDATE) x) m "
     "ON t.id = m.id LEFT JOIN (SELECT DISTINCT id, t_id FROM u) d ON d.t_id = m.id", 10),
    ("SELECT t.id FROM t, (SELECT max(m.id) FROM (SELECT id FROM t UNION ALL "
     "SELECT id FROM (TABLE u FOR UPDATE) x) m) s", 0),
    ("SELECT t.id FROM t, (SELECT max(m.id) FROM (SELECT id FROM t UNION "
     "SELECT id FROM (TABLE u FOR UPDATE) x) m) s", 10),
    ("SELECT t.id FROM t, (SELECT max(m.id) FROM (SELECT id FROM t "
     "WHERE id <> ALL (SELECT id + 10 FROM u FOR UPDATE)) m) s", 0),
    ("SELECT t.id FROM t, (SELECT max(m.id) AS id FROM (SELECT id FROM t UNION ALL "
     "SELECT id FROM (TABLE u FOR UPDATE) x) m) s WHERE s.id > 0", 10),
]  # fmt: skip


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[Any]:
    with server.connect(server.new_database()) as connection:
        connection.execute(_TABLES)
        connection.commit()
        yield connection


@pytest.mark.parametrize(("sql", "locked"), _CASES)
def test_the_server_locks_as_many_rows(session: Any, sql: str, locked: int) -> None:
    session.execute(sql)
    count = session.execute("SELECT count(*) FROM pgrowlocks('u')").fetchone()[0]
    session.rollback()
    assert count == locked


@pytest.mark.parametrize(("sql", "locked"), _CASES)
def test_the_model_says_so(sql: str, locked: int) -> None:
    parsed = parse(sql)
    assert isinstance(parsed, Parsed)
    (clause,) = locking_clauses(Statement(parsed, 0))
    never_run = (unread_cte(clause.query) or unread_item(clause.query)) is not None
    read = partial_read(clause.query)
    if locked == 0:
        assert never_run
    else:
        assert not never_run
        assert (read.rows if read else ROWS) == locked
