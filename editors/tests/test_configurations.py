"""Configurations of editors that are no part of the tests: whether they say what is so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pglint_locks import lint_text
from pglint_locks.sources.kinds import KINDS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EDITORS = Path(__file__).parent.parent
EXAMPLE = EDITORS.parent / "examples" / "claim.sql"
COMMAND = ["pglint-locks", "lsp"]
READ = {f"*{ending}" for kind in KINDS if kind.by_default for ending in kind.endings}


def test_helix() -> None:
    said = tomllib.loads((EDITORS / "helix/languages.toml").read_text())
    server = said["language-server"]["pglint-locks"]
    assert [server["command"], *server["args"]] == COMMAND
    assert list(server["config"]) == ["inlayHints"]
    assert all(each["language-servers"][-1] == "pglint-locks" for each in said["language"])


def test_zed() -> None:
    said = tomllib.loads((EDITORS / "zed/extension.toml").read_text())
    assert {"SQL", "Python"} <= set(said["language_servers"]["pglint-locks"]["languages"])
    assert said["schema_version"] == 1
    crate = tomllib.loads((EDITORS / "zed/Cargo.toml").read_text())
    assert crate["lib"]["crate-type"] == ["cdylib"]
    settings = json.loads((EDITORS / "zed/settings.json").read_text())
    assert settings["lsp"]["pglint-locks"]["initialization_options"] == {"inlayHints": True}
    code = (EDITORS / "zed/src/lib.rs").read_text()
    assert f'which("{COMMAND[0]}")' in code
    assert f'vec!["{COMMAND[1]}".to_string()]' in code


def test_jetbrains() -> None:
    """Each kind of file that is read in folders, but for notebooks, has its patterns there."""
    said = json.loads((EDITORS / "jetbrains/template.json").read_text())
    assert said["programArgs"]["default"].split() == COMMAND
    patterns = {
        pattern for each in said["fileTypeMappings"] for pattern in each["fileType"]["patterns"]
    }
    assert patterns == READ - {"*.ipynb"}
    options = json.loads((EDITORS / "jetbrains/initializationOptions.json").read_text())
    assert list(options) == ["inlayHints"]


def test_efm(tmp_path: Path) -> None:
    """Its command finds what `check` finds, and its formats read that, as Vim's would."""
    said = yaml.safe_load((EDITORS / "efm/config.yaml").read_text())
    tool = said["tools"]["pglint-locks"]
    assert set(said["languages"]) >= {"sql", "python"}
    command = tool["lint-command"].replace("${INPUT}", "db/claim.sql")
    command = command.replace("pglint-locks", f"'{sys.executable}' -m pglint_locks", 1)
    with EXAMPLE.open() as text:
        done = subprocess.run(
            command,
            shell=True,
            stdin=text,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    (tmp_path / "printed").write_text(done.stdout)
    formats = ",".join(each.replace(",", "\\,") for each in tool["lint-formats"])
    session = (
        f"let &errorformat = {json.dumps(formats)} | cgetfile printed"
        " | call writefile([json_encode(getqflist())], 'read.json') | quit"
    )
    subprocess.run(
        [os.environ.get("NVIM", "nvim"), "--clean", "--headless", "-c", session],
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    read = json.loads((tmp_path / "read.json").read_text())
    assert [
        (f"PGL{each['nr']}", each["type"], each["lnum"], each["col"], each["text"]) for each in read
    ] == [
        (each.code, each.severity.value[0], *each.location, each.text)
        for each in lint_text(EXAMPLE.read_text(), "db/claim.sql")
    ]


@pytest.mark.parametrize("module", ["neovim/lua/pglint_locks.lua", "emacs/pglint-locks.el"])
def test_modules_start_the_same_command(module: str) -> None:
    text = (EDITORS / module).read_text()
    assert re.search(r'"pglint-locks",?\s"lsp"', text)
