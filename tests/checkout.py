"""A copy of this project as a fresh clone would be, and commands run in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
_NOT_COPIED = shutil.ignore_patterns(
    ".git", "__pycache__", ".*_cache", ".hypothesis", "*venv", "dist"
)


def copy_project(target: Path) -> Path:
    """Copy the project, as it stands, without what git would not have."""
    shutil.copytree(ROOT, target, ignore=_NOT_COPIED)
    return target


def run(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, away from this project and from the user's own settings."""
    cleaned = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "NO_COLOR", "FORCE_COLOR")
        and not name.startswith(("PGLINT_LOCKS_", "GIT_"))
    }
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**cleaned, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
