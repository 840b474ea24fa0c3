"""How a report is to look, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pglint_locks.findings import Severity


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What the reader's side asks for.

    `color`: whether ANSI colours may be used.  `width`: cells in a line of the reader's
    terminal; 0 where there is none, and then no text is wrapped.  `threshold`: findings
    lighter than this are not shown.  `cwd`: what shown file names are relative to.
    `errors`: what failed the run, a line each; standard error has them too.
    """

    color: bool
    width: int
    threshold: Severity
    cwd: Path
    errors: tuple[str, ...] = ()
