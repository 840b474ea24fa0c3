"""`github`: workflow commands, which GitHub Actions turns into notes beside the lines.

The form is that of "Workflow commands for GitHub Actions" in GitHub's manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pglint_locks.findings import Finding, Severity
from pglint_locks.reporters.escape import escape
from pglint_locks.reporters.filenames import path_in_repository
from pglint_locks.reporters.options import RenderOptions

if TYPE_CHECKING:
    from pglint_locks.run import Run

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(run: Run, options: RenderOptions) -> str:
    """One `::error …::message` line for each finding of the run (notes are `notice`)."""
    paths: dict[str, str] = {}
    for finding in run.findings:
        name = finding.source.name
        if name not in paths:
            paths[name] = path_in_repository(name, options.cwd)
    return "".join(f"{_command(each, paths[each.source.name])}\n" for each in run.findings)


def _command(finding: Finding, path: str) -> str:
    start = finding.source.position(finding.span.start)
    end = finding.source.position(finding.span.end)
    properties = {
        "file": path,
        "line": str(start.row),
        "col": str(start.column),
        "endLine": str(end.row),
        "endColumn": str(end.column),
        "title": f"{finding.rule.code} {finding.rule.name}",
    }
    if start.row != end.row:
        del properties["endColumn"]  # GitHub knows columns within one line only
    listed = ",".join(f"{key}={_escaped(each, _PROPERTY)}" for key, each in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escaped(finding.text, _DATA)}"


def _escaped(text: str, replacements: dict[str, str]) -> str:
    """GitHub's own escapes, and those of `escape` for what GitHub leaves alone."""
    return "".join(replacements.get(char) or escape(char) for char in text)
