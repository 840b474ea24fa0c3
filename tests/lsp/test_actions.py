"""Code actions: what they offer, and what the text is once they are taken."""

from __future__ import annotations

from typing import Any

import pytest
from lsp_client import Client, place
from lsprotocol import types

from pglint_locks import lint_text
from pglint_locks.lsp.positions import Places

CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE);\n"
FIXED = CLAIM.replace("IN (", "= ANY(ARRAY(").replace(");", "));")
VERSIONS = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
HERE = place(0, 27)


def offered(client: Client, where: dict[str, Any] = HERE, **context: Any) -> dict[str, Any]:
    context.setdefault("diagnostics", [])
    found = client.ask("codeAction", range=where, context=context)
    return {each["title"]: each for each in found}


def taken(text: str, action: dict[str, Any], uri: str) -> str:
    """A text once an action's edits are made, from behind."""
    edits = action["edit"].get("changes", {}).get(uri)
    if edits is None:
        [change] = action["edit"]["documentChanges"]
        edits = change["edits"]
    places = Places(text, "utf-16")
    for edit in reversed(edits):
        start, end = (
            places.offset(types.Position(**edit["range"][side])) for side in ("start", "end")
        )
        text = text[:start] + edit["newText"] + text[end:]
    return text


def codes(text: str) -> list[str]:
    return [each.rule.code for each in lint_text(text, "a.sql")]


@pytest.mark.parametrize("lead", ["", "\ufeff", "-- 🐘 é\r\n"])
def test_a_repair(client: Client, lead: str) -> None:
    client.begin(VERSIONS)
    text = lead + CLAIM
    client.open(text)
    diagnostics = client.published()
    where = next(each["range"] for each in diagnostics if each["code"] == "PGL101")
    actions = offered(client, where, diagnostics=diagnostics)
    repair = actions["PGL101: have the locking sub-SELECT run once"]
    assert repair["kind"] == "quickfix"
    assert repair["isPreferred"] is True
    assert [each["code"] for each in repair["diagnostics"]] == ["PGL101"]
    [change] = repair["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": client.uri("a.sql"), "version": 1}
    assert "PGL101" in codes(text)
    assert "PGL101" not in codes(taken(text, repair, client.uri("a.sql")))


def test_a_client_without_versions_of_edits(client: Client) -> None:
    client.begin()
    client.open(CLAIM)
    repair = offered(client)["PGL101: have the locking sub-SELECT run once"]
    assert "documentChanges" not in repair["edit"]
    assert "PGL101" not in codes(taken(CLAIM, repair, client.uri("a.sql")))


def test_all_of_a_kind_and_everything(client: Client) -> None:
    client.begin()
    offset = "SELECT id FROM jobs WHERE id = 1 FOR UPDATE;\nUPDATE jobs SET a = 1 WHERE id = 1;\n"
    text = CLAIM + f"BEGIN;\n{offset}COMMIT;\n" + CLAIM.replace("jobs", "others")
    client.open(text)
    uri = client.uri("a.sql")
    before = codes(text)
    assert before.count("PGL101") == 2
    every = offered(client)["Fix all of PGL101 in this file"]
    after = codes(taken(text, every, uri))
    assert after == [code for code in before if code != "PGL101"]
    [fix_all] = offered(client, only=["source.fixAll"]).values()
    assert fix_all["kind"] == "source.fixAll.pglint-locks"
    whole = taken(text, fix_all, uri)
    assert "PGL101" not in codes(whole)
    client.change(2, {"text": whole})
    assert offered(client, only=["source.fixAll"]) == {}
    assert offered(client, only=["refactor"]) == {}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.sql", "", ""),
        ("a.py", "import db\n\n\ndef f(c):\n    c.execute('''", "''')\n"),
        ("a.go", "package a\n\nfunc f() { db.Exec(`", "`)}\n"),
    ],
)
def test_suppressions(client: Client, name: str, before: str, after: str) -> None:
    client.begin()
    text = f"{before}{CLAIM.rstrip()}{after}"
    language = {"sql": "sql", "py": "python", "go": "go"}[name[2:]]
    client.open(text, name=name, language=language)
    diagnostics = client.published(name=name)
    [where] = [each["range"] for each in diagnostics if each["code"] == "PGL101"]
    found = client.ask("codeAction", name, range=where, context={"diagnostics": diagnostics})
    actions = {each["title"]: each for each in found}
    for title in (
        "Suppress PGL101 here, with a reason",
        "Suppress PGL101 in this file, with a reason",
    ):
        suppressed = taken(text, actions[title], client.uri(name))
        there = [each.rule.code for each in lint_text(suppressed, name)]
        assert there == [each["code"] for each in diagnostics if each["code"] != "PGL101"]
        assert "[PGL101] reason" in suppressed


def test_reading_about_it(client: Client) -> None:
    client.begin({"window": {"showDocument": {"support": True}}})
    client.open(CLAIM)
    command = offered(client)["Read about PGL101 rescanned-locking-subquery"]["command"]
    asked = client.start(
        "workspace/executeCommand",
        {"command": command["command"], "arguments": command["arguments"]},
    )
    shown = client.next(lambda each: each.get("method") == "window/showDocument")["params"]
    assert shown["external"] is True
    assert shown["uri"].endswith("/PGL101-rescanned-locking-subquery.md")
    client.answer(asked)


def test_nothing_is_offered_where_nothing_is_found(client: Client) -> None:
    client.begin()
    client.open(CLAIM)
    assert offered(client, place(0, 2)) == {}
    assert offered(client, place(9, 0)) == {}
