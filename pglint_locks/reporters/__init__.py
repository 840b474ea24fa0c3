"""What a run found, as text: one module for each format of `--output-format`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from pglint_locks.reporters.options import RenderOptions

if TYPE_CHECKING:
    from pglint_locks.run import Run

__all__ = ["FORMATS", "RenderOptions", "render"]

# The module and function of each format: a run imports only what it is asked for.
FORMATS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "full": ("full", "render"),
        "concise": ("concise", "render"),
        "json": ("json_findings", "render_array"),
        "jsonl": ("json_findings", "render_lines"),
        "github": ("github", "render"),
        "gitlab": ("gitlab", "render"),
        "sarif": ("sarif", "render"),
        "junit": ("junit", "render"),
        "rdjson": ("rdjson", "render"),
        "checkstyle": ("checkstyle", "render"),
        "html": ("html", "render"),
    }
)


def render(run: Run, format: str, options: RenderOptions) -> str:
    """The whole report of a run in one of `FORMATS`; every line of it ends in LF.

    Findings lighter than `options.threshold` are left out; the others keep the run's
    order.  Text formats are empty where there is nothing to show.

    Raises:
        KeyError: `format` is not in `FORMATS`.
    """
    least = options.threshold
    shown = tuple(found for found in run.findings if found.severity >= least)
    silenced = tuple(each for each in run.suppressed if each.finding.severity >= least)
    module, function = FORMATS[format]
    reporter: Callable[[Run, RenderOptions], str] = getattr(
        import_module(f"{__name__}.{module}"), function
    )
    return reporter(run._replace(findings=shown, suppressed=silenced), options)
