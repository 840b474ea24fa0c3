"""Rules over the whole run: findings that need several files."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.engine import lint_files
from pglint_locks.findings import Finding
from pglint_locks.run import Run

UP = "SELECT id FROM accounts WHERE owner = $1 ORDER BY id FOR UPDATE;\n"
DOWN = "SELECT id FROM accounts WHERE branch = $1 ORDER BY id DESC FOR UPDATE;\n"


def lint(folder: Path, files: dict[str, str]) -> Run:
    """Lint files in the order given."""
    for name, text in files.items():
        (folder / name).write_text(text)
    return lint_files([FoundFile(folder / name, name) for name in files], lambda _: Settings())


def described(finding: Finding) -> tuple[str, str, list[str]]:
    """Code, file, and the files of the other places."""
    return (
        finding.rule.code,
        finding.source.name,
        [related.source.name for related in finding.related],
    )


def test_both_places_are_told_and_each_names_the_other(tmp_path: Path) -> None:
    run = lint(tmp_path, {"a.sql": UP, "b.sql": DOWN})
    assert [described(finding) for finding in run.findings] == [
        ("PGL404", "a.sql", ["b.sql"]),
        ("PGL404", "b.sql", ["a.sql"]),
    ]
    first = run.findings[0]
    assert first.source.text[first.span.start : first.span.end] == "ORDER BY id"
    (other,) = first.related
    assert other.source.text[other.span.start : other.span.end] == "ORDER BY id DESC"


def test_the_order_of_the_files_changes_nothing(tmp_path: Path) -> None:
    files = {"a.sql": UP, "b.sql": DOWN, "c.sql": UP + DOWN, "d.sql": "SELECT 1;\n"}
    runs = [
        [(described(finding), finding.text) for finding in lint(tmp_path, dict(order)).findings]
        for order in itertools.permutations(files.items())
    ]
    assert len(runs[0]) == 4
    assert all(run == runs[0] for run in runs)


def test_one_finding_names_three_places_at_most(tmp_path: Path) -> None:
    run = lint(tmp_path, {"a.sql": UP, **{f"b{n}.sql": DOWN for n in range(5)}})
    assert described(run.findings[0]) == ("PGL404", "a.sql", ["b0.sql", "b1.sql", "b2.sql"])


def test_a_suppression_at_one_place_is_used_and_leaves_the_other(tmp_path: Path) -> None:
    quiet = f"-- pglint: ignore[PGL404] never the same accounts\n{UP}"
    run = lint(tmp_path, {"a.sql": quiet, "b.sql": DOWN})
    assert [described(finding) for finding in run.findings] == [("PGL404", "b.sql", ["a.sql"])]


def test_a_file_that_fails_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pglint_locks.sources.units import SqlUnit

    def fail(_: object) -> object:
        raise ValueError("on purpose")

    whole_file = SqlUnit.whole_file
    monkeypatch.setattr(
        SqlUnit,
        "whole_file",
        lambda source: fail(source) if source.name == "b.sql" else whole_file(source),
    )
    run = lint(tmp_path, {"a.sql": UP, "b.sql": DOWN, "c.sql": DOWN})
    assert [error.filename for error in run.errors] == ["b.sql"]
    assert [described(finding)[1:] for finding in run.findings] == [
        ("a.sql", ["c.sql"]),
        ("c.sql", ["a.sql"]),
    ]


def test_the_isolation_level_of_the_settings_holds_where_none_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text(f"{UP}BEGIN ISOLATION LEVEL READ COMMITTED; {UP}COMMIT;\n")
    settings = Settings(isolation_level="repeatable-read")
    run = lint_files([FoundFile(path, "a.sql")], lambda _: settings)
    assert [
        (each.rule.code, each.source.position(each.span.start).row) for each in run.findings
    ] == [("PGL601", 1)]
