"""What the other files of the workspace tell: as `check` of the whole folder has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lsp_client import Client

from pglint_locks import lint_paths
from pglint_locks.lsp.documents import is_project, path_of

LOCK = "SELECT no FROM jobs WHERE no = 1 FOR UPDATE;\n"
TABLE = "CREATE TABLE jobs (no int PRIMARY KEY, state text);\n"
VIEW = "CREATE VIEW claimable AS SELECT * FROM jobs WHERE state = 'ready' FOR UPDATE;\n"
READER = "SELECT * FROM claimable ORDER BY no OFFSET 3;\n"
UP = "BEGIN;\nSELECT * FROM jobs WHERE state = 'x' ORDER BY no FOR UPDATE;\nCOMMIT;\n"
DOWN = UP.replace("ORDER BY no", "ORDER BY no DESC")
MODELS = {
    "shop/work.py": "def run():\n"
    "    return list(Job.objects.select_for_update(no_key=True).filter(status='ready'))\n",
    "shop/models.py": "from django.db import models\n\n\nclass Job(models.Model):\n"
    "    status = models.TextField()\n",
}
MIGRATIONS = {
    "migrations/0001_jobs.sql": "CREATE TABLE jobs (no int);\n",
    "migrations/0002_key.sql": "ALTER TABLE jobs ADD PRIMARY KEY (no);\n" + LOCK,
    "migrations/0003_end.sql": "ALTER TABLE jobs DROP COLUMN no;\n",
}
PULLS = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def checked(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What a check of the whole folder says of a file."""
    monkeypatch.chdir(folder)
    return [
        (
            each.code,
            each.text.replace("; ", "\n"),
            [quote(place.source.name) for place in each.related],
        )
        for each in lint_paths(["."])
        if each.filename == name
    ]


def told(client: Client, diagnostics: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    root = f"{client.folder.as_uri()}/"
    return [
        (
            each["code"],
            each["message"].replace("; ", "\n"),
            [
                other["location"]["uri"].removeprefix(root)
                for other in each.get("relatedInformation", ())
            ],
        )
        for each in diagnostics
    ]


def settled(client: Client, name: str, wanted: list[tuple[Any, ...]]) -> None:
    """Wait for diagnostics that are what is wanted: they come when the files have been read."""
    found = told(client, client.published(name=name))
    if found != wanted:
        found = told(client, client.published(name=name))
    assert found == wanted


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("a.sql", {"a.sql": LOCK, "tables.sql": TABLE}),
        ("a.sql", {"a.sql": READER, "db/views.sql": VIEW, "tables.sql": TABLE}),
        ("a.sql", {"a.sql": UP, "é/b.sql": DOWN, "c.sql": TABLE}),
        ("b/a.sql", {"b/a.sql": UP, "b.sql": DOWN, "c/d.sql": UP}),
        ("shop/work.py", MODELS),
        ("a.sql", {"a.sql": f"-- +goose Up\n{TABLE}{LOCK}-- +goose Down\nDROP TABLE jobs;\n"}),
        *((name, MIGRATIONS) for name in MIGRATIONS),
        ("a.sql", {"a.sql": LOCK, "x.sql": TABLE, "y.sql": TABLE.replace("no int", "n int")}),
    ],
)
def test_it_is_what_a_check_of_the_folder_says(
    client: Client, name: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(client.folder, files)
    wanted = checked(client.folder, name, monkeypatch)
    client.begin()
    client.open(files[name], name=name)
    settled(client, name, wanted)


def test_a_place_in_another_file(client: Client) -> None:
    write(client.folder, {"a.sql": UP, "b.sql": "\ufeff-- 🐘\n\n" + DOWN})
    client.begin({"general": {"positionEncodings": ["utf-8"]}})
    client.open(UP)
    found: list[dict[str, Any]] = []
    while not any(each["code"] == "PGL404" for each in found):
        found = client.published()
    [place] = next(each for each in found if each["code"] == "PGL404")["relatedInformation"]
    assert place["location"]["uri"] == client.uri("b.sql")
    line = DOWN.splitlines()[1]
    assert place["location"]["range"] == {
        "start": {"line": 3, "character": line.index("ORDER")},
        "end": {"line": 3, "character": line.index(" FOR UPDATE")},
    }


def test_files_that_change_are_looked_at_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(client.folder, {"a.sql": LOCK})
    client.begin()
    client.open(LOCK)
    without = checked(client.folder, "a.sql", monkeypatch)
    settled(client, "a.sql", without)
    write(client.folder, {"tables.sql": TABLE})
    change = {"changes": [{"uri": client.uri("tables.sql"), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", change)
    settled(client, "a.sql", checked(client.folder, "a.sql", monkeypatch))
    (client.folder / "tables.sql").unlink()
    client.notify("workspace/didChangeWatchedFiles", change)
    settled(client, "a.sql", without)
    write(client.folder, {"tables.sql": TABLE})
    document = {"textDocument": {"uri": client.uri("tables.sql")}}
    client.notify("textDocument/didSave", document)
    settled(client, "a.sql", checked(client.folder, "a.sql", monkeypatch))


def test_a_schema_file_that_changes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    write(client.folder, {"pglint-locks.toml": 'schema = ["db/schema.sql"]', "a.sql": LOCK})
    write(client.folder, {"db/schema.sql": TABLE.replace("no int", "n int")})
    client.begin()
    client.open(LOCK)
    settled(client, "a.sql", checked(client.folder, "a.sql", monkeypatch))
    write(client.folder, {"db/schema.sql": TABLE})
    change = {"changes": [{"uri": client.uri("db/schema.sql"), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", change)
    settled(client, "a.sql", checked(client.folder, "a.sql", monkeypatch))


def test_a_client_that_asks_is_told_to_ask_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(client.folder, {"a.sql": LOCK, "tables.sql": TABLE})
    client.begin(PULLS)
    client.open(LOCK)
    client.next(lambda each: each.get("method") == "workspace/diagnostic/refresh")
    found = told(client, client.ask("diagnostic")["items"])
    assert found == checked(client.folder, "a.sql", monkeypatch)


def test_what_is_left_out_tells_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    write(client.folder, {"a.sql": LOCK, "node_modules/x.sql": TABLE})
    wanted = checked(client.folder, "a.sql", monkeypatch)
    write(client.folder, {"binary.sql": "\0" + TABLE, "broken.sql": f"CREATE TABLE (; {LOCK}"})
    client.begin()
    client.open(LOCK)
    settled(client, "a.sql", wanted)
    assert client.end() == 0


def test_everything_that_somebody_has_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "people" / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "people" / "me"))
    assert is_project(tmp_path / "people" / "me" / "project")
    assert not is_project(tmp_path / "people" / "me")
    assert not is_project(tmp_path / "people")
    assert not is_project(path_of(Path(tmp_path.anchor).as_uri()))


def test_it_ends_while_it_is_reading(connect: Callable[..., Client]) -> None:
    client = connect()
    write(client.folder, {f"{number}.sql": VIEW * 50 + UP * 20 for number in range(40)})
    client.begin()
    assert client.end() == 0
