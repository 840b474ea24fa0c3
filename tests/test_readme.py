"""README holds what the program really does."""

from __future__ import annotations

import re
from pathlib import Path

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity
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
        assert f"| [{rule.code}](rules/{rule.page}) | {rule.name} |" in README


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
