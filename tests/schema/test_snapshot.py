"""Snapshots: they hold all that a catalogue has, and say when they cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from servers import Server

from pglint_locks import cli
from pglint_locks.errors import UsageError
from pglint_locks.schema.catalog import Catalog, Relation
from pglint_locks.schema.ddl import Replay
from pglint_locks.schema.live import live_catalog
from pglint_locks.schema.names import TableName
from pglint_locks.schema.origins import Trust
from pglint_locks.schema.snapshot import read_snapshot, snapshot_of
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.text import SourceText

FEATURES = Path(__file__).with_name("features.sql")


def features() -> Catalog:
    replay = Replay()
    call_with_deep_stack(lambda: replay.run(SourceText("features.sql", FEATURES.read_text())))
    return replay.catalog()


def relations(catalog: Catalog) -> dict[TableName, Relation]:
    return {name: each.without_origins() for name, each in catalog.relations.items()}


def test_nothing_of_a_catalogue_is_lost() -> None:
    catalog = features()
    assert len(catalog.relations) > 40
    told = snapshot_of(catalog)
    again = read_snapshot(told, "schema.json")
    assert relations(again) == relations(catalog)
    assert (again.search_path, again.is_closed) == (catalog.search_path, catalog.is_closed)
    assert {each.origin for each in again.relations.values()} == {
        (Trust.SNAPSHOT, "schema.json", None)
    }
    assert snapshot_of(again) == told


def test_what_contradicts_itself_stays_unknown() -> None:
    name = TableName("public", "jobs")
    catalog = Catalog(ambiguous=frozenset({name}), search_path=("app",))
    again = read_snapshot(snapshot_of(catalog), "schema.json")
    assert again.ambiguous == {name}
    assert again.search_path == ("app",)
    assert not again.is_closed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CREATE TABLE", "schema.json is no valid JSON"),
        ("{}", "schema.json is no snapshot; pglint-locks schema dump writes one"),
        ("[1]", "is no snapshot"),
        ('{"pglint-locks-schema": true}', "is no snapshot"),
        ('{"pglint-locks-schema": 2}', "a snapshot of version 2, and this pglint-locks reads v"),
        ('{"pglint-locks-schema": 1}', "is a broken snapshot"),
        ('{"pglint-locks-schema": 1, "relations": [{}]}', "is a broken snapshot"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_snapshot(text, "schema.json")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("part", "value"), [("kind", "heap"), ("name", ["jobs"]), ("columns", 1), ("more", 1)]
)
def test_a_part_that_is_wrong_is_told(part: str, value: object) -> None:
    whole = json.loads(snapshot_of(features()))
    whole["relations"][0][part] = value
    with pytest.raises(UsageError, match="is a broken snapshot"):
        read_snapshot(json.dumps(whole), "schema.json")


def test_the_commands(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = server.new_database()
    server.psql("CREATE TABLE jobs (id int PRIMARY KEY, a int);", database=name)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["schema", "dump", "--database-url", server.dsn(name)]) == 0
    told = capsys.readouterr().out
    assert relations(read_snapshot(told, "x")) == relations(live_catalog(server.dsn(name)))
    Path("schema.json").write_text(told)
    assert cli.run(["schema", "dump", "--schema", "schema.json"]) == 0
    assert capsys.readouterr().out == told
    Path("schema.sql").write_text("CREATE TABLE jobs (id int PRIMARY KEY); CREATE TABLE old ();")
    both = ["--schema", "schema.json", "--schema", "schema.sql"]
    assert cli.run(["schema", "dump", "-v", *both]) == 0
    output, errors = capsys.readouterr()
    assert relations(read_snapshot(output, "x")).keys() > relations(read_snapshot(told, "x")).keys()
    assert errors.splitlines() == [
        "pglint-locks: schema.sql:1 and schema.json tell of other columns of public.jobs: the "
        "latter is believed",
        "pglint-locks: public.old is in schema.sql:1, but not in schema.json: what the former "
        "tells of it is taken",
    ]
    Path("app.sql").write_text("SELECT id FROM jobs WHERE a = 1 FOR UPDATE;")
    assert cli.run(["check", "-v", "--isolated", *both, "app.sql"]) == 1
    assert errors in capsys.readouterr().err
    assert cli.run(["schema", "dump"]) == 2
    assert "give --schema or --database-url" in capsys.readouterr().err
    assert cli.run(["schema"]) == 2
    assert "pglint-locks schema show" in capsys.readouterr().err
