"""Diagnostics: pushed and pulled, of each version, with the settings that hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lsp_client import Client, place, told

CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 3 FOR UPDATE SKIP LOCKED);\n"
GOOD = "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
PULLS = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
IN = ("PGL101", 0, 26, 0, 28)


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [each["code"] for each in diagnostics]


def test_what_is_pushed(client: Client) -> None:
    client.begin()
    client.open(CLAIM)
    [found] = client.published(version=1)
    assert told([found]) == [IN]
    assert found["severity"] == 1
    assert found["source"] == "pglint-locks"
    assert found["message"].startswith("LIMIT 3 does not bound this DELETE of jobs")
    assert found["codeDescription"]["href"].endswith("/PGL101-rescanned-locking-subquery.md")
    client.change(2, {"range": place(0, 0), "text": "\n"})
    assert told(client.published(version=2)) == [("PGL101", 1, 26, 1, 28)]
    client.change(3, {"text": GOOD})
    assert client.published(version=3) == []
    client.change(4, {"text": CLAIM})
    assert client.published(version=4)
    client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("a.sql")}})
    assert client.published() == []


def test_several_changes_at_once_are_made_in_order(client: Client) -> None:
    client.begin()
    client.open("")
    changes = [
        {"range": place(0, 0), "text": CLAIM.replace("jobs", "t")},
        {"range": place(0, 12, 13), "text": "jobs"},
        {"range": place(0, 45, 46), "text": "jobs"},
        {"range": place(0, 0), "text": "--é🐘\r\n"},
    ]
    client.change(2, *changes)
    assert told(client.published(version=2)) == [("PGL101", 1, 26, 1, 28)]


def test_what_is_pulled(client: Client) -> None:
    client.begin(PULLS)
    client.open(CLAIM)
    first = client.ask("diagnostic")
    assert first["kind"] == "full"
    assert told(first["items"]) == [IN]
    again = client.ask("diagnostic", previousResultId=first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    client.change(2, {"text": GOOD})
    after = client.ask("diagnostic", previousResultId=first["resultId"])
    assert (after["kind"], after["items"]) == ("full", [])
    assert not client.kept, "nothing is pushed to a client that pulls"


def test_work_for_a_version_that_is_no_more_is_dropped(client: Client) -> None:
    client.begin()
    text = "".join(CLAIM.replace("jobs", f"t{n}") for n in range(300))
    client.open(text)
    for version in range(2, 30):
        client.change(version, {"range": place(0, 0), "text": "\n"})
    client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("a.sql")}})
    client.open(GOOD, name="last.sql")
    assert client.published(name="last.sql") == []
    sent = [each for each in client.kept if each["params"]["uri"] == client.uri("a.sql")]
    assert len(sent) < 15


def test_tags_and_other_places(client: Client) -> None:
    client.begin()
    client.open(
        "-- pglint: ignore[PGL101] not needed\n"
        "SELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
        "BEGIN;\n"
        "SELECT * FROM jobs WHERE id = 1 FOR UPDATE;\n"
        "UPDATE jobs SET state = 'x' WHERE id = 1;\n"
        "COMMIT;\n"
    )
    unused, strength = client.published()
    assert (unused["code"], unused["tags"]) == ("PGL002", [1])
    assert strength["code"] == "PGL301"
    [other] = strength["relatedInformation"]
    assert other["location"] == {"uri": client.uri("a.sql"), "range": place(4, 7, 11)}


def test_the_other_place_of_opposing_orders(client: Client) -> None:
    client.begin()
    client.open(
        "SELECT id FROM jobs ORDER BY id FOR NO KEY UPDATE;\n"
        "SELECT id FROM jobs ORDER BY id DESC FOR NO KEY UPDATE;\n"
    )
    found = [each for each in client.published() if each["code"] == "PGL404"]
    assert told(found) == [("PGL404", 0, 20, 0, 31), ("PGL404", 1, 20, 1, 36)]
    assert found[0]["relatedInformation"][0]["location"]["range"] == found[1]["range"]
    assert found[1]["relatedInformation"][0]["location"]["range"] == found[0]["range"]


@pytest.mark.parametrize(
    ("name", "language", "text", "line"),
    [
        ("a.py", "python", f'c.execute("""{CLAIM}""")\n', 0),
        ("a.md", "markdown", f"Text\n\n```sql\n{CLAIM}```\n", 3),
        ("a.go", "go", f"package a\n\nfunc f() {{ db.Exec(`{CLAIM}`) }}\n", 2),
        ("a.tpl", "sql", CLAIM, 0),
        ("a.sql", "plaintext", CLAIM, 0),
        ("a.sql", "sql", f"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$\n{CLAIM}$$;\n", 1),
    ],
)
def test_kinds_of_files(client: Client, name: str, language: str, text: str, line: int) -> None:
    client.begin()
    client.open(text, name=name, language=language)
    found = client.published(name=name)
    assert [(each["code"], each["range"]["start"]["line"]) for each in found][:1] == [
        ("PGL101", line)
    ]


@pytest.mark.parametrize(("name", "language"), [("a.txt", "plaintext"), ("a.c", "c")])
def test_files_that_are_not_ours(client: Client, name: str, language: str) -> None:
    client.begin()
    client.open(CLAIM, name=name, language=language)
    assert client.published(name=name) == []


def test_files_that_the_configuration_names(client: Client) -> None:
    (client.folder / "pglint-locks.toml").write_text('include = ["queries/*.yaml"]\n')
    client.begin()
    text = f"claim:\n  sql: {CLAIM}"
    for name in ("queries/a.yaml", "other/a.yaml"):
        client.open(text, name=name, language="yaml")
    assert codes(client.published(name="queries/a.yaml"))[:1] == ["PGL101"]
    assert client.published(name="other/a.yaml") == []


def test_a_text_that_is_no_file_yet(client: Client) -> None:
    client.begin()
    document = {"uri": "untitled:Untitled-1", "languageId": "sql", "version": 1, "text": CLAIM}
    client.notify("textDocument/didOpen", {"textDocument": document})
    params = client.notification("textDocument/publishDiagnostics")
    assert (params["uri"], told(params["diagnostics"])) == (document["uri"], [IN])


def test_configuration_is_read_and_read_again(client: Client) -> None:
    settings = client.folder / "pglint-locks.toml"
    settings.write_text('ignore = ["PGL101"]\n')
    watches = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    client.begin({"workspace": watches})
    registered = client.next(lambda each: each.get("method") == "client/registerCapability")
    [registration] = registered["params"]["registrations"]
    patterns = {each["globPattern"] for each in registration["registerOptions"]["watchers"]}
    assert {"**/pglint-locks.toml", "**/.pglint-locks.toml", "**/pyproject.toml"} <= patterns
    client.open(CLAIM)
    assert codes(client.published()) == []
    settings.write_text('severity = { PGL101 = "note" }\n')
    change = {"uri": settings.as_uri(), "type": 2}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    assert [each["severity"] for each in client.published()] == [3]
    settings.write_text("ignore = 3\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": settings.as_uri()}})
    assert client.published() == []
    told_so = client.notification("window/showMessage")
    assert told_so["type"] == 1
    assert "pglint-locks.toml: ignore: must be a list" in told_so["message"]
    settings.write_text('severity-threshold = "error"\n')
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    assert codes(client.published()) == ["PGL101"]


def test_a_client_that_pulls_is_told_to_pull_again(client: Client) -> None:
    client.begin(PULLS)
    client.open(CLAIM)
    first = client.ask("diagnostic")
    (client.folder / "pglint-locks.toml").write_text('ignore = ["PGL101"]\n')
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    client.next(lambda each: each.get("method") == "workspace/diagnostic/refresh")
    after = client.ask("diagnostic", previousResultId=first["resultId"])
    assert (after["kind"], after["items"]) == ("full", [])


def test_excluded_files_are_left_out(client: Client) -> None:
    (client.folder / "pglint-locks.toml").write_text('exclude = ["old/"]\n')
    client.begin()
    client.open(CLAIM, name="old/a.sql")
    assert client.published(name="old/a.sql") == []


def test_a_baseline_is_left_out(client: Client) -> None:
    from pglint_locks.cli import run

    file = client.folder / "a.sql"
    file.write_text(CLAIM)
    baseline = client.folder / "known.json"
    run(["check", "-q", "--isolated", "--write-baseline", str(baseline), str(file)])
    assert len(json.loads(baseline.read_text())["findings"]) == 1
    (client.folder / "pglint-locks.toml").write_text('baseline = "known.json"\n')
    client.begin()
    client.open(CLAIM)
    assert client.published() == []
    client.change(2, {"text": CLAIM + CLAIM.replace("jobs", "others")})
    assert told(client.published(version=2)) == [("PGL101", 1, 28, 1, 30)]


def test_half_typed_statements_leave_the_others_alone(client: Client) -> None:
    client.begin()
    lines = [CLAIM.replace("jobs", name) for name in ("a", "b", "c")]
    client.open("".join(lines))
    assert codes(client.published()) == ["PGL101"] * 3
    typed = "SELECT * FROM jobs WHERE name = 'x' ORDER BY (id) FOR UPDATE;"
    client.change(2, {"range": place(1, 0), "text": "\n"})
    client.published(version=2)
    for count, letter in enumerate(typed):
        client.change(3 + count, {"range": place(1, count), "text": letter})
        found = client.published(version=3 + count)
        before = [each for each in found if each["range"]["start"]["line"] == 0]
        last = [each for each in found if each["range"]["start"]["line"] == 3]
        assert codes(before) == ["PGL101"], typed[: count + 1]
        assert codes(last) == ["PGL101"], typed[: count + 1]
