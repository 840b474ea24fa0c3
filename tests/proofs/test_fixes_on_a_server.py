"""What `--fix` writes, run on a live server: the same rows, and the harm is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import fix_text

if TYPE_CHECKING:
    import psycopg
    from conftest import Server

psycopg = pytest.importorskip("psycopg")

SCHEMA = """
CREATE TABLE parents (id bigint PRIMARY KEY, name text);
CREATE TABLE jobs (id bigint PRIMARY KEY, status text, kind text DEFAULT 'mail',
                   parent_id bigint REFERENCES parents);
CREATE TABLE parts (id bigint PRIMARY KEY, job_id bigint REFERENCES jobs);
CREATE INDEX ON jobs (status);
INSERT INTO parents VALUES (1, 'a'), (2, 'b');
"""
TEN = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED"


class Database:
    """A database with the schema, and connections to it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._name = server.new_database()
        self._open: list[psycopg.Connection[Any]] = []
        self.run(SCHEMA)

    def session(self, begin: bool = False) -> psycopg.Connection[Any]:
        """A connection; a wait of a fifth of a second counts as one without end."""
        made = self._server.connect(self._name, autocommit=True)
        made.execute("SET lock_timeout = 200")
        if begin:
            made.execute("BEGIN")
        self._open.append(made)
        return made

    def run(self, sql: str) -> None:
        self._server.connect(self._name, autocommit=True).execute(sql).connection.close()

    def fill(self, rows: int = 500) -> None:
        """Jobs that come in, and of which the statistics know nothing."""
        self.run(
            "INSERT INTO jobs (id, status, parent_id)"
            f" SELECT n, 'ready', 1 FROM generate_series(1, {rows}) AS n"
        )

    def close(self) -> None:
        for each in self._open:
            each.close()


@pytest.fixture
def database(server: Server) -> Iterator[Database]:
    made = Database(server)
    yield made
    made.close()


def fixed(sql: str, code: str) -> str:
    """A statement with the fixes of one rule; there is at least one."""
    done = fix_text(sql, "statement.sql", Settings(enabled=frozenset({code})), unsafe=True)
    assert {finding.rule.code for finding in done.fixed} == {code}
    return done.text


def waits(session: psycopg.Connection[Any], sql: str) -> bool:
    """Whether a statement would wait for another session."""
    try:
        session.execute(sql)
    except psycopg.errors.LockNotAvailable:
        return True
    return False


WRITES = {
    "in": f"UPDATE jobs SET status = 'run' WHERE id IN ({TEN}) RETURNING *",
    "any": f"UPDATE jobs SET status = 'run' WHERE id = ANY ({TEN}) RETURNING id",
    "row": "UPDATE jobs SET status = 'run' WHERE (id, kind) IN"
    f" ({TEN.replace('id', 'id, kind', 1)}) RETURNING *",
    "from": f"UPDATE jobs SET status = 'run' FROM ({TEN}) AS s WHERE s.id = jobs.id RETURNING *",
    "columns": f"UPDATE jobs SET status = 'run' FROM ({TEN}) AS s (n) WHERE n = id"
    " RETURNING s.n, id",
    "taken": f"UPDATE jobs SET status = 'run' FROM ({TEN}) AS parents, parents AS p"
    " WHERE parents.id = jobs.id AND p.id = jobs.parent_id RETURNING jobs.id, parents.id, p.name",
    "using": f"DELETE FROM jobs USING ({TEN}) AS s WHERE s.id = jobs.id RETURNING *",
    "merge": f"MERGE INTO jobs USING ({TEN}) AS s ON s.id = jobs.id"
    " WHEN MATCHED THEN UPDATE SET status = 'run'",
    "exists": "UPDATE jobs SET status = 'run' WHERE EXISTS"
    f" (SELECT FROM ({TEN}) AS s WHERE s.id = jobs.id) RETURNING id",
    "body": f"WITH c AS (SELECT id FROM jobs WHERE id IN ({TEN}))"
    " UPDATE jobs SET status = 'run' FROM c WHERE c.id = jobs.id RETURNING *",
    "join": f"WITH c AS (SELECT j.id FROM jobs AS j JOIN ({TEN}) AS s ON s.id = j.id)"
    " UPDATE jobs SET status = 'run' WHERE id IN (SELECT id FROM c) RETURNING id",
}


@pytest.mark.parametrize("form", WRITES)
def test_pgl101_writes_ten_rows_and_returns_the_same(database: Database, form: str) -> None:
    sql = WRITES[form]
    assert _written(database, sql) > 10
    assert _written(database, fixed(sql, "PGL101")) == 10
    assert _given(database, fixed(sql, "PGL101")) == _given(database, sql)


def _written(database: Database, sql: str) -> int:
    """How many rows a statement writes that was prepared while the queue was empty."""
    database.run("TRUNCATE jobs CASCADE")
    database.run("ANALYZE jobs")
    session = database.session()
    session.execute("SET plan_cache_mode = force_generic_plan")
    for setting in ("hashjoin", "mergejoin", "sort", "hashagg", "material"):
        session.execute(f"SET enable_{setting} = off")
    session.execute(f"PREPARE claim AS {sql}")
    session.execute("EXECUTE claim")
    database.fill()
    session.execute("EXECUTE claim")
    left = session.execute("SELECT count(*) FROM jobs WHERE status = 'ready'").fetchone()
    assert left is not None
    return 500 - int(left[0])


def _given(database: Database, sql: str) -> tuple[list[str], list[Any], list[Any]]:
    """The columns and rows that it returns with good statistics, and the rows then left ready."""
    database.run("TRUNCATE jobs CASCADE")
    database.fill()
    database.run("ANALYZE jobs")
    session = database.session()
    cursor = session.execute(sql)
    names = [column.name for column in cursor.description or ()]
    rows = sorted(cursor.fetchall()) if names else []
    left = session.execute("SELECT id FROM jobs WHERE status = 'ready' ORDER BY id").fetchall()
    return names, rows, left


@pytest.mark.parametrize("strength", ["SHARE", "KEY SHARE"])
def test_pgl104_two_sessions_get_different_rows(database: Database, strength: str) -> None:
    sql = TEN.replace("UPDATE", strength)
    database.fill()
    for text, same in ((sql, True), (fixed(sql, "PGL104"), False)):
        first, second = database.session(begin=True), database.session(begin=True)
        mine, others = first.execute(text).fetchall(), second.execute(text).fetchall()
        assert (len(mine), len(others)) == (10, 10)
        assert (mine == others) is same
        assert same or not set(mine) & set(others)
        first.execute("ROLLBACK")
        second.execute("ROLLBACK")


def test_pgl105_the_second_session_gets_the_next_rows(database: Database) -> None:
    sql = (
        f"WITH c AS ({TEN.replace(' SKIP LOCKED', '')})"
        " UPDATE jobs SET status = 'run' FROM c WHERE c.id = jobs.id"
    )
    database.fill()
    for text, harm in ((sql, True), (fixed(sql, "PGL105"), False)):
        first, second = database.session(begin=True), database.session()
        first.execute(text)
        assert waits(second, text) is harm
        first.execute("ROLLBACK")


def test_pgl201_the_rows_are_locked(database: Database) -> None:
    sql = (
        "WITH c AS (SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 10)"
        " SELECT * FROM c FOR UPDATE"
    )
    database.fill()
    for text, locks in ((sql, False), (fixed(sql, "PGL201"), True)):
        first, second = database.session(begin=True), database.session()
        assert len(first.execute(text).fetchall()) == 10
        assert waits(second, "SELECT FROM jobs WHERE id = 1 FOR UPDATE NOWAIT") is locks
        first.execute("ROLLBACK")


def test_pgl301_children_come_in_and_writers_do_not(database: Database) -> None:
    sql = (
        "WITH c AS (SELECT id FROM jobs WHERE id = 1 FOR UPDATE)"
        " UPDATE jobs SET status = 'run' FROM c WHERE c.id = jobs.id"
    )
    lock = "SELECT id FROM jobs WHERE id = 1 FOR UPDATE"
    assert fixed(sql, "PGL301") == sql.replace("FOR UPDATE", "FOR NO KEY UPDATE")
    database.fill()
    for number, harm in ((1, True), (2, False)):
        text = lock if harm else lock.replace("FOR UPDATE", "FOR NO KEY UPDATE")
        first, second = database.session(begin=True), database.session()
        first.execute(text)
        assert waits(second, f"INSERT INTO parts VALUES ({number}, 1)") is harm
        assert waits(second, "UPDATE jobs SET status = 'x' WHERE id = 1")
        first.execute(fixed(sql, "PGL301"))
        first.execute("ROLLBACK")


def test_pgl302_the_second_session_waits_where_it_holds_nothing(database: Database) -> None:
    lock = "SELECT id FROM jobs WHERE id = 1 FOR SHARE;"
    write = "UPDATE jobs SET status = 'run' WHERE id = 1;"
    script = fixed(f"BEGIN;\n{lock}\n{write}\nCOMMIT;", "PGL302")
    _, repaired, kept, _ = script.splitlines()
    assert kept == write
    database.fill()
    first, second = database.session(begin=True), database.session(begin=True)
    first.execute(lock)
    assert not waits(second, lock)
    assert waits(first, write)  # and so would the second: a deadlock
    first.execute("ROLLBACK")
    second.execute("ROLLBACK")
    first.execute("BEGIN")
    first.execute(repaired)
    assert waits(second, repaired)
    assert not waits(first, write)


def test_pgl303_what_is_joined_to_a_held_row_is_found(database: Database) -> None:
    sql = (
        "WITH c AS (SELECT j.id FROM jobs AS j JOIN parents AS p ON p.id = j.parent_id"
        " WHERE j.status = 'ready' ORDER BY j.id LIMIT 2 FOR UPDATE SKIP LOCKED)"
        " UPDATE jobs SET status = 'run' FROM c WHERE c.id = jobs.id RETURNING jobs.id"
    )
    database.fill()
    holder, worker = database.session(begin=True), database.session()
    holder.execute("SELECT FROM parents FOR UPDATE")
    assert worker.execute(sql).fetchall() == []
    assert sorted(worker.execute(fixed(sql, "PGL303")).fetchall()) == [(1,), (2,)]


def test_pgl402_rows_are_locked_in_order_of_the_key(database: Database) -> None:
    sql = "SELECT id FROM jobs WHERE kind = 'mail' FOR UPDATE"
    database.run("INSERT INTO jobs (id, kind) SELECT n, 'mail' FROM generate_series(9, 1, -1) AS n")
    session = database.session()
    session.execute("SET enable_indexscan = off")
    given = [row[0] for row in session.execute(sql)]
    assert given != sorted(given)
    assert [row[0] for row in session.execute(fixed(sql, "PGL402"))] == sorted(given)


def test_pgl703_the_server_takes_it(database: Database) -> None:
    sql = (
        "SELECT j.id, p.name FROM jobs AS j LEFT JOIN parents AS p ON p.id = j.parent_id"
        " WHERE j.id = 1 FOR UPDATE"
    )
    database.fill(1)
    session = database.session()
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="nullable side"):
        session.execute(sql)
    assert session.execute(fixed(sql, "PGL703")).fetchall() == [(1, "a")]
