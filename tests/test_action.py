"""The GitHub action: its shell steps are run as they stand in action.yml."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import checkout
import pytest
import yaml

BAD = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 10 FOR UPDATE);\n"
ACTION = yaml.safe_load((checkout.ROOT / "action.yml").read_text(encoding="utf-8"))
_INSTALL, _LINT = (step for step in ACTION["runs"]["steps"] if "run" in step)


def _run(step: dict[str, Any], folder: Path, runner: Path, **inputs: str) -> tuple[int, str]:
    """Run a shell step as GitHub does, expressions filled in."""
    values = {
        "github.action_path": str(checkout.ROOT),
        "steps.python.outputs.python-path": sys.executable,
        **{f"inputs.{key}": declared["default"] for key, declared in ACTION["inputs"].items()},
        **{f"inputs.{key}": value for key, value in inputs.items()},
    }

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: values[found[1]], text)

    assert "${{" not in step["run"], "an input in a script would be run as part of it"
    environment = {key: filled(text) for key, text in step["env"].items()}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = checkout.run(shell, folder, {"RUNNER_TEMP": str(runner), **environment})
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's directory for temporary files, the action installed in it."""
    folder = tmp_path_factory.mktemp("runner")
    status, output = _run(_INSTALL, folder, folder)
    assert status == 0, output
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with one bad file in each of two directories."""
    for name in ("db/claim.sql", "app/claim.sql"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(BAD, encoding="utf-8")
    return tmp_path


def test_python_is_set_up_before_it_is_used() -> None:
    first = ACTION["runs"]["steps"][0]
    assert ACTION["runs"]["using"] == "composite"
    assert first["uses"].startswith("actions/setup-python@")
    assert first["id"] == "python"


def test_findings_become_annotations(workspace: Path, runner: Path) -> None:
    status, output = _run(_LINT, workspace, runner)
    assert status == 1, output
    commands = [line for line in output.splitlines() if line.startswith("::error ")]
    assert len(commands) == 2
    assert "file=app/claim.sql,line=1," in commands[0]
    assert "file=db/claim.sql,line=1," in commands[1]
    assert "PGL101" in commands[0]


def test_the_reader_of_application_code_is_installed(runner: Path) -> None:
    assert list(runner.glob("pglint-locks/ast_grep_py/__init__.py"))


def test_inputs_are_split_at_spaces(workspace: Path, runner: Path) -> None:
    paths = "db/*.sql app"
    arguments = "--fail-on never --ignore PGL301"
    status, output = _run(_LINT, workspace, runner, paths=paths, args=arguments)
    assert status == 0, output
    assert output.count("::error ") == 2
    assert "::notice" not in output


def test_inputs_are_not_run(workspace: Path, runner: Path) -> None:
    status, output = _run(_LINT, workspace, runner, paths="$(touch${IFS}pwned);touch pwned -x")
    assert status == 2, output
    assert not (workspace / "pwned").exists()
