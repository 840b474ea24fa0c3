"""What we say of refused statements, against what a live server says: word for word."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pglast.parser import get_postgresql_version
from proofs.harness import scratch_database

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity
from pglint_locks.sql.split import split
from pglint_locks.testing.fixtures import schema_lines, schema_of

_numbers = itertools.count(1)

FIXTURES = Path(__file__).parents[1] / "fixtures"

SCHEMA = """
CREATE TABLE jobs (
    id int PRIMARY KEY, user_id int, queue text, status text, attempts int, priority int,
    locked_by text, payload jsonb
);
CREATE TABLE users (
    id int PRIMARY KEY, age int, name text, active boolean, tags int[]
);
CREATE TABLE queues (id int PRIMARY KEY, queue text, name text, depth int);
CREATE TABLE entries (id int);
CREATE TABLE dice (id int, "group by" int);
CREATE SCHEMA archive;
CREATE TABLE archive.jobs (LIKE jobs);
CREATE FUNCTION is_adult(int) RETURNS boolean STRICT LANGUAGE sql AS 'SELECT $1 > 17';
INSERT INTO jobs (id, user_id) SELECT n, n FROM generate_series(1, 20) AS n;
INSERT INTO users (id) SELECT n FROM generate_series(1, 20) AS n;
"""

# In a transaction that has failed, each further statement is only told that it has.
_IN_FAILED_TRANSACTION = "25P02"


def fixture_files() -> list[Path]:
    """The fixtures of the rules that repeat the server's words."""
    found = (path for path in FIXTURES.glob("PGL70[1-7]/*/*.sql"))
    return sorted(path for path in found if path.stem != "foreign-table")  # another server refuses


@pytest.fixture(scope="module")
def database(scratch: str) -> Iterator[str]:
    """A database that holds the fixtures' tables."""
    with scratch_database(scratch) as made:
        with psycopg.connect(made) as connection:
            major, ours = connection.info.server_version // 10000, get_postgresql_version()[0]
            if major != ours:  # another grammar, and a planner that reduces other outer joins
                pytest.skip(f"what we say is what PostgreSQL {ours} says, not {major}")
            connection.execute(SCHEMA)
        yield made


@pytest.fixture
def session(database: str) -> Iterator[psycopg.Connection[Any]]:
    """A session that makes what it makes in a schema of its own."""
    schema = f"test_{next(_numbers)}"
    options = f"-c search_path={schema},public"
    with psycopg.connect(database, autocommit=True, options=options) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        yield connection


@pytest.mark.parametrize(
    "path", fixture_files(), ids=lambda path: path.relative_to(FIXTURES).as_posix()
)
def test_the_server_says_what_we_say(path: Path, session: psycopg.Connection[Any]) -> None:
    script = path.read_text(encoding="utf-8-sig")
    session.execute("\n".join(schema_lines(script)))
    assert refusals_of_server(script, session) == our_refusals(script)


def refusals_of_server(script: str, session: psycopg.Connection[Any]) -> list[tuple[str, str]]:
    """The errors that a script meets, statement by statement: message and SQLSTATE."""
    met: list[tuple[str, str]] = []
    for chunk in split(script).chunks:
        try:
            cursor = session.cursor()
            if chunk.first_words[:1] == ("copy",):
                with cursor.copy(chunk.text) as copy:
                    list(copy)
            else:
                cursor.execute(chunk.text.encode(), prepare=False)
        except psycopg.Error as error:
            if error.sqlstate != _IN_FAILED_TRANSACTION:
                met.append((str(error.diag.message_primary), str(error.sqlstate)))
    return met


def our_refusals(script: str) -> list[tuple[str, str]]:
    """The errors that we foretell, the first one of each statement."""
    run = lint_text(script, "fixture.sql", Settings(), schema_of(script))
    said: dict[int, tuple[str, str]] = {}
    starts = [chunk.span for chunk in split(script).chunks]
    for finding in run.findings:
        if finding.sqlstate is not None and finding.severity is Severity.ERROR:
            place = next(i for i, span in enumerate(starts) if span.touches(finding.span))
            said.setdefault(place, (finding.message, finding.sqlstate))
    return [said[place] for place in sorted(said)]
