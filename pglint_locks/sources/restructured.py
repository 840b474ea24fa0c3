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
_HIGHLIGHT = re.compile(r"^\.\.[ \t]+highlight::[ \t]*(?P<language>[\w+#-]*)", re.MULTILINE)
# A paragraph that ends in `::`, and so says that a block of code follows.
_PARAGRAPH = re.compile(
    r"^(?P<indent>[ \t]*)(?!\.\.[ \t])(?:\S[^\r\n]*)?::[ \t]*\r?$", re.MULTILINE
)
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<text>[^\r\n]*)(?:\r\n|\r|\n|\Z)")
_OPTION = re.compile(r":[\w-]+:")


def read(source: SourceText) -> FileContent:
    """Each code block that says that it is SQL, as a script of its own."""
    whole = SqlUnit.whole_file(source)
    return FileContent(scripts=tuple(whole.part(span) for span in _sql_blocks(source.text)))


def _sql_blocks(text: str) -> Iterator[Span]:
    """Blocks after a directive, and those after `::`, which are what `highlight` said last."""
    said = [(each.start(), each["language"].lower()) for each in _HIGHLIGHT.finditer(text)]
    opened = [*_DIRECTIVE.finditer(text), *(_PARAGRAPH.finditer(text) if said else ())]
    end = 0
    for opening in sorted(opened, key=re.Match.start):
        if opening.start() < end:
            continue  # in another block
        language = opening.groupdict().get("language", "").lower()
        if not language:
            before = [each for place, each in said if place < opening.start()]
            language = before[-1] if before else ""
        block = _block(text, opening.end(), len(opening["indent"]))
        if block is not None:
            end = block.end
            if language in LANGUAGES:
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
