"""`pglint-locks schema show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pglint_locks.cli import run

SCHEMA = """CREATE TABLE queues (id int PRIMARY KEY);
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    queue int REFERENCES queues,
    at timestamptz
);
CREATE INDEX ready ON jobs (at DESC NULLS LAST, lower(email)) INCLUDE (queue) WHERE queue IS NULL;
CREATE TABLE runs (job bigint REFERENCES jobs);
CREATE VIEW open_jobs AS SELECT id FROM jobs;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.ddl").write_text(SCHEMA)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "show", "Jobs", "--schema", "schema.ddl"]) == 0
    assert (
        capsys.readouterr().out
        == """\
table public.jobs
  from schema.ddl:2

  columns
    id     bigint, not null, identity
    email  text, not null
    queue  integer
    at     timestamp with time zone

  keys (an UPDATE of their columns takes the lock of FOR UPDATE)
    jobs_pkey       primary key (id)
    jobs_email_key  unique (email)

  other indexes
    ready  btree (at desc nulls last, lower(email)) include (queue) where queue
           IS NULL  schema.ddl:8

  foreign keys
    jobs_queue_fkey  (queue) -> public.queues (id)

  referenced by
    public.runs  (job) -> (id)  schema.ddl:9
"""
    )


@pytest.mark.usefixtures("folder")
def test_all_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "show", "--schema", "schema.ddl"]) == 0
    assert (
        capsys.readouterr().out
        == """\
public.jobs       4 columns, 2 keys, referenced by 1
public.open_jobs  view, 1 column
public.queues     1 column, 1 key, referenced by 1
public.runs       1 column
3 tables, 1 view.
"""
    )


def test_files_that_are_linted_count_and_may_not_be_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "schema.ddl").rename(folder / "schema.sql")
    assert run(["schema", "show", "public.queues"]) == 0
    assert "There may be foreign keys that no file read here tells of." in capsys.readouterr().out
    (folder / "pglint-locks.toml").write_text("schema-from-sources = false\n")
    assert run(["schema", "show"]) == 0
    assert capsys.readouterr().out == "No table is known; name files of DDL by --schema.\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("job", "no table is called 'job'; did you mean jobs"),
        ("app.orders", "no table is called 'app.orders'"),
        ("twin", "'twin' may be a.twin or b.twin; name its schema"),
    ],
)
def test_a_table_that_is_not_known_is_wrong_use(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    (folder / "schema.ddl").write_text(f"{SCHEMA}CREATE TABLE a.twin (); CREATE TABLE b.twin ();")
    assert run(["schema", "show", name, "--schema", "schema.ddl"]) == 2
    assert capsys.readouterr().err.startswith(f"pglint-locks: error: {message}")


def test_a_table_that_two_files_define_is_not_known(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.sql").write_text("CREATE TABLE t (a int);")
    (folder / "b.sql").write_text("CREATE TABLE t (b int);")
    assert run(["schema", "show", "t"]) == 2
    assert "'t' is defined in more than one way" in capsys.readouterr().err
    assert run(["schema", "show"]) == 0
    assert "Defined in more than one way, and so not known: public.t." in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ["schema", "show", "--schema", "schema.ddl", "--output-format", "json"]
    assert run(shown) == 0
    every: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert run([*shown, "jobs"]) == 0
    jobs: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert jobs in every["tables"]
    assert every["knows_all_foreign_keys"] is jobs["knows_all_references"] is True
    assert jobs["origin"] == {"source": "schema file", "name": "schema.ddl", "line": 2}
    assert [each["table"] for each in jobs["referenced_by"]] == ["public.runs"]
    ready = jobs["indexes"][-1]
    assert ready["keys"][0] == {
        "column": "at",
        "expression": None,
        "descending": True,
        "nulls_first": False,
    }
    assert (ready["predicate"], ready["included"]) == ("queue IS NULL", ["queue"])
    assert [each["can_be_referenced"] for each in jobs["indexes"]] == [True, True, False]


def test_statements_that_are_not_understood_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torn = f"{SCHEMA}CREATE TABLE torn (id int,, x int);\nALTER TABLE jobs ADD COLUMN;\n"
    (folder / "schema.ddl").write_text(torn)
    assert run(["schema", "show", "jobs", "--schema", "schema.ddl"]) == 0
    output, errors = capsys.readouterr()
    assert errors == "2 statements of the schema not understood, the first at schema.ddl:11\n"
    assert "Part of what makes this table is not understood" in output
    (folder / "app.sql").write_text("SELECT id FROM jobs WHERE id = 1 FOR UPDATE;\n")
    run(["check", "app.sql", "--schema", "schema.ddl", "-v"])
    errors = capsys.readouterr().err
    assert "schema.ddl:11: this statement of the schema is not understood" in errors
    assert "schema.ddl:12: this statement of the schema is not understood" in errors
    run(["check", "app.sql", "--schema", "schema.ddl", "-q"])
    assert "understood" not in capsys.readouterr().err
