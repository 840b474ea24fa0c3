"""SQL in the code fences of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import SourceText, Span

LANGUAGES = frozenset({"sql", "postgres", "postgresql", "pgsql", "plpgsql", "psql"})
"""What the block of code of a document may say that it is."""

_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n`]*)", re.MULTILINE)
_WORD = re.compile(r"[\w+#-]*")


def read(source: SourceText) -> FileContent:
    """Each fence that says that it is SQL, as a script of its own."""
    whole = SqlUnit.whole_file(source)
    return FileContent(scripts=tuple(whole.part(span) for span in _sql_fences(source.text)))


def _sql_fences(text: str) -> Iterator[Span]:
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence["mark"].startswith(opening["mark"]) and not fence["info"].strip():
            language = _WORD.match(opening["info"].lstrip("{. "))
            if language is not None and language[0].lower() in LANGUAGES:
                yield Span(min(opening.end() + 1, fence.start()), fence.start())
            opening = None
