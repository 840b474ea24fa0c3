"""Turns a command line and its environment into configurations, for any command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pglint_locks.config import Config, Configs, command_line_layer, environment_layer
from pglint_locks.errors import UsageError


def configurations(given: Mapping[str, object], cwd: Path) -> Configs:
    """The configurations under the options given.

    Raises:
        UsageError: an option, a variable or the file of `--config` is wrong.
    """
    environment = environment_layer(os.environ, cwd)
    command_line = command_line_layer(given, cwd)
    if {"config", "isolated"} <= given.keys():
        raise UsageError("--config and --isolated exclude each other; leave one out")
    layers = (environment, command_line)
    base = Config(layers, cwd, cwd)
    base.check_schema()
    if base["explain"] and base["database-url"] is None:
        raise UsageError("--explain asks a server for plans: give --database-url too")
    forced = None if "isolated" in given else base["config"]
    isolated = "config" not in given and base["isolated"]
    return Configs(cwd, layers, Path(forced) if forced else None, isolated)
