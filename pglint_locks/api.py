"""Linting from Python: what `import pglint_locks` offers of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pglint_locks.config import SELECTION_KEYS, Config, Configs, Layer
from pglint_locks.discovery import FoundFile, discover
from pglint_locks.engine import lint_files
from pglint_locks.engine import lint_text as run_text
from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.findings import Finding, Severity
from pglint_locks.options import BY_KEY, checked
from pglint_locks.paths import absolute, working_directory
from pglint_locks.plugins import plugin_errors
from pglint_locks.run import Run

# What has no meaning where nothing is printed, written or compared with an earlier state.
_TOPICS = ("What is reported", "What is known of tables", "")
_OF_THE_PROGRAM = frozenset({"fail-on", "since", "staged", "baseline", "write-baseline"})


class LintError(Exception):
    """Something could not be linted: `errors` has a line for each file or plug-in that failed.

    `findings` are those of all that could be.
    """

    def __init__(self, errors: Sequence[str], findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(errors))
        self.errors = tuple(errors)
        self.findings = list(findings)

    def __reduce__(self) -> tuple[type[LintError], tuple[tuple[str, ...], list[Finding]]]:
        return type(self), (self.errors, self.findings)


def lint_text(
    sql: str,
    filename: str = "<text>",
    *,
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
) -> list[Finding]:
    """Lint SQL, or what else a file of that name would hold (`app.py`: Python with SQL in it).

    Args:
        sql: The text.
        filename: What findings call it; its ending says how it is read.
        select: Run these rules and no others: codes, prefixes, names, or `ALL`.
        extend_select: Run these rules too.
        ignore: Do not run these rules.
        options: More settings, by the keys of a configuration file (`{"queue-tables": ["jobs"]}`).

    Returns:
        The findings, in the order of every report; suppressed ones are not among them.

    Raises:
        UsageError: no rule or option is called so, or a value is wrong.
        LintError: the text could not be linted, or a plug-in with rules is broken.
    """
    cwd = working_directory()
    layer = _layer(select, extend_select, ignore, options, cwd)
    config = Config((layer,), cwd, cwd)
    config.check_schema()
    settings = config.settings(absolute(Path(filename), cwd))
    run = run_text(sql, filename, settings)
    return _findings(run, (), {filename: settings.severity_threshold})


def lint_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
) -> list[Finding]:
    """Lint files, and the files in directories, as `pglint-locks check` does.

    The nearest configuration file above each file holds, and what is given here goes before
    it; the environment is not looked at.

    Args:
        paths: Files and directories.
        config: Use this configuration file alone.
        isolated: Use no configuration file.
        select: As in `lint_text`.
        extend_select: As in `lint_text`.
        ignore: As in `lint_text`.
        options: As in `lint_text`.

    Returns:
        The findings of all files, in the order of every report.

    Raises:
        UsageError: no rule or option is called so, a value is wrong, or `config` is.
        LintError: a path does not exist, a file or a configuration file above it cannot be
            read, or a plug-in with rules is broken.
    """
    if config is not None and isolated:
        raise UsageError("config and isolated exclude each other; leave one out")
    cwd = working_directory()
    layer = _layer(select, extend_select, ignore, options, cwd)
    Config((layer,), cwd, cwd).check_schema()
    configs = Configs(cwd, (layer,), Path(config) if config is not None else None, isolated)
    found = discover([os.fspath(path) for path in paths], configs, cwd)
    thresholds: dict[str, Severity] = {}

    def settings_for(file: FoundFile) -> Any:
        settings = configs.above(file.path.parent).settings(file.path)
        thresholds[file.name] = settings.severity_threshold
        return settings

    return _findings(lint_files(found.files, settings_for), found.errors, thresholds)


def _layer(
    select: Iterable[str] | None,
    extend_select: Iterable[str],
    ignore: Iterable[str],
    options: Mapping[str, object] | None,
    cwd: Path,
) -> Layer:
    """The settings that are given, checked as those of a configuration file are."""
    given: dict[str, object] = {key: _plain(value) for key, value in (options or {}).items()}
    if select is not None:
        given["select"] = _list("select", select)
    given["extend-select"] = _list("extend_select", extend_select)
    given["ignore"] = _list("ignore", ignore)
    values = {}
    for key, value in given.items():
        option = BY_KEY.get(key)
        if option is None:
            known = [each.key for each in BY_KEY.values() if _has_meaning(each.key)]
            raise UsageError(f"options: there is no '{key}'{did_you_mean(key, known)}")
        if not _has_meaning(key):
            raise UsageError(f"options: '{key}' has no meaning here; leave it out")
        place = key.replace("-", "_") if key in SELECTION_KEYS else f"options: {key}"
        values[key] = checked(option, value, place)
    return Layer("given", cwd, values)


def _has_meaning(key: str) -> bool:
    return BY_KEY[key].topic in _TOPICS and key not in _OF_THE_PROGRAM


def _list(name: str, words: Iterable[str]) -> list[str]:
    if isinstance(words, str):
        raise UsageError(f"{name} must be a list of codes, not {words!r}; write [{words!r}]")
    return list(words)


def _plain(value: object) -> object:
    """A value as a configuration file would give it."""
    if isinstance(value, Severity):
        return value.value
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    return value


def _findings(run: Run, errors: Sequence[str], thresholds: Mapping[str, Severity]) -> list[Finding]:
    """The findings of a run that are not below the threshold.

    Raises:
        LintError: something could not be linted.
    """
    findings = [each for each in run.findings if each.severity >= thresholds[each.source.name]]
    failed = [*errors, *(f"{error.filename}: {error.message}" for error in run.errors)]
    failed += plugin_errors()
    if failed:
        raise LintError(failed, findings)
    return findings
