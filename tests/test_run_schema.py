"""What a run knows of the tables in its statements, from schema files and from what it lints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.linting import worklist
from pglint_locks.schema.catalog import Relation
from pglint_locks.schema.origins import Trust

LOCK = "SELECT id FROM jobs WHERE id = 1 FOR UPDATE;\n"
JOBS = "CREATE TABLE jobs (id int PRIMARY KEY, status text);\n"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Relation | None]:
    """What is known of each table that a locking statement names, in the order of the run."""
    found: list[Relation | None] = []
    judge = worklist.judge

    def judging(statement, clauses):  # type: ignore[no-untyped-def]
        found.extend(item.relation for level in statement.levels for item in level.items)
        return judge(statement, clauses)

    monkeypatch.setattr(worklist, "judge", judging)
    return found


def lint(
    folder: Path, files: dict[str, str], *, schema: tuple[str, ...] = (), sources: bool = True
) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    settings = Settings(
        schema=tuple(str(folder / name) for name in schema), schema_from_sources=sources
    )
    paths = [FoundFile(folder / name, name) for name in sorted(files) if name not in schema]
    assert engine.lint_files(paths, lambda _: settings).errors == ()


def test_tables_of_schema_files_are_known(tmp_path: Path, seen: list[Relation | None]) -> None:
    lint(tmp_path, {"app.sql": LOCK, "schema.sql": JOBS}, schema=("schema.sql",))
    (relation,) = seen
    assert relation is not None
    assert relation.primary_key == ("id",)
    assert relation.origin.trust is Trust.SCHEMA_FILE


def test_tables_of_linted_files_are_known(tmp_path: Path, seen: list[Relation | None]) -> None:
    lint(
        tmp_path,
        {
            "app.sql": LOCK,
            "schema.sql": JOBS,
            "index.sql": "CREATE UNIQUE INDEX ON jobs (status);\n",
        },
    )
    (relation,) = seen
    assert relation is not None
    assert relation.key_columns == {"id", "status"}
    assert str(relation.origin).endswith("schema.sql:1")


def test_linted_files_count_only_if_they_may(tmp_path: Path, seen: list[Relation | None]) -> None:
    lint(tmp_path, {"app.sql": JOBS + LOCK}, sources=False)
    assert seen == [None]


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE jobs (id int);",
        "CREATE TABLE app.jobs (id int); CREATE TABLE public.jobs ();",
        "CREATE TEMP TABLE jobs (id int PRIMARY KEY);",
        f"{JOBS} DROP TABLE jobs; CREATE TABLE jobs (id int);",
    ],
)
def test_what_files_define_in_two_ways_is_unknown(
    tmp_path: Path, seen: list[Relation | None], other: str
) -> None:
    lint(tmp_path, {"a.sql": JOBS + LOCK, "b.sql": other})
    assert seen == [None]


def test_a_table_that_its_file_drops_in_the_end_is_known(
    tmp_path: Path, seen: list[Relation | None]
) -> None:
    lint(tmp_path, {"a.sql": f"{JOBS}{LOCK}DROP TABLE jobs;", "b.sql": JOBS})
    assert [each and each.primary_key for each in seen] == [("id",)]


def test_a_schema_file_is_believed_before_linted_ones(
    tmp_path: Path, seen: list[Relation | None]
) -> None:
    files = {"a.sql": LOCK + "CREATE TABLE jobs (a int);", "b.sql": "CREATE TABLE jobs (b int);"}
    lint(tmp_path, {**files, "db/schema.sql": JOBS}, schema=("db/schema.sql",))
    assert [each and each.primary_key for each in seen] == [("id",)]


def test_migrations_that_are_linted_run_one_after_the_other(
    tmp_path: Path, seen: list[Relation | None]
) -> None:
    files = {
        "app.sql": LOCK,
        "db/2_key.sql": "ALTER TABLE jobs ADD UNIQUE (status);",
        "db/1_jobs.sql": f"-- migrate:up\n{JOBS}-- migrate:down\nDROP TABLE jobs;\n",
        "db/10_status.sql": "ALTER TABLE jobs RENAME status TO state;",
    }
    lint(tmp_path, files)
    (relation,) = seen
    assert relation is not None
    assert relation.key_columns == {"id", "state"}


def test_migrations_of_two_databases_may_contradict(
    tmp_path: Path, seen: list[Relation | None]
) -> None:
    lint(tmp_path, {"app.sql": LOCK, "a/1.sql": JOBS, "b/1.sql": "CREATE TABLE jobs (id text);"})
    assert seen == [None]


def test_views_of_a_schema_are_read_as_the_runs_own(tmp_path: Path) -> None:
    lock = LOCK.replace("jobs", "open_jobs")
    view = JOBS + "CREATE VIEW open_jobs AS SELECT id FROM jobs UNION SELECT id FROM done;\n"
    (tmp_path / "app.sql").write_text(lock)
    (tmp_path / "schema.sql").write_text(view)
    settings = Settings(schema=(str(tmp_path / "schema.sql"),))
    files = [FoundFile(tmp_path / "app.sql", "app.sql")]
    codes = [each.rule.code for each in engine.lint_files(files, lambda _: settings).findings]
    assert codes == ["PGL203"]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pglint_locks", "check", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_schema_file_that_does_not_exist_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "app.sql").write_text("SELECT 1;\n")
    done = run(tmp_path, "--schema", "db/schema.sql", "app.sql")
    assert done.returncode == 2
    assert "db/schema.sql" in done.stderr
    (tmp_path / "pglint-locks.toml").write_text('schema = ["db/*.sql"]\n')
    assert run(tmp_path, "app.sql").returncode == 0
    (tmp_path / "app.sql").write_text(LOCK)
    done = run(tmp_path, "app.sql")
    assert done.returncode == 2
    assert "db/*.sql" in done.stderr


def test_each_configuration_has_a_schema_of_its_own(
    tmp_path: Path, seen: list[Relation | None]
) -> None:
    for name, key in (("a", "id"), ("b", "number")):
        (tmp_path / f"{name}.sql").write_text(f"CREATE TABLE jobs ({key} int PRIMARY KEY);")
        (tmp_path / f"app_{name}.sql").write_text(LOCK)
    files = [FoundFile(tmp_path / f"app_{name}.sql", f"app_{name}.sql") for name in "ab"]
    engine.lint_files(
        files, lambda file: Settings(schema=(str(tmp_path / file.name.removeprefix("app_")),))
    )
    assert list(dict.fromkeys(each and each.primary_key for each in seen)) == [("id",), ("number",)]
