"""Hover, inlay hints and completion."""

from __future__ import annotations

from typing import Any

import pytest
from lsp_client import Client, place

from pglint_locks.lsp.conflicts import STRENGTHS, conflicting
from pglint_locks.rules import RULES


def hover(client: Client, line: int, character: int) -> Any:
    return client.ask("hover", position={"line": line, "character": character})


def shown(client: Client, sql: str, word: str = "FOR ") -> str:
    client.begin()
    client.open(sql)
    line = sql[: sql.index(word)].count("\n")
    character = sql.index(word) - (sql.rfind("\n", 0, sql.index(word)) + 1)
    found = hover(client, line, character + 1)
    assert found["contents"]["kind"] == "markdown"
    return str(found["contents"]["value"])


def test_a_clause_that_nothing_is_wrong_with(client: Client) -> None:
    sql = "SELECT id FROM app.jobs WHERE id = 1\n  FOR NO KEY UPDATE\n  NOWAIT;\n"
    text = shown(client, sql)
    assert client.published() == []
    assert text.startswith("**`FOR NO KEY UPDATE NOWAIT`**")
    assert "locks `app.jobs` `FOR NO KEY UPDATE`, one row at most; fails at once" in text
    assert "fails at once (SQLSTATE 55P03)" in text
    assert "runs once for each execution of the statement" in text
    assert "| `FOR KEY SHARE` | INSERT or UPDATE of a row that refers to it | yes |" in text
    assert "| `FOR SHARE` | no other command | **no**: one waits |" in text
    assert hover(client, 2, 3)["range"] == {
        "start": {"line": 1, "character": 2},
        "end": {"line": 2, "character": 8},
    }
    assert hover(client, 0, 3) is None


@pytest.mark.parametrize("formats", [["plaintext"], ["plaintext", "markdown"]])
def test_who_reads_no_markdown(client: Client, formats: list[str]) -> None:
    client.begin({"textDocument": {"hover": {"contentFormat": formats}}})
    client.open("SELECT 1 FROM jobs WHERE id = 1 FOR UPDATE;\n")
    contents = hover(client, 0, 34)["contents"]
    assert contents["kind"] == formats[-1]
    assert ("`" in contents["value"]) == (formats[-1] == "markdown")
    assert "FOR KEY SHARE" in contents["value"]


def test_a_claim(client: Client) -> None:
    text = shown(
        client,
        "UPDATE jobs SET state = 'x'\n WHERE id IN (SELECT id FROM jobs LIMIT 3\n"
        "  FOR UPDATE SKIP LOCKED);\n",
    )
    assert "**`FOR UPDATE SKIP LOCKED`**" in text
    assert "leaves out what another transaction holds" in text
    assert "may run, as the planner likes, once for each row" in text
    assert "next used by the UPDATE of `jobs` in line 1" in text


def test_the_next_use_in_the_transaction(client: Client) -> None:
    text = shown(
        client,
        "BEGIN;\nSELECT id FROM jobs WHERE id = 1 FOR UPDATE;\n\n"
        "DELETE FROM jobs WHERE id = 1;\nCOMMIT;\n",
    )
    assert "next used by the DELETE of `jobs` in line 4" in text


def test_the_report_of_a_file(client: Client) -> None:
    client.begin()
    client.open(
        "SELECT id FROM jobs WHERE id = 1\n  FOR NO KEY UPDATE NOWAIT;\n"
        "SELECT count(*) FROM jobs FOR UPDATE;\n"
    )

    def report(*arguments: object) -> Any:
        params = {"command": "pglint-locks.report", "arguments": arguments}
        return client.request("workspace/executeCommand", params)

    lines = report(client.uri("a.sql")).splitlines()
    assert lines[:5] == [
        *("# Locks of a.sql", "", "2 locking clauses, 1 finding."),
        *("", "## Line 2: FOR NO KEY UPDATE NOWAIT"),
    ]
    assert "- runs once for each execution of the statement" in lines
    assert lines.index("## Line 3: FOR UPDATE") > 5
    assert lines[-1].startswith("- line 3, error [PGL701](https://")
    assert report(client.uri("never-opened.sql")) is None
    assert report() is None


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT count(*) FROM jobs FOR UPDATE;",
            "is not allowed with aggregate functions (SQLSTATE",
        ),
        ("WITH c AS (SELECT 1) SELECT * FROM c FOR UPDATE;", "locks no row"),
        ("WITH c AS (SELECT id FROM t FOR UPDATE) SELECT 1;", "would lock `t`"),
        ("WITH c AS (SELECT id FROM t FOR UPDATE) SELECT 1;", "is never run"),
        (
            "WITH c AS (SELECT id FROM t FOR UPDATE) SELECT * FROM c;",
            "runs once for each execution of the statement, as far as its WITH query is read",
        ),
    ],
)
def test_other_clauses(client: Client, sql: str, words: str) -> None:
    assert words in shown(client, sql)


def test_a_clause_in_a_function(client: Client) -> None:
    sql = (
        "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
        "  PERFORM 1 FROM jobs FOR SHARE;\nEND $$;\n"
    )
    assert "**`FOR SHARE`**" in shown(client, sql)


# Manual, 13.3.2, "Conflicting Row-Level Locks", row by row.
MANUAL = ["___X", "__XX", "_XXX", "XXXX"]


def test_the_conflicts_are_those_of_the_manual() -> None:
    for strength, row in zip(STRENGTHS, MANUAL, strict=True):
        marked = [each for each, mark in zip(STRENGTHS, row, strict=True) if mark == "X"]
        assert conflicting(strength) == marked


def test_the_page_of_a_rule_that_a_comment_names(client: Client) -> None:
    client.begin()
    client.open("-- pglint: ignore[PGL101, convoy-claim] why\nSELECT 1;\n")
    assert hover(client, 0, 20)["contents"]["value"].startswith("# PGL101")
    assert hover(client, 0, 20)["range"] == place(0, 18, 24)
    assert "PGL105" in hover(client, 0, 30)["contents"]["value"]
    assert hover(client, 0, 5) is None


def test_hints_where_they_are_asked_for(client: Client) -> None:
    client.begin(initializationOptions={"inlayHints": True})
    client.open(
        "SELECT 1 FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
        "SELECT 1 FROM a, b WHERE a.id = b.id FOR UPDATE;\n"
        "SELECT 1;\n"
    )
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = client.ask("inlayHint", range=everything)
    assert [(each["position"]["line"], each["label"]) for each in hints] == [
        (0, "locks jobs (no key update)"),
        (1, "locks a, b (update)"),
    ]
    assert hints[0]["position"]["character"] == 49
    assert len(client.ask("inlayHint", range=place(1, 0, 50))) == 1


def test_no_hints_where_they_are_not(client: Client) -> None:
    client.begin()
    client.open("SELECT 1 FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n")
    assert client.ask("inlayHint", range=place(0, 0, 50)) == []


def test_completion_in_the_brackets_of_a_suppression(client: Client) -> None:
    client.begin()
    client.open("-- pglint: ignore[PGL1, ] why\nSELECT 1;\n")
    items = client.ask("completion", position={"line": 0, "character": 22})
    assert [each["label"] for each in items] == [rule.code for rule in RULES]
    assert items[0]["textEdit"]["range"] == place(0, 18, 22)
    assert items[4]["detail"] == RULES[4].name
    assert len(client.ask("completion", position={"line": 0, "character": 24})) == len(RULES)
    assert client.ask("completion", position={"line": 0, "character": 27}) == []
    assert client.ask("completion", position={"line": 1, "character": 3}) == []
