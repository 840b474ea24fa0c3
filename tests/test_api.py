"""Linting from Python."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import pglint_locks
from pglint_locks import LintError, Severity, UsageError, lint_paths, lint_text
from pglint_locks.cli import run

ROOT = Path(__file__).parent.parent
CLAIM = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 9 FOR UPDATE SKIP LOCKED);\n"
PAGE = "SELECT id FROM jobs WHERE kind = 'a' ORDER BY id LIMIT 5 OFFSET 9 FOR SHARE;\n"


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(findings: list[pglint_locks.Finding]) -> list[str]:
    return [finding.code for finding in findings]


def test_what_a_finding_tells() -> None:
    found = lint_text("\n" + CLAIM, "claim.sql", select=["PGL101"])
    (finding,) = found
    assert isinstance(found, list)
    assert isinstance(finding, pglint_locks.Finding)
    assert (finding.code, finding.filename, finding.table) == ("PGL101", "claim.sql", "jobs")
    assert (finding.location, finding.end_location) == ((2, 27), (2, 29))
    assert finding.severity is Severity.ERROR
    assert finding.rule.name == "rescanned-locking-subquery"
    assert finding.fix is not None
    assert finding.fix.is_safe


def test_the_name_says_how_text_is_read() -> None:
    code = f'def f(cur):\n    cur.execute("{PAGE.strip()}")\n'
    (finding,) = lint_text(code, "app.py", select=["PGL102"])
    assert (finding.location.row, finding.unit) == (2, "f")
    assert codes(lint_text("SELECT 1;")) == []


def test_rules_are_selected() -> None:
    both = CLAIM + PAGE
    assert codes(lint_text(both, select=["PGL101", "PGL102"])) == ["PGL101", "PGL102"]
    assert codes(lint_text(both, select=("PGL1",), ignore={"PGL101"})) == ["PGL102"]
    assert codes(lint_text(PAGE, ignore=["ALL"])) == []


def test_opt_in_rules_are_added() -> None:
    sql = "BEGIN;\nSELECT 1;\nCOMMIT;\nSELECT id FROM jobs WHERE id = 1 FOR NO KEY UPDATE;\n"
    assert codes(lint_text(sql)) == []
    assert codes(lint_text(sql, extend_select=["PGL604"])) == ["PGL604"]


def test_options_are_those_of_a_configuration_file() -> None:
    assert codes(lint_text(CLAIM, options={"severity": {"PGL101": "off"}}, select=["PGL101"])) == []
    (finding,) = lint_text(PAGE, select=["PGL102"], options={"severity": {"PGL102": "error"}})
    assert finding.severity is Severity.ERROR
    options = {"severity-threshold": Severity.ERROR}
    assert codes(lint_text(CLAIM + PAGE, options=options)) == ["PGL101"]
    assert codes(lint_text(CLAIM, "mysql/a.sql", options={"dialect-paths": ("mysql",)})) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"select": ["PGL999"]}, "no rule is called 'PGL999'"),
        ({"select": []}, "select: must name at least one"),
        ({"select": "PGL101"}, "select must be a list of codes, not 'PGL101'"),
        ({"ignore": "PGL101"}, "ignore must be a list of codes"),
        ({"options": {"queue-table": ["jobs"]}}, "did you mean 'queue-tables'"),
        ({"options": {"queue-tables": 7}}, "options: queue-tables: must be a list"),
        ({"options": {"fail-on": "error"}}, "'fail-on' has no meaning here"),
        ({"options": {"output-format": "json"}}, "'output-format' has no meaning here"),
        ({"options": {"baseline": "b.json"}}, "'baseline' has no meaning here"),
    ],
)
def test_wrong_use_is_told(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        lint_text("SELECT 1", **arguments)
    assert message in str(caught.value)


def test_no_configuration_file_holds_for_text() -> None:
    Path("pglint-locks.toml").write_text('ignore = ["ALL"]\n')
    assert "PGL101" in codes(lint_text(CLAIM, "a.sql"))


def test_paths_are_linted_as_the_program_does(capsys: pytest.CaptureFixture[str]) -> None:
    Path("db/legacy").mkdir(parents=True)
    Path("db/legacy/pglint-locks.toml").write_text('ignore = ["PGL101"]\n')
    for name in ("db/a.sql", "db/legacy/b.sql", "db/notes.txt"):
        Path(name).write_text(CLAIM + PAGE)
    found = lint_paths([Path("db")])
    run(["check", "db", "--output-format", "concise", "-q"])
    lines = capsys.readouterr().out.splitlines()
    assert [f"{each.filename}:{each.location.row}:" for each in found] == [
        line[: line.index(":", line.index(":") + 1) + 1] for line in lines
    ]
    assert {"db/a.sql", "db/legacy/b.sql"} == {each.filename for each in found}


def test_what_is_given_goes_before_configuration_files() -> None:
    Path("pglint-locks.toml").write_text('ignore = ["PGL101"]\n')
    Path("other.toml").write_text('[tool.pglint-locks]\nselect = ["PGL102"]\n')
    Path("a.sql").write_text(CLAIM + PAGE)
    assert "PGL101" not in codes(lint_paths(["a.sql"]))
    assert "PGL101" in codes(lint_paths(["a.sql"], isolated=True))
    assert "PGL101" in codes(lint_paths(["a.sql"], select=["PGL101"]))
    with pytest.raises(UsageError, match="exclude each other"):
        lint_paths(["a.sql"], config="other.toml", isolated=True)


def test_the_environment_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGLINT_LOCKS_IGNORE", "ALL")
    Path("a.sql").write_text(CLAIM)
    assert "PGL101" in codes(lint_paths(["a.sql"]))


def test_what_cannot_be_linted_is_an_error_that_has_the_rest() -> None:
    Path("a.sql").write_text(CLAIM)
    Path("b.sql").write_bytes(b"SELECT 1\0 FOR UPDATE")
    with pytest.raises(LintError) as caught:
        lint_paths(["a.sql", "b.sql", "nowhere.sql"])
    first, second = sorted(caught.value.errors)
    assert first.startswith("b.sql: ")
    assert second.startswith("nowhere.sql: ")
    assert "PGL101" in codes(caught.value.findings)
    assert str(caught.value) == "\n".join(caught.value.errors)


def test_findings_are_picklable() -> None:
    found = lint_text(CLAIM + PAGE, "a.sql")
    assert found
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert [each.location for each in again] == [each.location for each in found]
    error = pickle.loads(pickle.dumps(LintError(["a.sql: lost"], found)))
    assert (error.errors, error.findings) == (("a.sql: lost",), found)


def test_everything_public_is_there_and_documented() -> None:
    for name in pglint_locks.__all__:
        value = getattr(pglint_locks, name)
        assert name in dir(pglint_locks)
        assert name.startswith("_") or inspect.getdoc(value)
    with pytest.raises(AttributeError, match="no attribute 'lint_txt'"):
        pglint_locks.lint_txt  # noqa: B018


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("import pglint_locks", []),
        ("from pglint_locks import __version__", []),
        ("from pglint_locks import Rule, Hazard, model", []),
        ("from pglint_locks import lint_text; lint_text('SELECT 1')", []),
        ("from pglint_locks import lint_text; lint_text('SELECT 1 FOR UPDATE')", ["pglast"]),
    ],
)
def test_importing_is_cheap(text: str, loaded: list[str]) -> None:
    heavy = ("pglast", "click")
    code = f"import sys; {text}; print(*[x for x in {heavy} if x in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.split() == loaded


def test_the_package_alone_imports_next_to_nothing() -> None:
    code = "import pglint_locks, sys; print(*[x for x in sys.modules if 'pglint' in x])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.split() == ["pglint_locks"]
