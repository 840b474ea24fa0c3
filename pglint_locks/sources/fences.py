"""SQL in the code fences of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import SourceText, Span

LANGUAGES = frozenset({"sql", "postgres", "postgresql", "pgsql", "plpgsql", "psql"})
"""What the block of code of a document may say that it is."""

_FENCE = re.compile(
    r"^(?P<before>[ \t>]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n`]*)", re.MULTILINE
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_WORD = re.compile(r"[\w+#-]*")


def read(source: SourceText) -> FileContent:
    """Each fence that says that it is SQL, as a script of its own."""
    whole = SqlUnit.whole_file(source)
    return FileContent(
        scripts=tuple(
            _unquoted(source, span, depth) if depth else whole.part(span)
            for span, depth in _sql_fences(source.text)
        )
    )


def _sql_fences(text: str) -> Iterator[tuple[Span, int]]:
    """What stands in each such fence, and in how many block quotes it does."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence["mark"].startswith(opening["mark"]) and not fence["info"].strip():
            language = _WORD.match(opening["info"].lstrip("{. "))
            if language is not None and language[0].lower() in LANGUAGES:
                end = fence.start()
                yield Span(min(opening.end() + 1, end), end), opening["before"].count(">")
            opening = None


def _unquoted(source: SourceText, span: Span, depth: int) -> SqlUnit:
    """The lines of a fence without the signs of the block quotes around it."""
    assembly = Assembly(source)
    marks = re.compile(rf"(?:[ \t]*>){{0,{depth}}}[ \t]?")
    for line in _LINE.finditer(source.text, span.start, span.end):
        found = marks.match(source.text, line.start(), line.end())
        assembly.copy(Span(found.end() if found else line.start(), line.end()))
    return assembly.unit()._replace(escape=_in_line)


def _in_line(text: str) -> str | None:
    """A further line would need the signs of its own."""
    return None if "\n" in text or "\r" in text else text
