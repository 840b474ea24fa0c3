"""A script's transactions: where they begin and end, their modes, what follows what."""

from __future__ import annotations

import pytest
from conftest import Server

from pglint_locks.model.statements.statement import Statement
from pglint_locks.model.statements.timeline import Timeline, read_timeline
from pglint_locks.model.statements.transactions import Frame, Transaction
from pglint_locks.sql.parse import Parsed
from pglint_locks.sql.script import ParsedScript


def timeline_of(script: str, inside: bool = False) -> tuple[Timeline, dict[int, Statement]]:
    """A script's timeline, and all of its statements joined to it."""
    parsed = ParsedScript.of_text(script)
    results = [parsed.result(index) for index in range(len(parsed.chunks))]
    assert all(isinstance(result, Parsed) for result in results)
    timeline = read_timeline(
        parsed.chunks,
        lambda index: result.node if isinstance(result := results[index], Parsed) else None,
        inside,
    )
    statements = {
        index: Statement(result, parsed.chunks[index].span.start)
        for index, result in enumerate(results)
        if isinstance(result, Parsed)
    }
    timeline.join(statements)
    return timeline, statements


def selects_of(script: str, inside: bool = False) -> list[Statement]:
    """The SELECT statements of a script."""
    _, statements = timeline_of(script, inside)
    return [each for each in statements.values() if type(each.node).__name__ == "SelectStmt"]


def words_of(statements: tuple[Statement, ...]) -> list[str]:
    return [statement.words(statement.span) for statement in statements]


def last(script: str) -> Transaction:
    return selects_of(script)[-1].transaction


@pytest.mark.parametrize(
    ("script", "frames"),
    [
        ("SELECT 1;", "a"),
        ("BEGIN; SELECT 1; COMMIT; SELECT 2;", "ba"),
        ("START TRANSACTION; SELECT 1; END; SELECT 2;", "ba"),
        ("BEGIN; SELECT 1; ROLLBACK; SELECT 2;", "ba"),
        ("BEGIN; SELECT 1; ABORT WORK; SELECT 2;", "ba"),
        ("BEGIN; SELECT 1; PREPARE TRANSACTION 'x'; SELECT 2; COMMIT PREPARED 'x'; SELECT 3;",
         "baa"),
        ("BEGIN; SELECT 1; COMMIT AND CHAIN; SELECT 2; COMMIT AND NO CHAIN; SELECT 3;", "bba"),
        ("BEGIN; SAVEPOINT s; SELECT 1; ROLLBACK TO s; SELECT 2; RELEASE s; SELECT 3;", "bbb"),
        ("BEGIN; BEGIN; SELECT 1; COMMIT; SELECT 2;", "ba"),
        ("COMMIT; SELECT 1; ROLLBACK;", "a"),
        ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END; SELECT 1;", "a"),
    ],
)  # fmt: skip
def test_blocks_begin_and_end(script: str, frames: str) -> None:
    found = [each.transaction.frame for each in selects_of(script)]
    assert found == [{"a": Frame.AUTOCOMMIT, "b": Frame.BLOCK}[frame] for frame in frames]


def test_a_file_that_runs_inside_a_transaction_is_one_block() -> None:
    first, second = selects_of("SELECT 1; BEGIN; SELECT 2;", inside=True)
    assert first.transaction.frame is second.transaction.frame is Frame.BLOCK
    assert words_of(first.later) == ["SELECT 2"]
    assert not first.transaction.is_first


def test_later_statements_are_those_of_the_transaction() -> None:
    first, second, third = selects_of("BEGIN; SELECT 1; SELECT 2; COMMIT AND CHAIN; SELECT 3;")
    assert words_of(first.later) == ["SELECT 2"]
    assert words_of(second.earlier) == ["SELECT 1"]
    assert (second.later, third.later, third.earlier) == ((), (), ())
    assert words_of(first.transaction.statements) == ["SELECT 1", "SELECT 2"]


def test_what_a_savepoint_releases_is_not_held_later() -> None:
    script = (
        "BEGIN; SELECT 1; SAVEPOINT s; SELECT 2; SELECT 3; ROLLBACK TO SAVEPOINT s; SELECT 4;"
        "SAVEPOINT t; SELECT 5; RELEASE t; SELECT 6; COMMIT;"
    )
    later = [words_of(each.later) for each in selects_of(script)]
    assert [[int(words[-1]) for words in each] for each in later] == [
        [2, 3, 4, 5, 6], [3], [], [5, 6], [6], [],
    ]  # fmt: skip


def test_an_inner_savepoint_of_the_same_name_is_the_one_meant() -> None:
    script = (
        "BEGIN; SAVEPOINT s; SELECT 1; SAVEPOINT s; SELECT 2; ROLLBACK TO s; SELECT 3;"
        "RELEASE s; ROLLBACK TO s; SELECT 4; COMMIT;"
    )
    later = [words_of(each.later) for each in selects_of(script)]
    assert [[int(words[-1]) for words in each] for each in later] == [[2, 3], [], [], []]


# The server is asked for the same: `SHOW` in place of the last SELECT.
SCRIPTS = [
    "SELECT 1;",
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SELECT 1;",
    "BEGIN READ ONLY, ISOLATION LEVEL SERIALIZABLE, READ WRITE; SELECT 1;",
    "START TRANSACTION READ ONLY; SET TRANSACTION READ WRITE; SELECT 1;",
    "BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET TRANSACTION READ ONLY; SELECT 1;",
    "BEGIN; SET transaction_isolation = 'repeatable read'; SELECT 1;",
    "BEGIN; SET LOCAL transaction_read_only TO t; SELECT 1;",
    "SET TRANSACTION READ ONLY; SELECT 1;",
    "BEGIN READ ONLY; COMMIT; SELECT 1;",
    "BEGIN READ ONLY; COMMIT AND CHAIN; SELECT 1;",
    "BEGIN ISOLATION LEVEL SERIALIZABLE; ROLLBACK AND CHAIN; SELECT 1;",
    "BEGIN ISOLATION LEVEL SERIALIZABLE; COMMIT AND CHAIN; COMMIT; BEGIN; SELECT 1;",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1;",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; BEGIN; SELECT 1;",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; BEGIN READ WRITE; SELECT 1;",
    "SET default_transaction_isolation TO 'serializable'; BEGIN; SELECT 1;",
    "SET default_transaction_isolation = serializable; SET default_transaction_isolation TO"
    " DEFAULT; SELECT 1;",
    "SET default_transaction_read_only = on; RESET default_transaction_read_only; SELECT 1;",
    "SET default_transaction_read_only = 1; RESET ALL; SELECT 1;",
    "SET default_transaction_read_only = yes; DISCARD ALL; SELECT 1;",
    "SET default_transaction_read_only = off; SELECT 1;",
    "BEGIN; SET default_transaction_read_only = on; SELECT 1;",
    "BEGIN; SET default_transaction_read_only = on; COMMIT; SELECT 1;",
    "BEGIN; SET default_transaction_read_only = on; ROLLBACK; SELECT 1;",
    "BEGIN; SET LOCAL default_transaction_read_only = on; COMMIT; SELECT 1;",
    "BEGIN; SAVEPOINT s; SET TRANSACTION READ ONLY; SELECT 1;",
    "BEGIN; SAVEPOINT s; SET TRANSACTION READ ONLY; ROLLBACK TO s; SELECT 1;",
    "BEGIN; SAVEPOINT s; SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; ROLLBACK TO s;"
    " COMMIT; SELECT 1;",
    "BEGIN; SAVEPOINT s; SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; RELEASE s;"
    " COMMIT; SELECT 1;",
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_modes_are_those_of_the_server(script: str, server: Server) -> None:
    shown = script.removesuffix("SELECT 1;")
    names = ("transaction_isolation", "transaction_read_only")
    answers = [
        server.psql(f"{shown} SHOW {name};", "-qAt", "-v", "ON_ERROR_STOP=1").stdout.strip()
        for name in names
    ]
    said = last(script).characteristics
    assert said.isolation in (None, answers[0])
    assert (said.isolation or "read committed") == answers[0]
    assert bool(said.read_only) == (answers[1] == "on")


@pytest.mark.parametrize(
    ("before", "is_first"),
    [
        ("", True),
        ("SET LOCAL work_mem = '1MB';", True),
        ("SHOW work_mem;", True),
        ("LOCK TABLE pg_class IN ACCESS SHARE MODE;", True),
        ("SAVEPOINT s;", True),
        ("SELECT 0;", False),
        ("PREPARE p AS SELECT 0;", False),
        ("EXPLAIN SELECT 0;", False),
        ("CREATE TEMP TABLE made (i int);", False),
    ],
)
def test_the_first_statement_takes_the_snapshot(before: str, is_first: bool) -> None:
    assert last(f"BEGIN; {before} SELECT 1; COMMIT;").is_first is is_first


def test_temporary_tables_are_those_made_so_far() -> None:
    script = (
        "CREATE TEMP TABLE a (i int); BEGIN; CREATE TEMPORARY TABLE b AS SELECT 1; SELECT 1;"
        "ROLLBACK; CREATE LOCAL TEMP TABLE c (i int); CREATE TABLE d (i int); SELECT 2;"
    )
    first, second = selects_of(script)
    assert first.transaction.temporary == {"a", "b"}
    assert second.transaction.temporary == {"a", "c"}
