"""Reads one configuration file: its TOML, its keys and the kinds of their values."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.options import BY_KEY, OPTIONS, checked
from pglint_locks.paths import kind_of_file

FILE_NAMES = (".pglint-locks.toml", "pglint-locks.toml", "pyproject.toml")
TABLE = "pglint-locks"


def read_config_file(path: Path, shown: str) -> Mapping[str, Any] | None:
    """The values that a configuration file sets, by key.

    None for a `pyproject.toml` that has no table of ours.
    `shown` is the file's name in messages.

    Raises:
        UsageError: the file cannot be read, is no TOML, or has an unknown key or a
            value of the wrong kind.
    """
    table = _read_table(path, shown)
    if table is None:
        return None
    prefix = f"{shown}: tool.{TABLE}." if path.name == "pyproject.toml" else f"{shown}: "
    values = {}
    known = [option.key for option in OPTIONS if option.in_files]
    for key, value in table.items():
        if key not in known:
            if key in BY_KEY:
                where = f"on the command line, or as {BY_KEY[key].variable}"
                raise UsageError(f"{prefix}{key} can only be set {where}")
            raise UsageError(f"{prefix}{key} is no known key{did_you_mean(key, known)}")
        values[key] = checked(BY_KEY[key], value, f"{prefix}{key}")
    return values


def _read_table(path: Path, shown: str) -> Mapping[str, object] | None:
    """Our table of a TOML file: the whole file, or `[tool.pglint-locks]` of a pyproject."""
    # A pipe is fine for `--config`; where files are looked for, it would block the run.
    if path.name in FILE_NAMES and os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{shown}: is {kind_of_file(path)}, no configuration file; rename it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{shown}: cannot be read: {error.strerror}") from None
    is_pyproject = path.name == "pyproject.toml"
    if is_pyproject and TABLE.encode() not in content:
        return None
    table = _load_toml(content, shown)
    if not is_pyproject:
        return table
    tool = table.get("tool")
    ours = tool.get(TABLE) if isinstance(tool, dict) else None
    if ours is not None and not isinstance(ours, dict):
        raise UsageError(f"{shown}: tool.{TABLE} must be a table")
    return ours


def _load_toml(content: bytes, shown: str) -> dict[str, object]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{shown}:{line}: is not UTF-8") from None
    try:
        table: dict[str, object] = tomllib.loads(text)
        return table
    except tomllib.TOMLDecodeError as error:
        message, line, column = _toml_error(str(error), text)
        raise UsageError(f"{shown}:{line}:{column}: is no valid TOML: {message}") from None


def _toml_error(message: str, text: str) -> tuple[str, int, int]:
    """A TOML error's words, line and column (tomllib has the place in its words only)."""
    found = re.fullmatch(r"(.*?) \((?:at line (\d+), column (\d+)|at end of document)\)", message)
    if found and found[2]:
        return found[1], int(found[2]), int(found[3])
    lines = text.split("\n")
    return (found[1] if found else message), len(lines), len(lines[-1]) + 1
