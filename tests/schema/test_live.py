"""The catalogue of a live server, and sessions that end without it."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest
from servers import Server

from pglint_locks import cli
from pglint_locks.errors import UsageError
from pglint_locks.schema import live
from pglint_locks.schema import session as sessions
from pglint_locks.schema.catalog import Relation, RelationKind
from pglint_locks.schema.live import live_catalog, read_catalog
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Trust
from pglint_locks.schema.session import Session, server_name, without_secrets

SECRET = "s3cr/t@p:ss w%rd"
TABLES = """
CREATE TABLE jobs (id int PRIMARY KEY, status text NOT NULL, email text);
CREATE UNIQUE INDEX ON jobs (lower(email)) WHERE status <> 'done';
CREATE TABLE runs (job int REFERENCES jobs, at timestamptz DEFAULT now());
CREATE VIEW ready AS SELECT id FROM jobs WHERE status = 'ready';
CREATE SCHEMA app;
CREATE TABLE app.own (id int PRIMARY KEY);
"""
LOCK = "SELECT id FROM jobs WHERE id = 1 FOR UPDATE;\n"


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_read", {})


@pytest.fixture(scope="module")
def database(server: Server) -> str:
    """The connection string of a database with some tables."""
    name = server.new_database()
    assert server.psql(TABLES, "-v", "ON_ERROR_STOP=1", database=name).returncode == 0
    return server.dsn(name)


@pytest.fixture(scope="module")
def guarded(server: Server) -> Iterator[Callable[[str], str]]:
    """URLs of a database, with a password, that a role without any rights has to give."""
    name = server.new_database()
    script = f"""
    {TABLES}
    CREATE ROLE guarded LOGIN PASSWORD '{SECRET}';
    REVOKE ALL ON SCHEMA public, app FROM PUBLIC;
    ALTER DATABASE {name} SET search_path = app, "$user", public;
    """
    assert server.psql(script, "-v", "ON_ERROR_STOP=1", database=name).returncode == 0
    rules = server.host / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all guarded scram-sha-256\n{before}")
    assert server.psql("SELECT pg_reload_conf();").returncode == 0

    def url(password: str) -> str:
        host = quote(str(server.host), safe="")
        return f"postgresql://guarded:{quote(password, safe='')}@/{name}?host={host}"

    yield url
    rules.write_text(before)
    server.psql(f"SELECT pg_reload_conf(); DROP DATABASE {name} WITH (FORCE); DROP ROLE guarded;")


def found(url: str, name: str, schema: str = "public") -> Relation:
    relation = live_catalog(url).find(TableName(schema, name))
    assert relation is not None
    return relation


def test_relations_are_as_the_server_has_them(database: str) -> None:
    jobs = found(database, "jobs")
    assert jobs.origin.trust is Trust.SERVER
    assert jobs.primary_key == ("id",)
    assert [(each.name, each.type, each.not_null) for each in jobs.columns] == [
        ("id", "integer", True),
        ("status", "text", True),
        ("email", "text", False),
    ]
    by_email = next(index for index in jobs.indexes if not index.primary)
    assert by_email.unique
    assert by_email.keys[0].expression == "lower(email)"
    assert by_email.predicate == "(status <> 'done'::text)"
    catalog = live_catalog(database)
    assert catalog.is_closed
    assert [str(each.holder.name) for each in catalog.references_to(jobs)] == ["public.runs"]
    view = found(database, "ready")
    assert view.kind is RelationKind.VIEW
    assert view.view_query is not None
    assert "FROM public.jobs" in view.view_query
    assert not view.view_query.endswith(";")


def test_a_server_is_read_once(database: str) -> None:
    assert live_catalog(database) is live_catalog(database)


def test_a_role_without_rights_reads_all(guarded: Callable[[str], str]) -> None:
    catalog = live_catalog(guarded(SECRET))
    assert {str(name) for name in catalog.relations} == {
        *("app.own", "public.jobs", "public.ready", "public.runs")
    }
    assert "public" not in catalog.search_path  # it may not use what is in there


def test_the_search_path_is_the_sessions(server: Server) -> None:
    name = server.new_database()
    script = f"{TABLES} ALTER DATABASE {name} SET search_path = app, nowhere, public;"
    server.psql(script, database=name)
    assert live_catalog(server.dsn(name)).search_path == ("app", "public")


def test_nothing_can_be_written_and_nothing_is_left_open(database: str) -> None:
    import psycopg

    session = Session(database)
    with session.transaction() as connection:
        shown = [
            connection.execute(f"SHOW {name}".encode()).fetchone()
            for name in ("transaction_read_only", "lock_timeout", "statement_timeout")
        ]
        assert shown == [("on",), ("2s",), ("15s",)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("CREATE TABLE mine ()")
    with session.transaction() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert connection.info.transaction_status.name == "IDLE"
    session.close()
    assert connection.closed


def test_a_table_that_is_being_changed_is_waited_for_a_while_only(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = server.new_database()
    server.psql(TABLES, database=name)
    monkeypatch.setattr(sessions, "_BEGIN", sessions._BEGIN.replace("'2s'", "'50ms'"))
    with server.connect(name) as other:
        other.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
        session = Session(server.dsn(name))
        with pytest.raises(UsageError, match=r"cannot be read: .*lock timeout"):
            read_catalog(session)
        session.close()


# --- what is said of a server that does not answer ----------------------------------


class Done(NamedTuple):
    """How a command line ended."""

    returncode: int
    stdout: str
    stderr: str


Tool = Callable[..., Done]


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    """Runs the command line in a folder that holds `a.sql`, with more variables."""
    (tmp_path / "a.sql").write_text(LOCK)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **variables: str) -> Done:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            return Done(cli.run(arguments), *capsys.readouterr())

    return run


FORMS = {
    "URL": lambda word: f"postgresql://guarded:{quote(word, safe='')}@{{host}}/test",
    "URL with a query": lambda word: (
        f"postgres://{{host}}/test?user=guarded&password={quote(word, safe='')}"
    ),
    "pairs": lambda word: f"host={{host}} user=guarded password='{word}'",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("word", [SECRET, "guarded", "x", "pässwörd"])
def test_a_server_that_is_down(tool: Tool, form: str, word: str) -> None:
    url = FORMS[form](word).format(host="127.0.0.1:1" if "URL" in form else "127.0.0.1")
    if form == "pairs":
        url += " port=1"
    for arguments in (["check", "-v", "a.sql"], ["schema", "dump"]):
        done = tool(*arguments, PGLINT_LOCKS_DATABASE_URL=url)
        assert done.returncode == 2
        assert "cannot be reached" in done.stderr
        assert "127.0.0.1:1" in done.stderr
        assert "check that it runs" in done.stderr
        for secret in {word, quote(word, safe="")} - {"x"}:
            assert secret not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_wrong_password(tool: Tool, guarded: Callable[[str], str]) -> None:
    done = tool("check", "-v", "--database-url", guarded("no/t it"), "a.sql")
    assert done.returncode == 2
    assert "password authentication failed" in done.stderr
    assert "no/t it" not in done.stderr
    assert "no%2Ft" not in done.stderr


def test_a_database_that_does_not_exist(tool: Tool, server: Server) -> None:
    done = tool("check", "--database-url", server.dsn("nowhere"), "a.sql")
    assert done.returncode == 2
    assert 'database "nowhere" does not exist' in done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://guarded:hidden@word@localhost/test",
        "postgresql://guarded:hidden/word@localhost/test",
        "postgresql://guarded:hidden?word@localhost/test",
        "postgresql://guarded:hidden#word@localhost/test",
        "postgresql+psycopg://guarded:hidden@localhost/test",
        "mysql://guarded:hidden@localhost/test",
        "host=localhost password='hidden",
        "guarded:hidden",
        "postgresql://guarded:hidden@localhost/test?nothing=1",
        "postgresql://guarded:hidden%zz@localhost/test",
    ],
)
def test_what_is_no_url_is_not_repeated(tool: Tool, url: str) -> None:
    for done in (
        tool("check", "-v", "--database-url", url, "a.sql"),
        tool("check", "-v", "a.sql", PGLINT_LOCKS_DATABASE_URL=url),
    ):
        assert done.returncode == 2
        assert "--database-url" in done.stderr
        assert "hidden" not in done.stdout + done.stderr
        assert "word" not in done.stderr.replace("password", "")


def test_a_url_that_is_given_as_a_path_shows_no_password(tool: Tool) -> None:
    for arguments in (["check"], [], ["check", "--output-file"], ["config"]):
        done = tool(*arguments, "postgresql://guarded:hidden@localhost/test")
        assert done.returncode == 2
        assert "hidden" not in done.stdout + done.stderr


def test_the_settings_that_are_printed_have_no_url(tool: Tool) -> None:
    url = "postgresql://guarded:hidden@localhost/test"
    done = tool("config", PGLINT_LOCKS_DATABASE_URL=url)
    assert done.returncode == 0
    assert "hidden" not in done.stdout + done.stderr


def test_a_url_stands_in_no_file(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "pglint-locks.toml").write_text('database-url = "postgresql://u:hidden@h/d"\n')
    done = tool("check")
    assert done.returncode == 2
    assert "or as PGLINT_LOCKS_DATABASE_URL" in done.stderr
    assert "hidden" not in done.stderr


def test_psycopg_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without_psycopg(name: str, *rest: object) -> object:
        if name.startswith("psycopg"):
            raise ImportError(name)
        return load(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_psycopg)
    with pytest.raises(UsageError, match=r"pip install 'pglint-locks\[db\]'"):
        live_catalog("postgresql://localhost/test")


@pytest.mark.parametrize(
    ("text", "secrets", "shown"),
    [
        ("the word hidden", {"hidden"}, "the word ***"),
        ("a cat sat", {"a"}, "*** cat sat"),
        ("see postgres://u:any thing@h", set(), "see postgres://u:any thing@h"),
        ("see postgres://u:pw@h/d", set(), "see postgres://u:***@h/d"),
        ("see https://example.org/a:b@c", set(), "see https://example.org/a:b@c"),
    ],
)
def test_what_is_left_of_a_message(text: str, secrets: set[str], shown: str) -> None:
    assert without_secrets(text, secrets) == shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://u:p@db.example:5433/app", "database app on db.example:5433"),
        ("host=/run/pg dbname=app password=p", "database app on /run/pg"),
        ("postgresql://u@/", "database u on the local socket"),
        ("postgresql://u:app@h/app", "database *** on h"),
    ],
)
def test_what_a_server_is_called(url: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGHOSTADDR", "PGPASSWORD"):
        monkeypatch.delenv(variable, raising=False)
    assert server_name(url) == name
