"""SQL in the string literals of application code.

One core, over ast-grep's parsers (the extra `code`), and a table for each language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.kinds import FileKind, kind_of
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.sql.lockwords import code_lock_word_spans
from pglint_locks.text import SourceText

if TYPE_CHECKING:
    from pglint_locks.sources.orm.models import Models


def read(source: SourceText, models: Models | None = None) -> FileContent:
    """The SQL of each function; without the parser, the lock words that were not read.

    `models` are those of ORMs that other files define.
    """
    return read_kind(source, kind_of(source.name), models)


def read_kind(source: SourceText, kind: FileKind, models: Models | None = None) -> FileContent:
    """The same of code of a kind that the text's name does not tell."""
    from pglint_locks.sources.host.languages import language_of
    from pglint_locks.sources.host.reader import read_code

    try:
        return read_code(source, language_of(kind.name), models or {})
    except ImportError:
        unread = (
            NotAnalysed(kind.missing, source, span) for span in code_lock_word_spans(source.text)
        )
        return FileContent(not_analysed=tuple(unread))
