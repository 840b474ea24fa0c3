"""SQL in the XML mappers of MyBatis."""

from __future__ import annotations

import re

from pglint_locks.sources.content import FileContent
from pglint_locks.sources.mybatis.elements import BrokenXmlError, Element, parse_xml
from pglint_locks.sources.mybatis.statements import Statements
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceText, Span

_MAPPER = re.compile(r"<mapper\s[^<>]*\bnamespace\s*=")


def read(source: SourceText) -> FileContent:
    """Each statement of a mapper as a script of its own; other XML holds no SQL that we read."""
    if _MAPPER.search(source.text) is None:
        return FileContent()
    unread: list[NotAnalysed] = []
    root = Element("", {}, Span(0, 0))
    comments = []
    try:
        comments = parse_xml(source.text, root)
    except BrokenXmlError as error:
        for words in lock_word_spans(source.text[error.at :]):
            unread.append(NotAnalysed("broken XML", source, words.shifted(error.at)))
    statements = Statements(source, root)
    scripts = tuple(statements.units())
    return FileContent(
        scripts=scripts,
        comments=tuple(comments),
        statements=tuple(statements.places),
        not_analysed=(*statements.unread, *unread),
    )
