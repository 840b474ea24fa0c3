"""SQL in JSON: the strings under keys that say so."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.jsonstrings import BrokenJsonError, JsonString, put_value, strings
from pglint_locks.sources.keys import holds_sql
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceText, Span


def read(source: SourceText) -> FileContent:
    """Each string under a key that holds SQL, also in an array there, as a script of its own."""
    scripts: list[SqlUnit] = []
    unread: tuple[NotAnalysed, ...] = ()
    try:
        scripts.extend(_units(source, strings(source.text)))
    except BrokenJsonError as error:
        unread = tuple(unread_behind(source, error.at))
    return FileContent(scripts=tuple(scripts), not_analysed=unread)


def _units(source: SourceText, found: Iterator[JsonString]) -> Iterator[SqlUnit]:
    for each in found:
        key = next((step for step in reversed(each.path) if isinstance(step, str)), "")
        if holds_sql(key):
            assembly = Assembly(source)
            put_value(assembly, source.text, each.span)
            yield assembly.unit()


def unread_behind(source: SourceText, at: int) -> Iterator[NotAnalysed]:
    """The lock words behind the place where a file stops to be JSON."""
    for words in lock_word_spans(source.text[at:]):
        yield NotAnalysed("broken JSON", source, Span(*words).shifted(at))
