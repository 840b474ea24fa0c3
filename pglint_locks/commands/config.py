"""`pglint-locks config`: every setting, as TOML, and where it comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from pglint_locks.commands.layers import configurations
from pglint_locks.commands.streams import complain_of_plugins, prepare, show
from pglint_locks.config import SELECTION_KEYS, Config
from pglint_locks.errors import UsageError
from pglint_locks.kinds import NEVER, OFF
from pglint_locks.options import OPTIONS, Option
from pglint_locks.paths import absolute, working_directory


def show_config(path: str, given: Mapping[str, object]) -> int:
    """Print the settings that hold for a path; returns the exit status.

    It is 0, or 2 where a plug-in with rules is broken: the rest is printed all the same.

    Raises:
        UsageError: an option, a variable or a configuration file is wrong, or there is no
            such path.
    """
    prepare()
    cwd = working_directory()
    configs = configurations(given, cwd)
    place = absolute(Path(path), cwd)
    if not (path and os.path.exists(place)):
        raise UsageError(f"{path or repr(path)}: no such file or directory")
    config = configs.above(place if os.path.isdir(place) else place.parent)
    rows = [_row(option, config) for option in OPTIONS if option.built and option.in_files]
    rows.append(("# rules that run", " ".join(sorted(config.enabled)), ""))
    show("".join(_lines(rows)))
    return complain_of_plugins()


def _row(option: Option, config: Config) -> tuple[str, str, str]:
    """Key, value and origin; an unset key is a comment, as TOML has no word for it."""
    is_selection = option.key in SELECTION_KEYS
    value = config.selectors(option.key) if is_selection else config[option.key]
    if option.key == "fail-on" and value is None:
        value = NEVER
    key = f"# {option.key}" if value is None else option.key
    return key, "" if value is None else _as_toml(value), config.origin(option.key)


def _lines(rows: list[tuple[str, str, str]]) -> list[str]:
    lines = []
    for key, value, origin in rows:
        setting = f"{key} = {value}" if value or not key.startswith("#") else f"{key} is not set"
        if not origin:
            setting = f"{key}: {value}"
        lines.append(f"{setting}  # {origin}\n" if origin else f"{setting}\n")
    return lines


def _as_toml(value: Any) -> str:
    if value is None:
        return f'"{OFF}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return _quoted(str(value.value))
    if isinstance(value, dict):
        pairs = (f"{_quoted(key)} = {_as_toml(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_as_toml, value)) + "]"
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
