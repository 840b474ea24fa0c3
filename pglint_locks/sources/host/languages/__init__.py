"""One table for each language; `LANGUAGES` has them by the name of the file's kind."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pglint_locks.sources.host.language import Language

# Kinds of files: the module that has the table, and its name there.
_HOMES = {
    "Python": ("python", "PYTHON"),
    "Go": ("go", "GO"),
    "JavaScript": ("ecmascript", "JAVASCRIPT"),
    "TypeScript": ("ecmascript", "TYPESCRIPT"),
    "TSX": ("ecmascript", "TSX"),
    "Java": ("java", "JAVA"),
    "Ruby": ("ruby", "RUBY"),
    "Kotlin": ("kotlin", "KOTLIN"),
    "C#": ("csharp", "CSHARP"),
    "PHP": ("php", "PHP"),
    "Rust": ("rust", "RUST"),
    "Elixir": ("elixir", "ELIXIR"),
    "Scala": ("scala", "SCALA"),
    "Swift": ("swift", "SWIFT"),
}


def language_of(kind: str) -> Language:
    """The table of a kind of file."""
    module, name = _HOMES[kind]
    table: Language = getattr(import_module(f"{__name__}.{module}"), name)
    return table
