"""Which files a run reads: extensions, excludes, what git ignores, links."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pglint_locks.config import Configs
from pglint_locks.discovery import Discovery, discover
from pglint_locks.paths import shown


def _make(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("SELECT 1;\n", encoding="utf-8")


def _write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _discover(root: Path, *paths: str, isolated: bool = False) -> Discovery:
    return discover(paths or ["."], Configs(root, isolated=isolated), root)


def _names(root: Path, *paths: str) -> list[str]:
    found = _discover(root, *paths)
    assert not found.errors
    return [file.name for file in found.files]


def _git_init(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)


# Directories


def test_a_directory_gives_its_sql_files_sorted(tmp_path: Path) -> None:
    _make(tmp_path, "b.sql", "a/z.psql", "a/b/c.pgsql", "c.ddl", "D.SQL", "x.txt", "sql", ".sql")
    assert _names(tmp_path) == ["D.SQL", "a/b/c.pgsql", "a/z.psql", "b.sql", "c.ddl"]


def test_directories_that_hold_no_project_files_are_left_out(tmp_path: Path) -> None:
    for name in (".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"):
        _make(tmp_path, f"deep/{name}/a.sql")
    _make(tmp_path, ".tox/a.sql", ".nox/a.sql", "build/a.sql", "vendor/a.sql")
    assert _names(tmp_path) == ["build/a.sql", "vendor/a.sql"]


def test_a_directory_without_sql_is_a_notice(tmp_path: Path) -> None:
    _make(tmp_path, "docs/a.txt", "node_modules/a.sql")
    found = _discover(tmp_path, "docs", ".")
    assert found.notices == ["no SQL files found in docs", "no SQL files found in ."]
    assert not found.errors


def test_a_very_deep_directory(tmp_path: Path) -> None:
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        Path("a.sql").write_text("", encoding="utf-8")
        os.chdir(tmp_path)
        assert _names(tmp_path) == ["d/" * 1200 + "a.sql"]
        assert _names(tmp_path, "d/" * 1200 + "a.sql") == ["d/" * 1200 + "a.sql"]
    finally:
        os.chdir(here)
        # pytest's own way of removing it would go too deep.
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


def test_include_adds_files_of_directories(tmp_path: Path) -> None:
    _write(tmp_path / "pglint-locks.toml", 'include = ["*.sql.in", "/queries/*"]')
    _make(tmp_path, "a.sql.in", "b.sql", "db/c.sql.in", "queries/q", "db/queries/q")
    assert _names(tmp_path) == ["a.sql.in", "b.sql", "db/c.sql.in", "queries/q"]


# Files that are named


def test_a_named_file_is_read_whatever_its_extension(tmp_path: Path) -> None:
    _make(tmp_path, "query.txt", "noextension")
    assert _names(tmp_path, "query.txt", "noextension") == ["query.txt", "noextension"]


def test_a_missing_path_is_an_error_of_its_own(tmp_path: Path) -> None:
    _make(tmp_path, "a.sql")
    found = _discover(tmp_path, "nowhere.sql", "a.sql", "a.sql/b.sql", "")
    assert [file.name for file in found.files] == ["a.sql"]
    assert found.errors == [
        "nowhere.sql: no such file or directory",
        "a.sql/b.sql: no such file or directory",
        "'': no such file or directory",
    ]


def test_the_same_file_is_found_once(tmp_path: Path) -> None:
    _make(tmp_path, "db/a.sql", "db/b.sql")
    (tmp_path / "db" / "link.sql").symlink_to("a.sql")
    (tmp_path / "other").symlink_to("db")
    assert _names(tmp_path, "db/b.sql", ".", "db", "./db/../db/a.sql", "other/a.sql") == [
        "db/b.sql",
        "db/a.sql",
    ]


def test_links_to_files_are_followed_to_directories_not(tmp_path: Path) -> None:
    _make(tmp_path, "outside/a.sql", "project/b.sql")
    (tmp_path / "project" / "linked.sql").symlink_to("../outside/a.sql")
    (tmp_path / "project" / "folder").symlink_to("../outside")
    (tmp_path / "project" / "folder.sql").symlink_to("../outside")
    (tmp_path / "project" / "nowhere.sql").symlink_to("gone")
    (tmp_path / "project" / "round").symlink_to(".")
    assert _names(tmp_path / "project") == ["b.sql", "linked.sql"]


def test_a_link_to_a_directory_may_be_named(tmp_path: Path) -> None:
    _make(tmp_path, "outside/a.sql")
    (tmp_path / "link").symlink_to("outside")
    assert _names(tmp_path, "link") == ["link/a.sql"]


# Names


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.sql", "a.sql"),
        ("./db/../db/a.sql", "db/a.sql"),
        ("../a.sql", "../a.sql"),
        (".", "."),
        ("/elsewhere/a.sql", "/elsewhere/a.sql"),
        ("/project/db/a.sql", "db/a.sql"),
        ("/projects/a.sql", "/projects/a.sql"),
    ],
)
def test_how_a_path_is_shown(path: str, name: str) -> None:
    assert shown(Path(path), Path("/project")) == name


def test_a_path_through_a_link_to_the_working_directory(tmp_path: Path) -> None:
    _make(tmp_path, "real/a.sql")
    (tmp_path / "alias").symlink_to("real")
    assert shown(tmp_path / "alias" / "a.sql", tmp_path / "real") == "a.sql"


# Excludes


@pytest.mark.parametrize("path", ["vendor/a.sql", "db/vendor/x/b.sql", "vendor"])
def test_what_is_named_and_excluded_is_told(tmp_path: Path, path: str) -> None:
    _write(tmp_path / "pglint-locks.toml", 'extend-exclude = ["vendor"]')
    _make(tmp_path, "vendor/a.sql", "db/vendor/x/b.sql", "c.sql")
    found = _discover(tmp_path, path, "c.sql")
    assert [file.name for file in found.files] == ["c.sql"]
    assert found.notices == [
        f"{path} is excluded by extend-exclude in pglint-locks.toml; it is not read"
    ]


def test_default_excludes_hold_for_named_files(tmp_path: Path) -> None:
    _make(tmp_path, "node_modules/p/a.sql")
    found = _discover(tmp_path, "node_modules/p/a.sql")
    assert not found.files
    assert found.notices == [
        "node_modules/p/a.sql is excluded by the default exclude; it is not read"
    ]


def test_directories_above_the_project_do_not_count(tmp_path: Path) -> None:
    project = tmp_path / "venv" / "project"
    _make(project, "a.sql", "venv/b.sql")
    assert _names(project) == ["a.sql"]
    assert _names(project, str(project / "a.sql")) == ["a.sql"]


def test_exclude_replaces_the_default_and_extend_exclude_adds(tmp_path: Path) -> None:
    _make(tmp_path, "venv/a.sql", "gen/a.sql", "b.sql", "db/gen.sql")
    _write(tmp_path / "pglint-locks.toml", 'exclude = ["gen"]')
    assert _names(tmp_path) == ["b.sql", "db/gen.sql", "venv/a.sql"]
    _write(tmp_path / "pglint-locks.toml", 'extend-exclude = ["gen", "!gen/a.sql"]')
    assert _names(tmp_path) == ["b.sql", "db/gen.sql"]
    _write(tmp_path / "pglint-locks.toml", 'extend-exclude = ["*.sql", "!/db/*.sql"]')
    assert _names(tmp_path) == ["db/gen.sql"]


def test_excludes_are_relative_to_their_file(tmp_path: Path) -> None:
    _write(tmp_path / "db" / "pglint-locks.toml", 'extend-exclude = ["/gen"]')
    _make(tmp_path, "gen/a.sql", "db/gen/b.sql", "db/x/gen/c.sql")
    assert _names(tmp_path) == ["db/x/gen/c.sql", "gen/a.sql"]
    assert _names(tmp_path / "db", "x") == ["x/gen/c.sql"]
    assert _names(tmp_path / "db", "../gen") == ["../gen/a.sql"]


def test_a_broken_nested_file_costs_its_directory_only(tmp_path: Path) -> None:
    _write(tmp_path / "bad" / "pglint-locks.toml", "jobs = ")
    _make(tmp_path, "a.sql", "bad/b.sql", "bad/deep/c.sql", "d.sql")
    found = _discover(tmp_path, ".", "bad/b.sql", "bad/deep")
    assert [file.name for file in found.files] == ["a.sql", "d.sql"]
    assert len(found.errors) == 1
    assert found.errors[0].startswith("bad/pglint-locks.toml:1:8: is no valid TOML")


def test_a_directory_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make(tmp_path, "a.sql", "shut/b.sql")
    scandir = os.scandir

    def refuse(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("shut"):  # a mode would not stop root
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = _discover(tmp_path)
    assert [file.name for file in found.files] == ["a.sql"]
    assert found.errors == ["shut: cannot be read: Permission denied"]


# Git


def test_gitignore_counts_inside_a_work_tree_only(tmp_path: Path) -> None:
    _write(tmp_path / ".gitignore", "*.sql")
    _write(tmp_path / "repo" / ".gitignore", "/gen/", "*.tmp.sql")
    _make(tmp_path, "repo/a.sql", "repo/gen/b.sql", "repo/c.tmp.sql", "outside.sql")
    assert _names(tmp_path) == ["outside.sql", "repo/a.sql", "repo/c.tmp.sql", "repo/gen/b.sql"]
    _git_init(tmp_path / "repo")
    assert _names(tmp_path) == ["outside.sql", "repo/a.sql"]


def test_a_named_file_that_git_ignores_is_told(tmp_path: Path) -> None:
    _git_init(tmp_path)
    _write(tmp_path / "db" / ".gitignore", "gen/")
    _make(tmp_path, "db/gen/a.sql")
    for path in ("db/gen/a.sql", "db/gen"):
        found = _discover(tmp_path, path)
        assert not found.files
        assert found.notices == [f"{path} is excluded by db/.gitignore; it is not read"]


def test_git_info_exclude_counts(tmp_path: Path) -> None:
    _git_init(tmp_path)
    _write(tmp_path / ".git" / "info" / "exclude", "private.sql")
    _make(tmp_path, "a.sql", "db/private.sql")
    assert _names(tmp_path) == ["a.sql"]


def test_git_info_exclude_of_a_linked_work_tree(tmp_path: Path) -> None:
    main = tmp_path / "main"
    _git_init(main)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    commit = ["git", *identity, "commit", "--quiet", "--allow-empty", "-m", "x"]
    subprocess.run(commit, cwd=main, check=True)
    subprocess.run(["git", "worktree", "add", "--quiet", "../linked"], cwd=main, check=True)
    _write(main / ".git" / "info" / "exclude", "private.sql")
    _make(tmp_path, "linked/a.sql", "linked/private.sql")
    assert _names(tmp_path / "linked") == ["a.sql"]


def test_respect_gitignore_can_be_switched_off(tmp_path: Path) -> None:
    _git_init(tmp_path)
    _write(tmp_path / ".gitignore", "gen")
    _write(tmp_path / "pglint-locks.toml", "respect-gitignore = false")
    _make(tmp_path, "gen/a.sql")
    assert _names(tmp_path) == ["gen/a.sql"]


def test_an_unreadable_line_of_a_gitignore_is_passed_over(tmp_path: Path) -> None:
    _git_init(tmp_path)
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfa.sql\r\n!\n\xff\xfe.sql\n# c.sql\n\n")
    _make(tmp_path, "a.sql", "b.sql", "c.sql")
    assert _names(tmp_path) == ["b.sql", "c.sql"]


def test_a_negation_of_directories_below_one(tmp_path: Path) -> None:
    _git_init(tmp_path)
    _write(tmp_path / ".gitignore", "vendor/*", "!vendor/**/")
    _make(tmp_path, "vendor/a.sql", "vendor/x/b.sql", "vendor/x/y/c.sql")
    assert _names(tmp_path) == ["vendor/x/b.sql", "vendor/x/y/c.sql"]
    assert _names(tmp_path, "vendor/x/b.sql") == ["vendor/x/b.sql"]


_PATTERNS = (
    "a b foo *.sql x.sql keep * f* ** a/b foo/ keep/ /a /foo/ a/** **/foo a/**/x.sql ? [ab] [!a] "
    "foo/* keep.sql /* k*/ **/ a/*/ b** */ /*.sql a/**/ foo/**/ /a/**/ **/a/ **/*/ a/**/b/ a/b/ "
    "*/**/ /**/ /**/foo/ a/**/**/ **/a/** foo// a//b a**/b */*/ */a/**/ f*/** / [ab]/ foo/*/** "
    "*/foo/ a/**/*.sql /*/ *"
).split()
_NAMES = "a b foo foo.sql x.sql keep keep.sql".split()


def _random_tree(choose: random.Random, folder: Path, depth: int) -> None:
    for name in choose.sample(_NAMES, 4):
        if name.endswith(".sql") or not depth:
            _make(folder, name)
        else:
            (folder / name).mkdir()
            _random_tree(choose, folder / name, depth - 1)
    if depth == 3 or choose.random() < 0.3:
        _write(folder / ".gitignore", *_random_patterns(choose))


def _random_patterns(choose: random.Random) -> Iterator[str]:
    """Patterns, and negations of them or of what is beside and below what they match."""
    for _ in range(2):
        pattern = choose.choice(_PATTERNS)
        yield pattern
        folder = pattern.strip("/*")
        near = [f"{folder}/**/", f"{folder}/*/", f"{folder}/", f"{folder}/**", "*/", "*.sql"]
        yield "!" + choose.choice([*near, *choose.sample(_PATTERNS, 5)])
        yield choose.choice(["", "", "!"]) + choose.choice(_PATTERNS)


@pytest.mark.parametrize("seed", range(40))
def test_git_itself_leaves_out_the_same_files(tmp_path: Path, seed: int) -> None:
    _git_init(tmp_path)
    _random_tree(random.Random(seed), tmp_path, depth=3)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "-z", "*.sql"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    by_git = sorted(name for name in listed.stdout.split("\0") if name)
    assert sorted(_names(tmp_path)) == by_git
    for name in map(str, sorted(tmp_path.rglob("*.sql"))):
        relative = os.path.relpath(name, tmp_path)
        assert bool(_names(tmp_path, relative)) is (relative in by_git)
