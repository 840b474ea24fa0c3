"""Plans are asked of a server in safety: nothing is run, nothing stays, refusals are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from servers import Server

from pglint_locks import cli
from pglint_locks.errors import UsageError
from pglint_locks.schema import live, planner
from pglint_locks.schema import session as sessions
from pglint_locks.schema.planner import Planner
from pglint_locks.schema.plans import PlanNode, locks_of

TABLES = """
CREATE TABLE jobs (id int PRIMARY KEY, status text, created_at timestamptz);
CREATE TABLE seen (n int);
CREATE SEQUENCE numbers;
CREATE FUNCTION noted(n int) RETURNS int LANGUAGE sql VOLATILE
    AS 'INSERT INTO seen VALUES (n) RETURNING n';
CREATE FUNCTION noted_stable(n int) RETURNS int LANGUAGE plpgsql STABLE
    AS 'BEGIN INSERT INTO seen VALUES (n); RETURN n; END';
INSERT INTO jobs SELECT n, 'done', now() FROM generate_series(1, 60000) AS n;
CREATE INDEX ON jobs (created_at) WHERE status = 'ready';
ANALYZE;
INSERT INTO jobs SELECT n, 'ready', now() FROM generate_series(60001, 60300) AS n;
"""
CLAIM = "SELECT id FROM jobs WHERE status = $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED"


@pytest.fixture(scope="module")
def database(server: Server) -> str:
    """The name of a database with a queue in it."""
    name = server.new_database()
    assert server.psql(TABLES, "-v", "ON_ERROR_STOP=1", database=name).returncode == 0
    return name


@pytest.fixture
def asked(server: Server, database: str) -> Iterator[Planner]:
    made = Planner(server.dsn(database))
    yield made
    made.close()


@pytest.fixture(params=["EXPLAIN (GENERIC_PLAN)", "EXPLAIN EXECUTE"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks as servers from 16 on are asked, and as older ones are."""
    if request.param == "EXPLAIN EXECUTE":
        monkeypatch.setattr(planner, "_HAS_GENERIC_PLAN", 10**9)


def value(server: Server, database: str, query: str) -> str:
    return server.psql(query, "-At", database=database).stdout.strip()


def kinds(plan: PlanNode | str) -> list[str]:
    assert isinstance(plan, PlanNode), plan
    return [node.kind for node in plan.nodes()]


@pytest.mark.usefixtures("either")
def test_the_generic_plan_of_a_statement_with_parameters(asked: Planner) -> None:
    plan = asked.plan(CLAIM)
    assert kinds(plan) == ["Limit", "LockRows", "Sort", "Seq Scan"]
    assert isinstance(plan, PlanNode)
    (lock,) = locks_of(plan)
    assert lock.tables == {"jobs"}
    assert lock.is_sorted
    (scan,) = (node for node in plan.nodes() if node.relation)
    assert scan.has_filter
    assert scan.cost > 1000
    assert asked.plan(CLAIM) is plan
    assert kinds(asked.plan(CLAIM.replace("$1", "'ready'").replace("$2", "$1"))) == [
        "Limit",
        "LockRows",
        "Index Scan",
    ]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE jobs SET status = noted(id)::text WHERE id = nextval('numbers') RETURNING id",
        "DELETE FROM jobs WHERE noted(id) = $1",
        "INSERT INTO seen SELECT id FROM jobs FOR UPDATE",
        "SELECT noted(1), nextval('numbers') FROM jobs FOR UPDATE",
        "SELECT id FROM jobs WHERE id = noted_stable(1) FOR UPDATE",
        "WITH gone AS (DELETE FROM jobs RETURNING id) SELECT id FROM gone",
    ],
)
def test_nothing_is_run(asked: Planner, server: Server, database: str, sql: str) -> None:
    asked.plan(sql)
    told = value(
        server,
        database,
        "SELECT (SELECT count(*) FROM jobs), (SELECT count(*) FROM seen), is_called FROM numbers",
    )
    assert told == "60300|0|f"


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; DROP TABLE jobs",
        "SELECT 'a\\'; DROP TABLE jobs; --'",
        "SELECT id FROM jobs FOR UPDATE; COMMIT; DELETE FROM jobs",
    ],
)
def test_one_statement_a_message(asked: Planner, server: Server, database: str, sql: str) -> None:
    server.psql(f"ALTER DATABASE {database} SET standard_conforming_strings = off;")
    told = asked.plan(sql)
    server.psql(f"ALTER DATABASE {database} RESET standard_conforming_strings;")
    assert isinstance(told, str) or kinds(told) == ["Result"]
    assert value(server, database, "SELECT count(*) FROM jobs") == "60300"


@pytest.mark.usefixtures("either")
def test_no_lock_stays(asked: Planner, server: Server, database: str) -> None:
    asked.plan(CLAIM)
    query = (
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE application_name = 'pglint-locks' AND locktype = 'relation'"
    )
    assert value(server, database, query) == "0"
    query = "SELECT state FROM pg_stat_activity WHERE application_name = 'pglint-locks'"
    assert value(server, database, query) == "idle"


@pytest.mark.usefixtures("either")
def test_what_the_server_refuses_is_told_in_its_words(asked: Planner) -> None:
    assert asked.plan("SELECT * FROM nowhere FOR UPDATE") == 'relation "nowhere" does not exist'
    assert asked.plan("SELECT $1 || $2 FROM jobs FOR UPDATE") != ""
    assert "FOR UPDATE" in str(asked.plan("SELECT count(*) FROM jobs FOR UPDATE"))
    assert kinds(asked.plan("SELECT id FROM jobs FOR UPDATE")) == ["LockRows", "Seq Scan"]


def test_a_table_that_is_held_is_waited_for_a_while_only(
    asked: Planner, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_BEGIN", sessions._BEGIN.replace("'2s'", "'50ms'"))
    with server.connect(database) as other:
        other.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
        assert asked.plan(CLAIM) == "canceling statement due to lock timeout"


def test_a_server_that_goes_away_ends_the_run(server: Server) -> None:
    name = server.new_database()
    asked = Planner(server.dsn(name))
    asked.plan("SELECT 1")
    server.psql(f"DROP DATABASE {name} WITH (FORCE);")
    with pytest.raises(UsageError, match="--database-url: database test_"):
        asked.plan("SELECT 2")
    asked.close()


# --- in a run -----------------------------------------------------------------------


class Done(NamedTuple):
    """How a command line ended."""

    status: int
    output: str
    errors: str


Check = Callable[..., Done]


@pytest.fixture
def check(
    server: Server,
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Check:
    """Checks a file with the plans of the server."""
    monkeypatch.setattr(live, "_read", {})
    monkeypatch.chdir(tmp_path)

    def run(text: str, *more: str, name: str = "a.sql", url: str = server.dsn(database)) -> Done:
        Path(name).write_text(text)
        arguments = ["check", "--isolated", "--explain", "--database-url", url, *more, name]
        return Done(cli.run(arguments), *capsys.readouterr())

    return run


def test_findings_say_that_the_plan_confirms_them(check: Check) -> None:
    done = check(
        "UPDATE jobs SET status = 'running' WHERE status = 'ready' AND id IN (SELECT id FROM jobs"
        " WHERE status = 'ready' ORDER BY id LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED);\n"
        "WITH a AS (SELECT * FROM jobs) SELECT * FROM a FOR UPDATE;\n"
        "SELECT * FROM generate_series(1, 2) FOR UPDATE;\n"
        "SELECT id FROM jobs WHERE status = 'new' ORDER BY created_at LIMIT 1"
        " FOR UPDATE SKIP LOCKED;\n"
    )
    assert done.status == 1
    seen = [line.strip() for line in done.output.splitlines() if "= seen" in line]
    assert seen == [
        "= seen: this server's plan has it on the inner side of a Nested Loop, with nothing that "
        "keeps its rows",
        "= seen: no table stands below a LockRows of this server's plan",  # of both, said once
        "= seen: this server's plan has a Seq Scan on jobs for it",
    ]
    assert done.errors.startswith("The server planned 4 of 4 statements that lock.\n")


def test_what_is_not_planned_is_told(check: Check) -> None:
    text = (
        "SELECT id FROM nowhere WHERE id = 1 FOR UPDATE;\n"
        "SELECT id FROM {{ table }} WHERE id = 1 FOR UPDATE;\n\n"
        "SELECT id FROM jobs WHERE id = :id FOR UPDATE;\n"
        "SELECT id FROM jobs;\n"
    )
    done = check(text, "-v")
    assert done.status == 0
    assert 'a.sql:1: no plan: relation "nowhere" does not exist\n' in done.errors
    assert "a.sql:2: no plan: it is not known whole\n" in done.errors
    assert "a.sql:4" not in done.errors
    assert "The server planned 1 of 3 statements that lock; -v tells of the others." in done.errors
    assert "no plan" not in check(text).errors


def test_the_rights_of_the_statement_are_needed(
    check: Check, server: Server, database: str
) -> None:
    server.psql("CREATE ROLE reader LOGIN; GRANT SELECT ON jobs TO reader;", database=database)
    url = server.dsn(database).replace("user=postgres", "user=reader")
    done = check("SELECT id FROM jobs WHERE id = 1 FOR UPDATE;\n", "-v", url=url)
    server.psql("DROP OWNED BY reader; DROP ROLE reader;", database=database)
    assert done.status == 0
    assert "a.sql:1: no plan: permission denied for table jobs\n" in done.errors


def test_statements_of_a_function_are_planned_with_its_variables(check: Check) -> None:
    done = check(
        "CREATE FUNCTION claim(kind text) RETURNS int LANGUAGE plpgsql AS $$\n"
        "DECLARE found_id int; row record;\n"
        "BEGIN\n"
        "  SELECT id INTO found_id FROM jobs WHERE status = kind ORDER BY created_at LIMIT 1\n"
        "     FOR UPDATE SKIP LOCKED;\n"
        "  PERFORM 1 FROM jobs WHERE id = row.id FOR UPDATE;\n"
        "  RETURN found_id;\n"
        "END $$;\n",
        "-v",
    )
    assert "The server planned 2 of 2 statements that lock.\n" in done.errors
    assert "[PGL803]" in done.output


def test_a_server_is_what_plans_are_asked_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["check", "--explain"]) == 2
    assert "--explain asks a server for plans: give --database-url too" in capsys.readouterr().err
