"""The hook, with the real pre-commit: it installs this project and lints a repository."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import checkout
import pytest
import yaml

from pglint_locks.sources.kinds import KINDS, is_read_by_default

BAD = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 10 FOR UPDATE);\n"
GOOD = (
    "DELETE FROM jobs WHERE id = ANY(ARRAY(SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE));\n"
)
_GIT = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


def _git(folder: Path, *arguments: str) -> str:
    done = checkout.run(["git", *arguments], folder, _GIT)
    assert done.returncode == 0, done.stdout
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose pre-commit configuration takes the hook from a clone of this project."""
    project = checkout.copy_project(tmp_path / "project")
    _git(project, "init", "--quiet")
    _git(project, "add", ".")
    _git(project, "commit", "--quiet", "-m", "all")
    revision = _git(project, "rev-parse", "HEAD")
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet")
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {project}\n  rev: {revision}\n  hooks:\n  - id: pglint-locks\n",
        encoding="utf-8",
    )
    return folder


def _pre_commit(folder: Path, *paths: str) -> tuple[int, str]:
    """Put files with these contents into the index and run the hook on them."""
    _git(folder, "add", ".")
    command = [sys.executable, "-m", "pre_commit", "run", "--color", "never", "--verbose", *paths]
    environment = {**_GIT, "PRE_COMMIT_HOME": str(folder.parent / "pre-commit")}
    done = checkout.run(command, folder, environment)
    return done.returncode, done.stdout


def test_the_hook_lints_what_is_committed(repository: Path) -> None:
    (repository / "pglint-locks.toml").write_text('extend-exclude = ["gen"]\n', encoding="utf-8")
    for name, text in {
        "db/claim.PSQL": BAD,
        "db/good.sql": GOOD,
        "gen/dump.sql": BAD,
        "notes.txt": BAD,
        "db/logo.psql": "\0",
    }.items():
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(text, encoding="utf-8")

    status, output = _pre_commit(repository)
    assert status == 1, output
    assert "db/claim.PSQL:1:27: error[PGL101]" in output
    assert "pglint-locks: gen/dump.sql is excluded by extend-exclude" in output
    assert "Checked 2 files, 2 statements: 2 locking clauses, 2 analysed." in output
    assert "notes.txt" not in output
    assert "logo.psql" not in output

    (repository / "db/claim.PSQL").write_text(GOOD, encoding="utf-8")
    status, output = _pre_commit(repository)
    assert status == 0, output
    assert "Passed" in output


def test_the_hook_is_given_the_files_that_a_run_reads_by_default() -> None:
    [hook] = yaml.safe_load((checkout.ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    wanted = re.compile(hook["files"])
    for kind in KINDS:
        for ending in kind.endings:
            for name in (f"a{ending}", f"b/A{ending.upper()}"):
                assert bool(wanted.search(name)) == is_read_by_default(name), name
    for name in ("a.sqlx", "a.py.txt", "sql", "a.txt", "a.cpp"):
        assert not wanted.search(name)
        assert not is_read_by_default(name)


def test_the_hook_brings_what_the_extra_for_code_brings() -> None:
    [hook] = yaml.safe_load((checkout.ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    project = (checkout.ROOT / "pyproject.toml").read_text("utf-8")
    [extra] = re.findall(r'^code = \["(.+)"\]$', project, re.MULTILINE)
    assert hook["additional_dependencies"] == [extra]
    assert f'    "{extra}",\n' in project, "and so does `dev`"
