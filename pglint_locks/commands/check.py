"""`pglint-locks check`: finds files, lints them, reports, and settles the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pglint_locks.commands.fix import Fixing
from pglint_locks.commands.layers import configurations
from pglint_locks.commands.lint import Lint, add_error
from pglint_locks.commands.sieve import Sieve
from pglint_locks.commands.streams import (
    complain,
    prepare,
    remark,
    show,
    show_beside,
    show_bytes,
    tell,
    terminal_width,
    wants_color,
)
from pglint_locks.commands.suppress import Suppressing
from pglint_locks.config import Config, Configs
from pglint_locks.discovery import Discovery, discover
from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding, Severity
from pglint_locks.paths import absolute, shown, working_directory
from pglint_locks.plugins import plugin_errors

if TYPE_CHECKING:
    from pglint_locks.run import Run

STANDARD_INPUT = "-"
CLEAN, FOUND, FAILED = 0, 1, 2


def check(paths: Sequence[str], given: Mapping[str, object]) -> int:
    """Lint paths under the options given; returns the exit status.

    Raises:
        UsageError: the command line, the environment or `--config` is wrong.  What is
            wrong with one path or one nested configuration file is told instead.
    """
    prepare()
    cwd = working_directory()
    configs = configurations(given, cwd)
    names = list(paths) or ["."]
    if "stdin-filename" in given and STANDARD_INPUT not in names:
        raise UsageError("--stdin-filename is for standard input; add the path -")
    lint = Lint(configs, cwd)
    found = discover([name for name in names if name != STANDARD_INPUT], configs, cwd)
    config = _common_config(names, found, configs, cwd)
    for key in ("output-file", "write-baseline"):
        _spare_inputs(key, names, found, config)
    if not config["quiet"]:
        for line in (*configs.outdated, *found.notices):
            remark(line)
    if config["verbose"] and not config["quiet"]:
        for line in [*(f"reads {file.name}" for file in found.files), *dict.fromkeys(found.links)]:
            remark(line)
    sieve = Sieve(config, found, [absolute(Path(name), cwd) for name in names])
    fixing = Fixing(config, sieve)
    suppressing = Suppressing(config, fixing, STANDARD_INPUT in names)
    run = fixing.files(found.files, lint.settings_for) if fixing.is_wanted else None
    run = run or lint.files(found.files, {**sieve.texts, **fixing.texts})
    if STANDARD_INPUT in names:
        run = lint.with_standard_input(run, found, config, fixing)
    run = sieve.run(run, lint.settings_for)
    if suppressing.files(found.files, lint.settings_for, lint.shown(run)):
        run = lint.files(found.files, {**sieve.texts, **fixing.texts})
        run = sieve.run(run, lint.settings_for)
    told = [*fixing.told(), *suppressing.told(), *sieve.told()]
    return _report(run, lint, found, config, fixing, sieve, told)


def _common_config(names: Sequence[str], found: Discovery, configs: Configs, cwd: Path) -> Config:
    """The configuration of the run itself: the one above all that is linted."""
    stands_for = {STANDARD_INPUT: configs.without_file["stdin-filename"] or STANDARD_INPUT}
    folders = [_folder(stands_for.get(name, name), cwd) for name in names]
    try:
        return configs.above(Path(os.path.commonpath(folders)))
    except ValueError:  # several drives
        return configs.without_file
    except UsageError as error:
        add_error(found, error)
        return configs.without_file


def _spare_inputs(key: str, names: Sequence[str], found: Discovery, config: Config) -> None:
    """Make sure that a file that is written is none of those that are linted, under any name.

    Raises:
        UsageError: it is one; to write findings there would destroy it.
    """
    output = config.file(key)
    if not (output and os.path.exists(output)):
        return
    stands_for = {STANDARD_INPUT: config["stdin-filename"] or os.devnull}
    named = (absolute(Path(stands_for.get(name, name)), config.cwd) for name in names)
    for path in (*(file.path for file in found.files), *named):
        if os.path.isfile(path) and os.path.samefile(path, output):
            what = f"{shown(output, config.cwd)} is one of the files to lint"
            raise UsageError(f"--{key}: {what}; write the findings elsewhere")


def _folder(name: str, cwd: Path) -> Path:
    path = absolute(Path(name), cwd)
    return path if os.path.isdir(path) else path.parent


def _report(
    run: Run,
    lint: Lint,
    found: Discovery,
    config: Config,
    fixing: Fixing,
    sieve: Sieve,
    told: Sequence[str],
) -> int:
    """Print all that there is to say; returns the exit status."""
    seen = lint.shown(run)
    errors = [*found.errors, *(f"{error.filename}: {error.message}" for error in run.errors)]
    errors += [*fixing.errors, *sieve.errors, *plugin_errors()]
    reported = run._replace(findings=tuple(seen), suppressed=lint.silenced(run))
    try:
        _write(reported, config, fixing, errors)
    except OSError as error:
        errors.append(f"{config['output-file']}: cannot be written: {error.strerror}")
    except UsageError as error:
        errors.append(str(error))
    for line in errors:
        complain(line)
    for line in sieve.gone():
        remark(line)
    if config["verbose"] and not config["quiet"]:
        for line in (*run.remarks, *run.unplanned):
            remark(line)
    _summarise(run, seen, config, told)
    if errors:
        return FAILED
    if fixing.patch or sieve.fails or any(_fails(finding, lint) for finding in run.findings):
        return FOUND
    return CLEAN


def _fails(finding: Finding, lint: Lint) -> bool:
    fail_on = lint.settings[finding.source.name].fail_on
    return fail_on is not None and finding.severity >= fail_on


def _write(run: Run, config: Config, fixing: Fixing, errors: Sequence[str]) -> None:
    """Print the findings, or write them to `--output-file`; under `--diff` the patch instead.

    Where standard output is for the fixed text of standard input, findings go beside it.

    Raises:
        OSError: that file cannot be written.
        UsageError: standard output cannot be written.
    """
    path = config.file("output-file")
    passes_on = fixing.passes_on
    if fixing.shows_only:
        text = fixing.patch
    else:
        text = _rendered(run, config, sys.stderr if passes_on is not None else sys.stdout, errors)
    if passes_on is not None:
        show_bytes(passes_on)
    if path:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    elif passes_on is not None:
        show_beside(text)
    else:
        show(text)


def _rendered(run: Run, config: Config, stream: TextIO, errors: Sequence[str]) -> str:
    """The report as `stream`, or `--output-file`, is to have it."""
    from pglint_locks.reporters import RenderOptions, render

    color = wants_color(config["color"], stream, os.environ)
    width = terminal_width(stream)
    if config.file("output-file"):
        color, width = config["color"] == "always", 0
    options = RenderOptions(
        color=color,
        width=width,
        threshold=Severity.NOTE,
        cwd=config.cwd,
        errors=tuple(errors),
    )
    return render(run, config["output-format"], options)


def _summarise(run: Run, seen: Sequence[Finding], config: Config, told: Sequence[str]) -> None:
    from pglint_locks.commands.summary import coverage, last_line, plans, schema_unread, statistics

    tables = []
    if config["statistics"]:
        tables.append(statistics(seen))
    if config["coverage"]:
        tables.append(coverage(run))
    for line in "\n".join(tables).splitlines():
        tell(line)
    for extra in run.missing_extras:
        tell(f"application code is not read: pip install 'pglint-locks[{extra}]' to read its SQL")
    if not config["quiet"]:
        for line in (*schema_unread(run.schema_unread, config["verbose"]), *told):
            tell(line)
        if config["explain"]:
            tell(plans(run))
        tell(last_line(run))
