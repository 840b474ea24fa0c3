"""Neovim itself with the module of `editors/neovim`: from the diagnostic to the saved repair."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from pglint_locks import lint_text

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "pglint_locks", "lsp"]
NEOVIM = os.environ.get("NVIM", "nvim")
CLAIM = """-- 🐘 claim
UPDATE jobs SET state = 'running' -- é
 WHERE '🐘' <> '' AND id IN (SELECT id FROM jobs LIMIT 10
               FOR UPDATE SKIP LOCKED);
"""


def test_a_session(tmp_path: Path) -> None:
    file = tmp_path / "claim.sql"
    file.write_text(CLAIM)
    seen_in = tmp_path / "seen.json"
    modules = HERE.parent / "neovim"
    done = subprocess.run(
        [
            *(NEOVIM, "--clean", "--headless", "--cmd", f"set runtimepath^={modules}"),
            *("-S", str(HERE / "neovim_session.lua")),
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
    # Neovim counts columns in bytes of UTF-8.
    before = " WHERE '🐘' <> '' AND id ".encode()
    first = seen["found"][0]
    assert first[:5] == ["PGL101", 2, len(before), 2, len(before) + 2]
    assert first[5] == 1, "an error"
    assert "locks `jobs` `FOR UPDATE`" in seen["hover"]
    assert seen["titles"][0] == "PGL101: have the locking sub-SELECT run once"
    assert "Suppress PGL101 here, with a reason" in seen["titles"]
    saved = file.read_text()
    assert saved == CLAIM.replace("IN (", "= ANY (ARRAY(").replace(");", "));")
    assert [each.code for each in lint_text(saved, "claim.sql")] == [
        each[0] for each in seen["left"]
    ]
    assert seen["report"][2].startswith("1 locking clause")
