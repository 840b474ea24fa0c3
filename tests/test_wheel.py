"""The package as it is published: what is in it, and that it works away from the sources."""

from __future__ import annotations

import email
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import checkout
import pytest

from pglint_locks import __version__
from pglint_locks.rules import RULES

BAD = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 10 FOR UPDATE);\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the source distribution, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    project = checkout.copy_project(folder / "project")
    command = [sys.executable, "-m", "build", "--outdir", folder / "dist", project]
    done = checkout.run(command, folder)
    assert done.returncode == 0, done.stdout
    return folder / "dist"


def test_what_the_wheel_holds(built: Path) -> None:
    (path,) = built.glob("*.whl")
    assert path.name == f"pglint_locks-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        info = f"pglint_locks-{__version__}.dist-info"
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
        licence = wheel.read(f"{info}/licenses/LICENSE").decode()
    assert {f"pglint_locks/pages/{rule.page}" for rule in RULES} <= names
    assert "pglint_locks/py.typed" in names
    assert "pglint_locks/reporters/findings.schema.json" in names
    assert {name.split("/")[0] for name in names} == {"pglint_locks", info}
    assert metadata["License-Expression"] == "GPL-3.0-or-later"
    assert "GNU GENERAL PUBLIC LICENSE" in licence
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra" not in line]
    assert sorted(line.split(">")[0] for line in required) == [
        "click",
        "pathspec",
        "pglast<9,",
        "tomli",
    ]


def test_what_the_source_distribution_holds(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    wanted = {"README.md", "LICENSE", "pyproject.toml", ".pre-commit-hooks.yaml", "action.yml"}
    assert wanted <= names
    assert {f"rules/{rule.page}" for rule in RULES} <= names
    assert "tests/test_wheel.py" in names
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_works_away_from_the_sources(built: Path, tmp_path: Path) -> None:
    (path,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    install = [programs / "python", "-m", "pip", "install", "--quiet", path]
    assert checkout.run(install, tmp_path).returncode == 0
    (tmp_path / "claim.sql").write_text(BAD, encoding="utf-8")

    program = programs / "pglint-locks"
    done = checkout.run([program, "check", "claim.sql", "--output-format", "concise"], tmp_path)
    assert done.returncode == 1, done.stdout
    assert done.stdout.startswith("claim.sql:1:27: PGL101 error ")
    done = checkout.run([program, "explain", "PGL101"], tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout == (checkout.ROOT / "rules" / _page("PGL101")).read_text(encoding="utf-8")
    done = checkout.run([programs / "python", "-m", "pglint_locks", "--version"], tmp_path)
    assert done.stdout == f"pglint-locks {__version__}\n"


def _page(code: str) -> str:
    return next(rule.page for rule in RULES if rule.code == code)
