from __future__ import annotations

from pathlib import Path

import pytest
from made_findings import claim_finding, make_finding, report

from pglint_locks.findings import Severity


@pytest.fixture(autouse=True)
def _no_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def file_of(name: str, cwd: Path) -> str:
    text = report("github", [make_finding("x", "x", name=name)], cwd=cwd)
    return text.removeprefix("::error file=").partition(",line=")[0]


def test_the_command_of_a_finding() -> None:
    assert report("github", [claim_finding()]) == (
        "::error file=claim.sql,line=4,col=11,endLine=4,endColumn=13,"
        "title=PGL101 rescanned-locking-subquery::"
        "LIMIT 10 does not bound this UPDATE of jobs: the planner may run the locking "
        "sub-SELECT once for each row; "
        "write id = ANY(ARRAY(SELECT id … LIMIT 10 FOR UPDATE SKIP LOCKED))\n"
    )


def test_severities_have_githubs_names() -> None:
    text = report("github", [claim_finding(severity=severity) for severity in Severity])
    assert [line.split()[0] for line in text.splitlines()] == ["::notice", "::warning", "::error"]


def test_a_place_over_several_rows_has_no_end_column() -> None:
    text = report("github", [make_finding("FOR\nUPDATE", "FOR\nUPDATE")])
    assert text.startswith("::error file=claim.sql,line=1,col=1,endLine=2,title=PGL101 ")


def test_what_would_end_a_command_or_a_property_is_escaped() -> None:
    finding = make_finding(
        "x", "x", name="a,b:c%\n::set-output.sql", message="100%: a, b\r\n::error::owned"
    )
    assert report("github", [finding]) == (
        "::error file=a%2Cb%3Ac%25%0A%3A%3Aset-output.sql,line=1,col=1,endLine=1,endColumn=2,"
        "title=PGL101 rescanned-locking-subquery::100%25: a, b%0D%0A::error::owned\n"
    )


def test_other_control_characters_are_shown() -> None:
    text = report("github", [make_finding("x", "x", message="a\x1b[1m\u202eb\x85")])
    assert text.endswith("::a\\x1b[1m\\u202eb\\x85\n")


def test_paths_count_from_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "sub" / ".git").mkdir(parents=True)
    assert file_of("queries/claim.sql", tmp_path / "sub") == "sub/queries/claim.sql"
    assert file_of("../claim.sql", tmp_path / "sub") == "claim.sql"
    assert file_of(str(tmp_path / "a" / "claim.sql"), Path("/")) == "a/claim.sql"


def test_a_workspace_reached_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "link"))
    assert file_of("claim.sql", tmp_path / "real") == "claim.sql"


def test_paths_count_from_the_git_top_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    (tmp_path / "repo" / "db").mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: somewhere\n")
    assert file_of("claim.sql", tmp_path / "repo" / "db") == "db/claim.sql"
    assert file_of("repo/db/claim.sql", tmp_path) == "repo/db/claim.sql".removeprefix("repo/")


def test_names_outside_every_repository_stay(tmp_path: Path) -> None:
    assert file_of("queries/claim.sql", tmp_path) == "queries/claim.sql"


def test_standard_input_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "sub").mkdir()
    assert file_of("<stdin>", tmp_path / "sub") == "<stdin>"
