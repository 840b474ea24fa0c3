"""Statements as a server is asked to plan them."""

from __future__ import annotations

import pytest

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.schema.plans import PlanNode


class Asked:
    """Remembers what it is asked, and plans nothing."""

    name = "nobody"

    def __init__(self) -> None:
        self.statements: list[str] = []

    def plan(self, sql: str) -> PlanNode | str:
        self.statements.append(" ".join(sql.split()))
        return "no"


def asked(text: str, name: str = "a.sql") -> list[str]:
    """The statements of a text that a server is asked to plan."""
    planner = Asked()
    run = engine.lint_text(text, name, Settings(), planner=planner)
    assert run.errors == ()
    assert run.planned == 0
    return planner.statements


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("SELECT 1 FROM jobs FOR UPDATE", "SELECT 1 FROM jobs FOR UPDATE"),
        (
            "SELECT 1 FROM jobs WHERE id = $2 FOR UPDATE",
            "SELECT 1 FROM jobs WHERE id = $2 FOR UPDATE",
        ),
        (
            "SELECT 1 FROM jobs WHERE a = :a AND b = :b OR a > :a LIMIT $1 FOR UPDATE",
            "SELECT 1 FROM jobs WHERE a = $2 AND b = $3 OR a > $2 LIMIT $1 FOR UPDATE",
        ),
        (
            "SELECT 1 FROM jobs WHERE a = ? AND b = ? FOR UPDATE",
            "SELECT 1 FROM jobs WHERE a = $1 AND b = $2 FOR UPDATE",
        ),
        (
            "SELECT 1 FROM jobs WHERE a = :'a'::int FOR UPDATE",
            "SELECT 1 FROM jobs WHERE a = $1 ::int FOR UPDATE",
        ),
        (
            "PREPARE p (int) AS SELECT 1 FROM jobs WHERE a = $1 FOR UPDATE",
            "SELECT 1 FROM jobs WHERE a = $1 FOR UPDATE",
        ),
        (
            "DECLARE c NO SCROLL CURSOR FOR SELECT 1 FROM jobs FOR UPDATE",
            "SELECT 1 FROM jobs FOR UPDATE",
        ),
    ],
)
def test_values_from_outside_are_parameters(written: str, sent: str) -> None:
    assert asked(f"{written};\n") == [sent]


@pytest.mark.parametrize(
    "written",
    [
        'SELECT 1 FROM :"table" FOR UPDATE',
        "SELECT 1 FROM {{ table }} WHERE a = 1 FOR UPDATE",
        "EXPLAIN SELECT 1 FROM jobs FOR UPDATE",
        "CREATE TABLE copy AS SELECT 1 FROM jobs FOR UPDATE",
        "CREATE VIEW locked AS SELECT id FROM jobs FOR UPDATE",
        "SELECT id INTO TEMP copy FROM jobs FOR UPDATE",
        "SELECT 1 FROM jobs",
    ],
)
def test_what_is_no_whole_query_is_not_sent(written: str) -> None:
    assert asked(f"{written};\n") == []


def test_variables_of_a_body_are_parameters() -> None:
    sent = asked(
        "CREATE FUNCTION f(kind text) RETURNS void LANGUAGE plpgsql AS $$\n"
        "DECLARE row record; n int;\n"
        "BEGIN\n"
        "  SELECT id INTO n FROM jobs WHERE status = kind LIMIT 1 FOR UPDATE;\n"
        "  PERFORM 1 FROM runs AS row WHERE row.id = n FOR UPDATE;\n"
        "  PERFORM 1 FROM runs WHERE job = row.id FOR UPDATE;\n"
        "END $$;\n"
    )
    assert sent == [
        "SELECT id FROM jobs WHERE status = $1 LIMIT 1 FOR UPDATE",
        "SELECT 1 FROM runs AS row WHERE row.id = $1 FOR UPDATE",
        "SELECT 1 FROM runs WHERE job = $1 FOR UPDATE",
    ]


def test_statements_of_code_are_sent_if_they_are_whole() -> None:
    sent = asked(
        "def claim(cursor, table, ids):\n"
        "    cursor.execute('SELECT id FROM jobs WHERE id = %s FOR UPDATE', (1,))\n"
        "    cursor.execute(f'SELECT id FROM {table} FOR UPDATE')\n"
        "    cursor.execute(f'SELECT id FROM jobs WHERE id = {ids} FOR UPDATE')\n",
        "app.py",
    )
    assert sent == ["SELECT id FROM jobs WHERE id = $1 FOR UPDATE"]
