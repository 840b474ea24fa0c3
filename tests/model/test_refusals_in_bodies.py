"""What a routine's volatility and a PL/pgSQL cursor's options refuse, as the server does."""

from __future__ import annotations

import pytest
from conftest import Server

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.queries.routines import BodyCursor, altered, routine_of
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse

LOCK = "SELECT id FROM jobs FOR UPDATE"


def parsed(sql: str) -> Parsed:
    result = parse(sql)
    assert isinstance(result, Parsed)
    return result


def refusals(query: str, head: str, cursor: BodyCursor | None = None) -> list[tuple[str, str]]:
    """What we say of a query in the body of a routine."""
    statement = Statement(parsed(query), 0)
    statement.routine = routine_of(parsed(f"{head} AS ''").node)
    statement.cursor = cursor
    found = [clause.refusal for clause in locking_clauses(statement)]
    return [(refusal.message, refusal.sqlstate) for refusal in found if refusal is not None]


def answer(server: Server, head: str, body: str) -> list[tuple[str, str]]:
    """What the server says when a function is called."""
    done = server.psql(
        "CREATE TEMP TABLE jobs (id int); CREATE TEMP TABLE users (id int);\n"
        f"{head} AS $body$ {body} $body$;\n\\set VERBOSITY verbose\nSELECT pg_temp.f();",
        "-q",
    )
    errors = [line for line in done.stderr.splitlines() if "ERROR:" in line]
    return [(text, state) for state, text in (_split(line) for line in errors)]


def _split(line: str) -> tuple[str, str]:
    state, _, text = line.partition("ERROR:")[2].strip().partition(": ")
    return state, text.strip()


PLPGSQL = "CREATE FUNCTION pg_temp.f() RETURNS SETOF int LANGUAGE plpgsql"


@pytest.mark.parametrize("volatility", ["VOLATILE", "STABLE", "IMMUTABLE"])
@pytest.mark.parametrize(
    ("query", "body"),
    [
        (LOCK, f"BEGIN RETURN QUERY {LOCK}; END"),
        ("SELECT 1 FROM users FOR SHARE", "BEGIN PERFORM 1 FROM users FOR SHARE; END"),
        (
            "UPDATE users SET id = 1 WHERE id IN (SELECT id FROM jobs FOR UPDATE)",
            "BEGIN UPDATE users SET id = 1 WHERE id IN (SELECT id FROM jobs FOR UPDATE); END",
        ),
        (
            "SELECT 1 FROM (VALUES (1), (2)) AS v FOR UPDATE",
            "BEGIN PERFORM 1 FROM (VALUES (1), (2)) AS v FOR UPDATE; END",
        ),
        (
            "WITH c AS (SELECT id FROM jobs) SELECT id FROM c FOR UPDATE",
            "BEGIN RETURN QUERY WITH c AS (SELECT id FROM jobs) SELECT id FROM c FOR UPDATE; END",
        ),
    ],
)
def test_volatility(query: str, body: str, volatility: str, server: Server) -> None:
    head = f"{PLPGSQL} {volatility}"
    assert refusals(query, head) == answer(server, head, body)


@pytest.mark.parametrize("volatility", ["VOLATILE", "STABLE"])
@pytest.mark.parametrize(
    ("cursor", "query", "body"),
    [
        (BodyCursor(), LOCK, f"DECLARE c CURSOR FOR {LOCK}; BEGIN OPEN c; END"),
        (BodyCursor(opened=False), LOCK, f"DECLARE c CURSOR FOR {LOCK}; BEGIN END"),
        (BodyCursor(scrolls=True), LOCK, f"DECLARE c SCROLL CURSOR FOR {LOCK}; BEGIN OPEN c; END"),
        (
            BodyCursor(scrolls=True, opened=False),
            LOCK,
            f"DECLARE c SCROLL CURSOR FOR {LOCK}; BEGIN END",
        ),
        (
            BodyCursor(scrolls=True),
            f"SELECT id FROM ({LOCK}) AS s",
            f"DECLARE c SCROLL CURSOR FOR SELECT id FROM ({LOCK}) AS s; BEGIN OPEN c; END",
        ),
    ],
)
def test_cursors(
    cursor: BodyCursor, query: str, body: str, volatility: str, server: Server
) -> None:
    head = f"{PLPGSQL} {volatility}"
    assert refusals(query, head, cursor) == answer(server, head, body)


@pytest.mark.parametrize(
    ("head", "inlined"),
    [
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql STABLE", True),
        ("CREATE FUNCTION f() RETURNS TABLE (id int) LANGUAGE sql IMMUTABLE", True),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql STABLE", False),
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql STABLE STRICT", False),
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql STABLE SECURITY DEFINER", False),
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql STABLE SET work_mem = 1000", False),
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql", False),
        ("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE plpgsql STABLE", False),
    ],
)
def test_what_is_inlined(head: str, inlined: bool) -> None:
    routine = routine_of(parsed(f"{head} BEGIN ATOMIC SELECT 1; END").node)
    assert routine is not None
    assert routine._replace(statements=1).may_be_inlined is inlined
    assert not routine._replace(statements=2).may_be_inlined


@pytest.mark.parametrize(
    ("alter", "volatility"),
    [
        ("ALTER FUNCTION f STABLE", "stable"),
        ("ALTER FUNCTION s.f(text, int[]) IMMUTABLE", "immutable"),
        ("ALTER ROUTINE f(text, integer[]) STABLE", "stable"),
        ("ALTER FUNCTION t.f(text, int[]) STABLE", "volatile"),
        ("ALTER FUNCTION f(text) STABLE", "volatile"),
        ("ALTER FUNCTION g(text, int[]) STABLE", "volatile"),
        ("ALTER FUNCTION f(text, int[]) STRICT", "volatile"),
    ],
)
def test_alter_function(alter: str, volatility: str) -> None:
    made = parsed(
        "CREATE FUNCTION s.f(a text, INOUT b int[], OUT c int) LANGUAGE sql AS 'SELECT 1, 2'"
    )
    routine = routine_of(made.node)
    assert routine is not None
    assert altered(routine, [parsed(alter).node]).volatility == volatility
