"""A linter for PostgreSQL's row-locking clauses.

`lint_text` and `lint_paths` lint from Python; `Finding` is what they give.  `Rule`, `Subject`,
`Hazard`, `Note` and the like are what rules of other packages are made of, `pglint_locks.model`
is what they read, and `pglint_locks.testing` has their tests.  A name loads its module when
it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Edit",
    "FiledNote",
    "Finding",
    "Fix",
    "Hazard",
    "LintError",
    "Note",
    "Place",
    "Position",
    "Rule",
    "RunHazard",
    "Severity",
    "Span",
    "Subject",
    "UsageError",
    "__version__",
    "lint_paths",
    "lint_text",
]

if TYPE_CHECKING:
    from pglint_locks.api import LintError, lint_paths, lint_text
    from pglint_locks.errors import UsageError
    from pglint_locks.findings import (
        Edit,
        FiledNote,
        Finding,
        Fix,
        Hazard,
        Note,
        Place,
        Rule,
        RunHazard,
        Severity,
        Subject,
    )
    from pglint_locks.text import Position, Span

_HOMES = {
    "api": ("LintError", "lint_paths", "lint_text"),
    "errors": ("UsageError",),
    "findings": (
        *("Edit", "FiledNote", "Finding", "Fix", "Hazard", "Note", "Place", "Rule", "RunHazard"),
        *("Severity", "Subject"),
    ),
    "text": ("Position", "Span"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
