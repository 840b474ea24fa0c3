"""What the claim rules say, seen on a live server with two sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Server
    from psycopg import Connection

UPDATE = "UPDATE jobs SET status = 'run'"
READY = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id"
SETUP = """
CREATE EXTENSION pgrowlocks;
CREATE TABLE jobs (id int PRIMARY KEY, status text DEFAULT 'ready', priority int, queue text);
"""
FILL = """
TRUNCATE jobs;
INSERT INTO jobs SELECT n, 'ready', n, CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END
  FROM generate_series(1, 10) AS n;
ANALYZE jobs;
"""


@dataclass
class Pair:
    """Two sessions in one database of ten ready jobs; `first` holds an open transaction."""

    first: Connection[Any]
    second: Connection[Any]
    waited: bool = False

    def ids(self, sql: str) -> list[int]:
        """What the first session gets; where that is a lone SELECT it then marks the rows."""
        got = [row[0] for row in self.first.execute(sql)]
        if UPDATE not in sql:
            self.first.execute("UPDATE jobs SET status = 'run' WHERE id = ANY(%s)", [got])
        return sorted(got)

    def then(self, sql: str) -> list[tuple[Any, ...]]:
        """What the second session gets; the first commits once the second waits."""
        rows: list[tuple[Any, ...]] = []

        def run() -> None:
            rows.extend(self.second.execute(sql).fetchall())

        thread = threading.Thread(target=run)
        thread.start()
        self.waited = self._comes_to_wait(thread)
        self.first.commit()
        thread.join(10)
        assert not thread.is_alive()
        return rows if "ORDER BY priority" in sql else sorted(rows)

    def _comes_to_wait(self, thread: threading.Thread) -> bool:
        pid = self.second.info.backend_pid
        ask = "SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s"
        while thread.is_alive():
            found = self.first.execute(ask, [pid]).fetchone()
            if found is not None and found[0] == "Lock":
                return True
            time.sleep(0.01)
        return False

    def locked(self, sql: str) -> tuple[int, int]:
        """How many rows a statement returns and how many it locks."""
        returned = len(self.first.execute(sql).fetchall())
        locks = self.second.execute("SELECT count(*) FROM pgrowlocks('jobs')").fetchone()
        assert locks is not None
        return returned, locks[0]


@pytest.fixture(scope="module")
def database(server: Server) -> str:
    made = server.new_database()
    done = server.psql(SETUP, "-v", "ON_ERROR_STOP=1", database=made)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def pair(server: Server, database: str) -> Iterator[Pair]:
    with server.connect(database) as first, server.connect(database, autocommit=True) as second:
        second.execute(FILL)
        yield Pair(first, second)
        first.rollback()


# PGL103, PGL113: the same choice for everybody

CHOICES = {
    "in": f"SELECT id FROM jobs WHERE id IN ({READY} LIMIT 3) ORDER BY id",
    "array": f"SELECT id FROM jobs WHERE id = ANY(ARRAY({READY} LIMIT 3))",
    "with": f"WITH k AS ({READY} LIMIT 3) SELECT jobs.id FROM jobs JOIN k USING (id)",
    "of": f"SELECT jobs.id FROM jobs JOIN ({READY} LIMIT 3) AS k USING (id)",
    "distinct-on": "SELECT id FROM jobs WHERE id IN (SELECT DISTINCT ON (queue) id FROM jobs"
    " WHERE status = 'ready' ORDER BY queue, id)",
    "row-number": "SELECT id FROM jobs WHERE id IN (SELECT id FROM (SELECT id, row_number()"
    " OVER (ORDER BY id) AS n FROM jobs WHERE status = 'ready') AS s WHERE n <= 3)",
    "exists": f"SELECT id FROM jobs WHERE EXISTS (SELECT FROM ({READY} LIMIT 3) AS s"
    " WHERE s.id = jobs.id)",
    "min": "SELECT id FROM jobs WHERE id = (SELECT min(id) FROM jobs WHERE status = 'ready')",
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_lock_that_waits_gets_the_same_rows(pair: Pair, name: str) -> None:
    sql = f"{CHOICES[name]} FOR UPDATE OF jobs"
    first = pair.ids(sql)
    assert [row[0] for row in pair.then(sql)] == first
    assert pair.waited


@pytest.mark.parametrize("name", CHOICES)
def test_a_lock_that_skips_gets_nothing(pair: Pair, name: str) -> None:
    sql = f"{CHOICES[name]} FOR UPDATE OF jobs SKIP LOCKED"
    assert pair.ids(sql)
    assert pair.then(sql) == []
    assert not pair.waited


def test_a_lock_whose_state_is_tested_again_gets_nothing(pair: Pair) -> None:
    sql = f"SELECT id FROM jobs WHERE status = 'ready' AND id IN ({READY} LIMIT 3) FOR UPDATE"
    assert pair.ids(sql) == [1, 2, 3]
    assert pair.then(sql) == []
    assert pair.waited


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT s.id FROM ({READY} LIMIT 3) AS s FOR UPDATE SKIP LOCKED",
        f"SELECT id FROM jobs WHERE id IN ({READY} LIMIT 6) ORDER BY id LIMIT 3"
        " FOR UPDATE SKIP LOCKED",
        f"{READY} LIMIT 3 FOR UPDATE SKIP LOCKED",
        f"{READY} LIMIT 3 FOR UPDATE",  # PGL105: one at a time, but nothing is lost
    ],
)
def test_a_lock_where_the_choice_is_gets_the_next_rows(pair: Pair, sql: str) -> None:
    assert pair.ids(sql) == [1, 2, 3]
    assert pair.then(sql) == [(4,), (5,), (6,)]
    assert pair.waited == (not sql.endswith("SKIP LOCKED"))


@pytest.mark.parametrize(
    ("sql", "double"),
    [
        (f"{UPDATE} WHERE id IN ({READY} LIMIT 3)", True),
        (f"{UPDATE} WHERE id = ANY(ARRAY({READY} LIMIT 3))", True),
        (f"{UPDATE} FROM ({READY} LIMIT 3) AS k WHERE k.id = jobs.id", True),
        (f"WITH k AS ({READY} LIMIT 3) {UPDATE} FROM k WHERE k.id = jobs.id", True),
        (f"{UPDATE} WHERE queue <> 'x' AND id IN ({READY} LIMIT 3)", True),
        (f"{UPDATE} WHERE status = 'ready' AND id IN ({READY} LIMIT 3)", False),
        (f"{UPDATE} WHERE status <> 'run' AND id IN ({READY} LIMIT 3)", False),
        (
            f"{UPDATE} WHERE ctid IN (SELECT ctid FROM jobs WHERE status = 'ready'"
            " ORDER BY id LIMIT 3)",
            False,
        ),
    ],
)
def test_an_unlocked_claim_is_made_twice(pair: Pair, sql: str, double: bool) -> None:
    sql += " RETURNING jobs.id"
    assert pair.ids(sql) == [1, 2, 3]
    assert pair.then(sql) == ([(1,), (2,), (3,)] if double else [])


# PGL104


@pytest.mark.parametrize("strength", ["SHARE", "KEY SHARE", "NO KEY UPDATE"])
def test_shared_claims_are_shared(pair: Pair, strength: str) -> None:
    sql = f"{READY} LIMIT 3 FOR {strength} SKIP LOCKED"
    pair.first.execute(sql)
    shared = strength != "NO KEY UPDATE"
    assert [row[0] for row in pair.second.execute(sql)] == ([1, 2, 3] if shared else [4, 5, 6])


# PGL108


def test_rows_keep_the_place_they_had_before_the_wait(pair: Pair) -> None:
    pair.first.execute("UPDATE jobs SET priority = 100 WHERE id = 1")
    rows = pair.then("SELECT id, priority FROM jobs ORDER BY priority LIMIT 3 FOR UPDATE")
    assert rows == [(1, 100), (2, 2), (3, 3)]


# PGL109, PGL112: returned and locked


@pytest.mark.parametrize(
    ("sql", "returned", "locked"),
    [
        ("SELECT * FROM (SELECT id, priority FROM jobs FOR UPDATE) s ORDER BY 2 LIMIT 3", 3, 10),
        ("SELECT * FROM (SELECT id FROM jobs ORDER BY id FOR UPDATE) s ORDER BY 1 LIMIT 3", 3, 10),
        ("SELECT DISTINCT queue FROM (SELECT queue FROM jobs FOR UPDATE) s LIMIT 1", 1, 10),
        ("SELECT id FROM (SELECT id FROM jobs FOR UPDATE) s UNION SELECT 99 LIMIT 3", 3, 10),
        ("WITH c AS (SELECT id FROM jobs FOR UPDATE) SELECT * FROM c ORDER BY id LIMIT 3", 3, 10),
        ("SELECT * FROM (SELECT id FROM jobs OFFSET 0) s ORDER BY id LIMIT 3 FOR UPDATE", 3, 10),
        ("SELECT * FROM (SELECT id FROM jobs LIMIT 6 FOR UPDATE) s ORDER BY id LIMIT 3", 3, 6),
        ("SELECT * FROM (SELECT id FROM jobs) s ORDER BY id LIMIT 3 FOR UPDATE", 3, 3),
        ("SELECT * FROM (SELECT id FROM jobs ORDER BY id FOR UPDATE) s LIMIT 3", 3, 3),
        ("WITH c AS (SELECT id FROM jobs FOR UPDATE) SELECT * FROM c LIMIT 3", 3, 3),
        ("SELECT id FROM (SELECT id FROM jobs FOR UPDATE) s UNION ALL SELECT 99 LIMIT 3", 3, 3),
        ("SELECT id FROM jobs ORDER BY id FETCH FIRST 3 ROWS WITH TIES FOR UPDATE", 3, 4),
        ("SELECT id FROM jobs ORDER BY id FETCH FIRST 3 ROWS ONLY FOR UPDATE", 3, 3),
    ],
)
def test_how_many_are_locked(pair: Pair, sql: str, returned: int, locked: int) -> None:
    assert pair.locked(sql) == (returned, locked)


# PGL111


@pytest.mark.parametrize(("column", "changed"), [("ctid", 2), ("id", 3)])
@pytest.mark.parametrize("write", ["UPDATE", "DELETE", "array"])
def test_a_row_that_moved_is_missed_by_ctid(
    pair: Pair, column: str, changed: int, write: str
) -> None:
    picked = f"SELECT {column} AS c FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 3 FOR UPDATE"
    sql = {
        "UPDATE": f"WITH k AS ({picked}) {UPDATE} FROM k WHERE k.c = jobs.{column}",
        "DELETE": f"WITH k AS ({picked}) DELETE FROM jobs USING k WHERE k.c = jobs.{column}",
        "array": f"DELETE FROM jobs WHERE {column} = ANY(ARRAY({picked}))",
    }[write]
    pair.first.execute("UPDATE jobs SET priority = 7 WHERE id = 1")
    assert len(pair.then(f"{sql} RETURNING jobs.id")) == changed
