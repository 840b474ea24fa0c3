"""A SQL routine's body says the same in CREATE FUNCTION's own grammar as in a literal."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.rules import RULES
from pglint_locks.run import Run

HEAD = "CREATE TEMP TABLE own (id int);\nCREATE {} LANGUAGE sql {}"
FUNCTION = "FUNCTION f(n integer) RETURNS jobs"
CLAIM = "SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;"


class Found(NamedTuple):
    """A finding without what tells the two kinds of body apart: places count from the body."""

    code: str
    severity: str
    start: int
    end: int
    unit: str | None
    message: str
    related: tuple[tuple[int, int, str], ...]


def lint(opening: str, body: str, closing: str, head: str) -> tuple[list[Found], Run]:
    before = HEAD.format(head, opening)
    enabled = frozenset(rule.code for rule in RULES)
    run = lint_text(before + body + closing, "f.sql", Settings(enabled=enabled))
    assert run.errors == ()
    by = len(before)
    found = [
        Found(
            each.rule.code,
            str(each.severity),
            each.span.start - by,
            each.span.end - by,
            each.unit,
            each.message,
            tuple(
                (other.span.start - by, other.span.end - by, other.message)
                for other in each.related
            ),
        )
        for each in run.findings
    ]
    return found, run


@pytest.mark.parametrize(
    ("head", "body", "codes"),
    [
        (
            FUNCTION,
            "SELECT 1 FROM jobs WHERE id = n FOR UPDATE;\n"
            "UPDATE jobs SET state = 'x' WHERE id = n;",
            {"PGL301"},
        ),
        (
            FUNCTION,
            "SELECT 1 FROM jobs WHERE id = n FOR UPDATE;\nDELETE FROM jobs WHERE id = n;",
            set(),
        ),
        (
            FUNCTION,
            "SELECT 1 FROM jobs WHERE id = n FOR SHARE;\nUPDATE jobs SET state = 'x' WHERE id = n;",
            {"PGL302"},
        ),
        (
            FUNCTION,
            "UPDATE jobs SET state = 'x' WHERE id = n; SELECT 1 FROM jobs WHERE id = n FOR SHARE;",
            set(),
        ),
        (
            "PROCEDURE p(a integer, b text)",
            "SELECT 1 FROM seats WHERE seat = a FOR UPDATE;"
            "INSERT INTO seats (seat, name) VALUES (a, b);",
            {"PGL402", "PGL602"},
        ),
        (
            FUNCTION,
            f"{CLAIM} UPDATE jobs SET state = 'running' WHERE id = n RETURNING *;",
            {"PGL106", "PGL301"},
        ),
        (
            FUNCTION,
            "SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR NO KEY UPDATE;"
            "UPDATE jobs SET state = 'running' WHERE id = n;",
            {"PGL105"},
        ),
        (FUNCTION, "SELECT * FROM jobs FOR UPDATE; SELECT 1;", {"PGL603"}),
        (FUNCTION, "SELECT 1; SELECT * FROM jobs FOR UPDATE;", set()),
        (
            "FUNCTION f() RETURNS SETOF jobs",
            "SELECT 1; SELECT * FROM jobs FOR UPDATE;",
            {"PGL603"},
        ),
        (
            "FUNCTION f() RETURNS SETOF jobs STABLE",
            "SELECT * FROM jobs ORDER BY id LIMIT 1 FOR UPDATE;",
            {"PGL704"},
        ),
        (
            FUNCTION,
            "SELECT 1 FROM own WHERE id = n FOR SHARE; UPDATE own SET v = 1 WHERE id = n;",
            set(),
        ),
        (FUNCTION, "SELECT 1 FROM jobs ORDER BY id OFFSET n LIMIT 1 FOR UPDATE;", {"PGL102"}),
        (
            FUNCTION,
            "/* é */\n-- pglint: ignore[PGL102] paging\nSELECT 1\n FROM jobs ORDER BY id OFFSET 2\n"
            "LIMIT 1 FOR UPDATE; -- pglint: ignore[PGL301] nothing here\nSELECT 1;",
            {"PGL002"},
        ),
        (
            FUNCTION,
            "SELECT CASE WHEN true THEN 1 END FROM jobs WHERE id = n FOR SHARE;"
            "UPDATE jobs SET state = CASE WHEN n > 1 THEN ';' ELSE 'END' END WHERE id = n;",
            {"PGL302"},
        ),
        (
            FUNCTION,
            "UPDATE jobs SET state = 'x' WHERE state = 'ready'"
            " AND id IN (SELECT id FROM jobs WHERE state = 'ready' LIMIT n FOR UPDATE);",
            {"PGL101", "PGL105", "PGL301", "PGL402"},
        ),
        (
            FUNCTION,
            "SELECT 1 FROM jobs WHERE pg_try_advisory_lock(id) AND id > n LIMIT 1;",
            {"PGL107"},
        ),
        (
            FUNCTION,
            "UPDATE jobs SET state = 'running'"
            " WHERE id = (SELECT id FROM jobs WHERE state = 'ready' LIMIT 1);",
            {"PGL113"},
        ),
    ],
)
def test_a_body_between_begin_atomic_and_end(head: str, body: str, codes: set[str]) -> None:
    found, run = lint("BEGIN ATOMIC ", body, " END;", head)
    expected, other = lint("AS $$", body, "$$;", head)
    assert found == expected
    assert {each.code for each in found} == codes
    assert (run.statements, run.clauses, run.analysed) == (
        other.statements,
        other.clauses,
        other.analysed,
    )


@pytest.mark.parametrize(
    ("head", "expression", "code"),
    [
        (
            "FUNCTION f() RETURNS int",
            "(SELECT 1 FROM jobs ORDER BY id OFFSET 2 FOR UPDATE)",
            "PGL102",
        ),
        ("FUNCTION f() RETURNS int STABLE", "((SELECT max(id) FROM return FOR UPDATE))", "PGL701"),
        (
            "FUNCTION f(return int) RETURNS bool",
            "return > 1 AND EXISTS (SELECT 1 FROM jobs WHERE id = return FOR SHARE SKIP LOCKED)",
            "PGL502",
        ),
    ],
)
def test_an_expression_behind_return(head: str, expression: str, code: str) -> None:
    expected, other = lint("AS $$SELECT ", expression, "$$;", head)
    found, run = lint("RETURN ", expression, ";", head)
    assert found == expected
    assert code in {each.code for each in found}
    assert (run.statements, run.clauses, run.analysed) == (
        other.statements,
        other.clauses,
        other.analysed,
    )
    last, _ = lint("BEGIN ATOMIC SELECT 1; RETURN ", expression, "; END;", head)
    assert last == lint("AS $$SELECT 1; SELECT ", expression, "$$;", head)[0]


def test_what_a_body_does_is_not_done_where_the_function_is_made() -> None:
    run = lint_text(
        "BEGIN;\nSELECT 1 FROM jobs WHERE id = 7 FOR SHARE;\n"
        "CREATE FUNCTION f() RETURNS void BEGIN ATOMIC\n"
        "  UPDATE jobs SET state = 'x' WHERE id = 7; END;\nCOMMIT;\n",
        "f.sql",
        Settings(),
    )
    assert [each.rule.code for each in run.findings] == []


def test_variables_of_psql_in_a_body() -> None:
    run = lint_text(
        "CREATE FUNCTION f() RETURNS void BEGIN ATOMIC\n"
        "  SELECT 1 FROM :tab WHERE id = :'id' FOR SHARE;\n"
        "  UPDATE :tab SET state = 'x' WHERE id = :'id';\nEND;\n",
        "f.sql",
        Settings(),
    )
    assert [(each.rule.code, each.table) for each in run.findings] == [("PGL302", ":tab")]
