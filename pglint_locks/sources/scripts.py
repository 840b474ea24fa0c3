"""Files that are SQL from end to end."""

from __future__ import annotations

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import SourceText


def read(source: SourceText) -> FileContent:
    """The file as one script."""
    return FileContent(scripts=(SqlUnit.whole_file(source),))
