"""`--since` and `--staged`, with the real git: findings of statements that changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import checkout
import pytest

from pglint_locks.changes import moved
from pglint_locks.cli import run
from pglint_locks.text import Span

CLAIM = """\
DELETE FROM jobs
 WHERE id = ANY (SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE);
"""
PAGE = "SELECT id FROM jobs ORDER BY id LIMIT 10 OFFSET 10 FOR NO KEY UPDATE;\n"
LONG = """\
SELECT id
  FROM jobs
 ORDER BY id
 LIMIT 10
OFFSET 10
   FOR NO KEY UPDATE;
"""
_GIT = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(*arguments: str, folder: str = ".") -> str:
    done = checkout.run(["git", *arguments], Path(folder), _GIT)
    assert done.returncode == 0, done.stdout
    return done.stdout.strip()


def commit(message: str = "c") -> str:
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", message)
    return git("rev-parse", "HEAD")


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository to stand in, and nothing from outside."""
    for name in list(os.environ):
        if name.startswith(("PGLINT_LOCKS_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch", "main")
    return folder


class Tool:
    """Runs `check`, and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.errors = ""
        self.status = 0

    def found(self, *arguments: str) -> list[str]:
        """The findings, as `file:row: code`."""
        self.status = run(["check", "--output-format", "concise", *arguments])
        output = self._capsys.readouterr()
        self.errors = output.err
        lines = [line.rpartition(": PGL") for line in output.out.splitlines()]
        places = [(place.rpartition(":")[0], rest[:3]) for place, _, rest in lines]
        return [f"{place}: PGL{code}" for place, code in places]

    def refused(self, *arguments: str) -> str:
        """What is said of a run that ends with status 2."""
        assert self.found(*arguments) == []
        assert self.status == 2
        assert "Traceback" not in self.errors
        return self.errors


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(capsys)


# Since a revision


def test_only_statements_that_changed_are_reported(tool: Tool) -> None:
    write("a.sql", CLAIM + PAGE)
    write("b.sql", PAGE)
    commit()
    assert tool.found("--since", "HEAD") == []
    assert tool.status == 0
    assert tool.errors.splitlines()[0] == (
        "Left out 3 findings in statements not changed since HEAD."
    )
    write("a.sql", CLAIM + "SELECT 1;\n" + PAGE.replace("OFFSET 10", "OFFSET 20"))
    assert tool.found("--since", "HEAD") == ["a.sql:4: PGL102"]
    assert tool.status == 1


@pytest.mark.parametrize("row", range(6))
def test_a_change_of_any_line_of_the_statement_counts(tool: Tool, row: int) -> None:
    write("a.sql", f"SELECT 1;\n\n{LONG}")
    commit()
    lines = LONG.splitlines(keepends=True)
    lines[row] = lines[row].replace("\n", " \n")
    write("a.sql", f"SELECT 1;\n\n{''.join(lines)}")
    assert tool.found("--since", "HEAD") == ["a.sql:7: PGL102"]


def test_lines_that_were_taken_out_or_put_in_count(tool: Tool) -> None:
    write("a.sql", LONG.replace("OFFSET 10\n", "OFFSET 10 -- far\n-- more\n"))
    commit()
    write("a.sql", LONG.replace("OFFSET 10\n", "OFFSET 10 -- far\n"))
    assert tool.found("--since", "HEAD") == ["a.sql:5: PGL102"]
    commit()
    write("a.sql", LONG.replace("OFFSET 10\n", "OFFSET 10 -- far\n-- less\n"))
    assert tool.found("--since", "HEAD") == ["a.sql:5: PGL102"]


def test_lines_around_the_statement_do_not(tool: Tool) -> None:
    write("a.sql", f"SELECT 1;\nSELECT 2;\n\n{LONG}\nSELECT 3;\nSELECT 4;\n")
    commit()
    write("a.sql", f"SELECT 5;\n\n{LONG}\nSELECT 6;\n")
    assert tool.found("--since", "HEAD") == []


def test_what_is_committed_staged_changed_and_untracked_counts(tool: Tool) -> None:
    for name in ("committed", "staged", "changed", "same"):
        write(f"{name}.sql", PAGE)
    first = commit()
    write("committed.sql", PAGE + CLAIM)
    commit()
    write("staged.sql", PAGE + CLAIM)
    git("add", "staged.sql")
    write("changed.sql", PAGE + CLAIM)
    write("untracked.sql", PAGE)
    assert tool.found("--since", first) == [
        "changed.sql:3: PGL101",
        "committed.sql:3: PGL101",
        "staged.sql:3: PGL101",
        "untracked.sql:1: PGL102",
    ]


def test_what_the_other_branch_changed_does_not(tool: Tool) -> None:
    write("a.sql", PAGE)
    write("b.sql", PAGE)
    commit()
    git("switch", "--quiet", "--create", "topic")
    write("a.sql", CLAIM)
    commit()
    git("switch", "--quiet", "main")
    write("b.sql", PAGE + PAGE)
    commit()
    git("switch", "--quiet", "topic")
    assert tool.found("--since", "main") == ["a.sql:2: PGL101"]


@pytest.mark.parametrize(
    "name", ["with space.sql", "größe.sql", "a\nb.sql", '"q".sql', ":(top)*.sql", "tab\t.sql"]
)
def test_files_are_called_all_sorts_of_things(tool: Tool, name: str) -> None:
    filler = "".join(f"SELECT {number};\n" for number in range(40))
    write(name, filler + PAGE)
    write("x.sql", CLAIM)
    commit()
    assert tool.found("--since", "HEAD") == []
    write(name, CLAIM + filler + PAGE)
    assert len(tool.found("--since", "HEAD")) == 1
    git("--literal-pathspecs", "mv", name, "renamed.sql")
    git("mv", "x.sql", f"y{name}")
    assert tool.found("--since", "HEAD") == ["renamed.sql:2: PGL101"]


def test_a_name_that_is_no_utf_8(tool: Tool) -> None:
    name = os.fsdecode(b"gr\xfc\xdfe.sql")
    try:
        write(name, PAGE)
    except OSError:
        pytest.skip("this file system has no such names")
    git("add", "--all")
    git("commit", "--quiet", "--message", "c")
    assert tool.found("--since", "HEAD") == []
    write(name, PAGE + CLAIM)
    assert len(tool.found("--since", "HEAD")) == 1


def test_a_renamed_file_has_only_its_changed_lines(tool: Tool) -> None:
    filler = "".join(f"SELECT {number};\n" for number in range(40))
    write("a.sql", filler + PAGE)
    commit()
    git("mv", "a.sql", "b.sql")
    write("b.sql", CLAIM + filler + PAGE)
    git("add", "--all")
    assert tool.found("--since", "HEAD") == ["b.sql:2: PGL101"]
    assert tool.found("--staged") == ["b.sql:2: PGL101"]


def test_from_a_folder_below_and_from_elsewhere(
    tool: Tool, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("db/a.sql", PAGE)
    commit()
    write("db/a.sql", PAGE + CLAIM)
    monkeypatch.chdir("db")
    assert tool.found("--since", "HEAD") == ["a.sql:3: PGL101"]
    monkeypatch.chdir(repository.parent)
    assert tool.found("repository/db", "--since", "HEAD") == ["repository/db/a.sql:3: PGL101"]


def test_through_a_link(tool: Tool, repository: Path) -> None:
    write("db/a.sql", PAGE)
    commit()
    write("db/a.sql", PAGE + CLAIM)
    link = repository.parent / "link"
    link.symlink_to(repository / "db")
    (place,) = tool.found(str(link), "--since", "HEAD")
    assert place.endswith("a.sql:3: PGL101")


def test_the_users_settings_of_diff_change_nothing(tool: Tool) -> None:
    write("a.sql", f"{LONG}\n\n{LONG}")
    write(".gitattributes", "*.sql -diff\n")
    commit()
    for setting in (
        ("color.diff", "always"),
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "false"),
        ("core.quotePath", "false"),
    ):
        git("config", *setting)
    write("a.sql", f"{LONG}\n\n{LONG}".replace("LIMIT 10", "LIMIT 20", 1))
    assert tool.found("--since", "HEAD") == ["a.sql:5: PGL102"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends(tool: Tool, end: str) -> None:
    text = f"SELECT 1;\n\n{LONG}".replace("\n", end)
    write("a.sql", text + "\n" + PAGE)
    commit()
    write("a.sql", text + "\n" + PAGE + CLAIM)
    rows = {place.split(":")[1] for place in tool.found("--since", "HEAD")}
    assert len(rows) == 1
    assert len(tool.found()) == 3


def test_a_byte_order_mark(tool: Tool) -> None:
    write("a.sql", f"\ufeff{PAGE}{PAGE}")
    commit()
    write("a.sql", f"\ufeff{PAGE}{CLAIM}{PAGE}")
    assert tool.found("--since", "HEAD") == ["a.sql:3: PGL101"]


def test_a_finding_that_a_change_elsewhere_brings(tool: Tool) -> None:
    first = "SELECT id FROM t WHERE a = 1 ORDER BY id FOR UPDATE;\n"
    opposed = "SELECT id FROM t WHERE a = 1 ORDER BY id DESC FOR UPDATE;\n"
    write("a.sql", first)
    write("b.sql", first)
    commit()
    write("b.sql", opposed)
    found = tool.found("--since", "HEAD", "--select", "PGL404")
    assert found == ["a.sql:1: PGL404", "b.sql:1: PGL404"]


def test_host_code(tool: Tool) -> None:
    pytest.importorskip("ast_grep_py")
    code = f'def claim(cur):\n    cur.execute("""\n{LONG}""")\n'
    write("a.py", f"import os\n\n{code}")
    commit()
    write("a.py", f"import sys\n\n{code}")
    assert tool.found("--since", "HEAD") == []
    write("a.py", f"import os\n\n{code.replace('LIMIT 10', 'LIMIT 20')}")
    assert tool.found("--since", "HEAD") == ["a.py:9: PGL102"]


def test_standard_input_is_all_new(
    tool: Tool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit()
    (tmp_path / "in").write_text(PAGE)
    with open(tmp_path / "in") as given:
        monkeypatch.setattr("sys.stdin", given)
        assert tool.found("-", "--since", "HEAD") == ["<stdin>:1: PGL102"]


def test_in_a_linked_work_tree_and_a_submodule(tool: Tool, repository: Path) -> None:
    write("a.sql", PAGE)
    commit()
    git("worktree", "add", "--quiet", "../linked")
    write("../linked/a.sql", PAGE + CLAIM)
    assert [place[-8:] for place in tool.found("../linked", "--since", "HEAD")] == [": PGL101"]
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    commit()
    write("sub/a.sql", CLAIM + PAGE)
    assert tool.found("sub", "--since", "HEAD") == ["sub/a.sql:2: PGL101"]
    write("a.sql", PAGE + CLAIM)
    assert tool.found("--since", "HEAD") == ["a.sql:3: PGL101", "sub/a.sql:2: PGL101"]


# What is staged


def test_only_what_is_staged_is_reported(tool: Tool) -> None:
    write("a.sql", PAGE)
    write("b.sql", PAGE)
    commit()
    assert tool.found("--staged") == []
    write("a.sql", CLAIM + PAGE)
    git("add", "a.sql")
    write("b.sql", CLAIM + PAGE)
    write("untracked.sql", PAGE)
    assert tool.found("--staged") == ["a.sql:2: PGL101"]
    assert "in statements not staged." in tool.errors


def test_what_is_read_is_what_is_staged(tool: Tool) -> None:
    write("a.sql", PAGE)
    commit()
    write("a.sql", PAGE + CLAIM)
    git("add", "a.sql")
    write("a.sql", f"SELECT 1;\nSELECT 2;\n{PAGE}")
    assert tool.found("--staged") == ["a.sql:3: PGL101"]
    write("a.sql", PAGE)
    git("add", "a.sql")
    write("a.sql", PAGE + CLAIM)
    assert tool.found("--staged") == []


def test_before_the_first_commit(tool: Tool) -> None:
    write("a.sql", PAGE)
    git("add", "a.sql")
    assert tool.found("--staged") == ["a.sql:1: PGL102"]
    assert "there is no revision 'HEAD'" in tool.refused("--since", "HEAD")


def test_a_conflict_is_all_changed(tool: Tool) -> None:
    write("a.sql", "SELECT 1;\n")
    commit()
    git("switch", "--quiet", "--create", "topic")
    write("a.sql", PAGE)
    commit()
    git("switch", "--quiet", "main")
    write("a.sql", PAGE.replace("OFFSET 10", "OFFSET 20"))
    commit()
    checkout.run(["git", "merge", "topic"], Path.cwd(), _GIT)
    write("a.sql", PAGE)
    assert tool.found("--staged") == ["a.sql:1: PGL102"]
    assert tool.found("--since", "HEAD") == ["a.sql:1: PGL102"]


def test_in_a_hook_of_git(repository: Path) -> None:
    """A partial commit: the hook's index is none of the work tree's, and git says so."""
    import sys

    root = Path(checkout.ROOT)
    hook = Path(".git/hooks/pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nPYTHONPATH='{root}' exec '{sys.executable}' -m pglint_locks check --staged\n"
    )
    hook.chmod(0o755)
    write("a.sql", "SELECT 1;\n")
    write("b.sql", "SELECT 1;\n")
    commit()
    write("a.sql", PAGE)
    write("b.sql", PAGE)
    git("add", "b.sql")
    done = checkout.run(["git", "commit", "--message", "x", "a.sql"], repository, _GIT)
    assert done.returncode == 1
    assert "a.sql:1:" in done.stdout
    assert "b.sql" not in done.stdout


# With fixes


def test_only_what_changed_is_fixed(tool: Tool) -> None:
    write("a.sql", CLAIM + CLAIM)
    commit()
    write("a.sql", CLAIM + CLAIM.replace("DELETE", "DELETE ") + PAGE)
    assert tool.found("--since", "HEAD", "--fix") == ["a.sql:5: PGL102"]
    text = Path("a.sql").read_text()
    assert text.startswith(CLAIM)
    assert text.count("ARRAY") == 1
    assert tool.found("--since", "HEAD", "--fix") == ["a.sql:5: PGL102"]
    assert Path("a.sql").read_text() == text


def test_what_is_staged_is_fixed_where_the_work_tree_has_the_same(tool: Tool) -> None:
    write("a.sql", "SELECT 1;\n")
    write("b.sql", "SELECT 1;\n")
    commit()
    write("a.sql", CLAIM + PAGE)
    write("b.sql", CLAIM)
    git("add", "--all")
    write("b.sql", f"SELECT 2;\n{CLAIM}")
    assert tool.found("--staged", "--fix") == ["a.sql:3: PGL102", "b.sql:2: PGL101"]
    assert tool.status == 2
    assert "b.sql: has changes that are not staged; it is left as it is" in tool.errors
    assert "ARRAY" in Path("a.sql").read_text()
    assert Path("b.sql").read_text() == f"SELECT 2;\n{CLAIM}"


def test_changed_lines_are_followed_through_edits() -> None:
    before = "a\nb\nc\nd\ne\n"
    after = "new\na\nb\nC\nC2\nd\ne\n"
    (span,) = moved([Span(6, 8)], before, before)
    assert before[span.start : span.end] == "d\n"
    texts = [after[span.start : span.end] for span in moved([Span(6, 8)], before, after)]
    assert texts == ["new\n", "C\nC2\n", "d\n"]


# Bad input


@pytest.mark.parametrize("option", [["--since", "HEAD"], ["--staged"]])
def test_outside_of_any_work_tree(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert f"error: {option[0]}: . is in no git work tree\n" in tool.refused(*option)
    write("db/a.sql", PAGE)
    assert f"{option[0]}: db is in no git work tree" in tool.refused(*option)


@pytest.mark.parametrize("revision", ["no-such", "--help", "-p", "HEAD..HEAD", "HEAD:a.sql", "a b"])
def test_a_revision_that_is_not_there(tool: Tool, revision: str) -> None:
    write("a.sql", PAGE)
    commit()
    assert f"--since: there is no revision '{revision}'; name a branch" in tool.refused(
        f"--since={revision}"
    )


def _shallow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in a clone of depth 1; the commits of the whole repository."""
    commits = []
    for number in range(3):
        write("a.sql", PAGE * (number + 1))
        commits.append(commit())
    git("switch", "--quiet", "--create", "topic", commits[0])
    write("b.sql", CLAIM)
    commits.append(commit())
    origin = Path.cwd().as_uri()
    git("clone", "--quiet", "--depth", "1", "--no-single-branch", origin, str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    return commits


def test_a_shallow_clone_that_lacks_the_revision(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = _shallow(tmp_path, monkeypatch)
    errors = tool.refused("--since", first)
    assert f"--since: there is no revision '{first}' in this shallow clone; get the" in errors
    assert "git fetch --unshallow" in errors


def test_a_shallow_clone_that_lacks_the_merge_base(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shallow(tmp_path, monkeypatch)
    errors = tool.refused("--since", "origin/main")
    assert "it does not reach back to where origin/main was left; get the history" in errors


def test_a_shallow_clone_that_has_it(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shallow(tmp_path, monkeypatch)
    write("a.sql", PAGE + CLAIM)
    assert tool.found("--since", "HEAD") == ["a.sql:3: PGL101"]


def test_histories_without_a_common_commit(tool: Tool) -> None:
    write("a.sql", PAGE)
    commit()
    git("switch", "--quiet", "--orphan", "other")
    write("b.sql", PAGE)
    commit()
    assert "main and the current commit have no commit in common" in tool.refused("--since", "main")


def test_a_broken_repository(tool: Tool) -> None:
    write("a.sql", PAGE)
    commit()
    os.unlink(".git/HEAD")
    errors = tool.refused("--since", "main")
    assert "--since: git rev-parse failed: fatal: not a git repository" in errors


def test_without_git(tool: Tool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write("a.sql", PAGE)
    commit()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "--since needs git, which is not installed" in tool.refused("--since", "HEAD")


def test_both_at_once(tool: Tool) -> None:
    errors = tool.refused("--since", "HEAD", "--staged")
    assert "--since and --staged exclude each other; leave one out" in errors


def test_git_is_not_asked_where_nobody_wants_to_know(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise AssertionError

    write("a.sql", PAGE)
    monkeypatch.setattr(subprocess, "run", fail)
    assert tool.found() == ["a.sql:1: PGL102"]
