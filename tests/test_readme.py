"""README holds what the program really does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pglint_locks.config import Configs, Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity
from pglint_locks.options import FORMATS, OPTIONS
from pglint_locks.reporters import RenderOptions, render
from pglint_locks.rules import RULES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_gives_the_output_that_is_shown() -> None:
    sql = re.search(r"```sql\n(.*?)```", README, re.DOTALL)
    shown = re.search(r"```\n\$ pglint-locks check claim\.sql\n(.*?)```", README, re.DOTALL)
    assert sql is not None
    assert shown is not None
    run = lint_text(sql[1], "claim.sql", Settings())
    options = RenderOptions(color=False, width=80, threshold=Severity.NOTE, cwd=ROOT)
    assert render(run, "full", options).rstrip("\n") in shown[1]


def test_the_table_lists_every_rule_with_its_page() -> None:
    for rule in RULES:
        severities = ", ".join(severity.value for severity in rule.severities)
        said = severities + (", opt-in" if rule.opt_in else "")
        assert f"| [{rule.code}](rules/{rule.page}) | {rule.name} | {said} |" in README


def test_configuration_lists_every_key_that_only_files_can_set() -> None:
    section = README.partition("\n## Configuration\n")[2].partition("\n## ")[0]
    only_files = [option for option in OPTIONS if not option.on_command_line]
    listed = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert listed == [option.key for option in only_files if option.built]
    to_come = re.search(r"^(.*) (?:is|are) known, but not built yet", section, re.MULTILINE)
    assert to_come is not None
    keys = {option.key for option in only_files if not option.built}
    assert set(re.findall(r"`([a-z-]+)`", to_come[1])) == keys


def test_the_configuration_of_the_readme_is_accepted(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(\[tool\.pglint-locks\]\n.*?)```", README, re.DOTALL)
    of_schema, shown = blocks
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "structure.sql").touch()
    (tmp_path / "pyproject.toml").write_text(of_schema, encoding="utf-8")
    settings = Configs(tmp_path).above(tmp_path).settings(tmp_path / "a.sql")
    assert settings.schema == (str(tmp_path / "db" / "structure.sql"),)
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    severity = Configs(tmp_path).above(tmp_path).settings(tmp_path / "a.sql").severity
    assert severity["PGL101"] is Severity.ERROR
    assert severity["PGL102"] is Severity.NOTE


_STATEMENT = """\
SELECT id
  FROM jobs
 ORDER BY id LIMIT 1000
 OFFSET 1000
   FOR SHARE;"""


@pytest.mark.parametrize(
    ("row", "alone", "silences"),
    [
        *((row, False, row == 4) for row in range(1, 6)),
        *((row, True, row in (1, 4)) for row in range(1, 6)),
    ],
)
def test_where_a_suppression_must_stand(row: int, alone: bool, silences: bool) -> None:
    comment = "-- pglint: ignore[PGL102] one nightly session"
    lines = _STATEMENT.splitlines()
    if alone:
        lines.insert(row - 1, comment)
    else:
        lines[row - 1] += f" {comment}"
    run = lint_text("\n".join(lines) + "\n", "a.sql", Settings())
    assert ("PGL102" not in {finding.rule.code for finding in run.findings}) is silences


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert ".venv/bin/python -m pytest\n" in README
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ci.rstrip().endswith("\npython -m pytest")


def test_the_examples_show_findings_of_several_rules() -> None:
    codes = {
        finding.rule.code
        for path in sorted((ROOT / "examples").glob("*.sql"))
        for finding in lint_text(path.read_text(encoding="utf-8"), path.name, Settings()).findings
    }
    assert {"PGL101", "PGL102", "PGL201", "PGL301", "PGL401", "PGL501", "PGL701"} <= codes


def test_the_python_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    (tmp_path / "db").mkdir()
    monkeypatch.chdir(tmp_path)
    exec(shown[1], {})
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("paging.sql 1 PGL") for line in lines)


def test_the_table_of_output_formats_lists_all_of_them() -> None:
    section = README.partition("| `--output-format` | for |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([a-z]+)`", section)) == sorted(FORMATS)
