"""SQL in the code blocks of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.fences import LANGUAGES
from pglint_locks.sources.units import SqlUnit
from pglint_locks.text import SourceText, Span

_DIRECTIVE = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+][ \t]+)?"
    r"\.\.[ \t]+(?:code-block|code|sourcecode)::[ \t]*(?P<language>[\w+#-]*)[ \t]*\r?$",
    re.MULTILINE,
)
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<text>[^\r\n]*)(?:\r\n|\r|\n|\Z)")
_OPTION = re.compile(r":[\w-]+:")


def read(source: SourceText) -> FileContent:
    """Each code block that says that it is SQL, as a script of its own."""
    whole = SqlUnit.whole_file(source)
    return FileContent(scripts=tuple(whole.part(span) for span in _sql_blocks(source.text)))


def _sql_blocks(text: str) -> Iterator[Span]:
    for directive in _DIRECTIVE.finditer(text):
        if directive["language"].lower() in LANGUAGES:
            block = _block(text, directive.end(), len(directive["indent"]))
            if block is not None:
                yield block


def _block(text: str, at: int, indent: int) -> Span | None:
    """The lines behind a directive that stand further to the right, without its options."""
    first = last = None
    at = _end_of_line(text, at)
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None
        if line["text"]:
            if len(line["indent"]) <= indent:
                break
            if first is not None or not _OPTION.match(line["text"]):
                first = at if first is None else first
                last = line.end()
        at = line.end()
    return None if first is None or last is None else Span(first, last)


def _end_of_line(text: str, at: int) -> int:
    line = _LINE.match(text, at)
    return line.end() if line else len(text)
