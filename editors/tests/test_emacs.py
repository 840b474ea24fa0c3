"""Emacs itself with Eglot and the module of `editors/emacs`: from the diagnostic to the repair."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "pglint_locks", "lsp"]
CLAIM = """-- 🐘 claim
UPDATE jobs SET state = 'running' -- é
 WHERE '🐘' <> '' AND id IN (SELECT id FROM jobs LIMIT 10
               FOR UPDATE SKIP LOCKED);
"""


def test_a_session(tmp_path: Path) -> None:
    file = tmp_path / "claim.sql"
    file.write_text(CLAIM)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    seen_in = tmp_path / "seen.json"
    done = subprocess.run(
        [
            *("emacs", "--batch", "-f", "package-initialize"),
            *("-L", str(HERE.parent / "emacs"), "-l", str(HERE / "emacs_session.el")),
        ],
        cwd=tmp_path,
        env={**os.environ, "SEEN": str(seen_in), "COMMAND": json.dumps(COMMAND)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert seen_in.exists(), done.stderr
    seen = json.loads(seen_in.read_text())
    assert done.returncode == 0, (seen, done.stderr)
    said = {(kind, words): text for kind, words, text in seen["found"]}  # in any order
    assert "LIMIT 10 does not bound this UPDATE of jobs" in said["eglot-error", "IN"]
    assert "locks jobs FOR UPDATE" in seen["hover"]
    assert file.read_text() == CLAIM.replace("IN (", "= ANY (ARRAY(").replace(");", "));")
    assert "1 locking clause" in seen["report"]
