"""What a run found, as text: one module for each format of `--output-format`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pglint_locks.reporters import concise, full, github, json_findings
from pglint_locks.reporters.options import RenderOptions

if TYPE_CHECKING:
    from pglint_locks.run import Run

__all__ = ["FORMATS", "RenderOptions", "render"]

FORMATS: Mapping[str, Callable[[Run, RenderOptions], str]] = MappingProxyType(
    {
        "full": full.render,
        "concise": concise.render,
        "json": json_findings.render_array,
        "jsonl": json_findings.render_lines,
        "github": github.render,
    }
)


def render(run: Run, format: str, options: RenderOptions) -> str:
    """The whole report of a run in one of `FORMATS`; every line of it ends in LF.

    Findings lighter than `options.threshold` are left out; the others keep the run's
    order.  Text formats are empty where there is nothing to show.

    Raises:
        KeyError: `format` is not in `FORMATS`.
    """
    shown = tuple(found for found in run.findings if found.severity >= options.threshold)
    return FORMATS[format](replace(run, findings=shown), options)
