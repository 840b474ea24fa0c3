"""SQL in the string literals of application code.

One core, over ast-grep's parsers (the extra `code`), and a table for each language.
"""

from __future__ import annotations

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.kinds import FileKind, kind_of
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.sql.lockwords import code_lock_word_spans
from pglint_locks.text import SourceText


def read(source: SourceText) -> FileContent:
    """The SQL of each function; without the parser, the lock words that were not read."""
    return read_kind(source, kind_of(source.name))


def read_kind(source: SourceText, kind: FileKind) -> FileContent:
    """The same of code of a kind that the text's name does not tell."""
    from pglint_locks.sources.host.languages import language_of
    from pglint_locks.sources.host.reader import read_code

    try:
        return read_code(source, language_of(kind.name))
    except ImportError:
        unread = (
            NotAnalysed(kind.missing, source, span) for span in code_lock_word_spans(source.text)
        )
        return FileContent(not_analysed=tuple(unread))
