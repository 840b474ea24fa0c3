"""PostgreSQL's isolation tests: what each session does, step by step (`specscanner.l`)."""

from __future__ import annotations

import re

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.content import FileContent
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceText, Span

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
    | \{ (?P<block>[^}]*) (?P<closed>\})?
    | \b(?P<word>session|setup|teardown|step|permutation)\b
    | "(?P<quoted>[^"\r\n]*)" | (?P<name>[A-Za-z_][\w$]*)""",
    re.VERBOSE,
)


def read(source: SourceText) -> FileContent:
    """Each session's setup, steps and teardown, in their order, as one script.

    Those of the whole test are scripts of their own.  A file without a session is no such test.
    """
    scripts: list[SqlUnit] = []
    comments: list[Comment] = []
    unread: list[NotAnalysed] = []
    session: tuple[str, Assembly] | None = None
    expected = ""
    for token in _TOKEN.finditer(source.text):
        if token["comment"]:
            comments.append(Comment(Span(*token.span()), token[0]))
        elif token["block"] is not None:
            span = Span(*token.span("block"))
            if not token["closed"]:
                unread += _unread(source, span)
            elif expected in ("setup", "teardown", "step"):
                assembly = session[1] if session is not None else Assembly(source)
                assembly.copy(span)
                assembly.put("\n;\n", Span(*token.span("closed")))
                if session is None:
                    scripts.append(assembly.unit())
            expected = ""
        elif token["word"]:
            expected = token["word"]
            if expected in ("session", "permutation") and session is not None:
                scripts.append(session[1].unit(session[0]))
                session = None
        elif expected == "session":
            session = (f"session {token['quoted'] or token['name']}", Assembly(source))
            expected = ""
    if session is not None:
        scripts.append(session[1].unit(session[0]))
    if not any(script.label for script in scripts):
        return FileContent()
    return FileContent(tuple(scripts), (), tuple(comments), (), tuple(unread))


def _unread(source: SourceText, span: Span) -> list[NotAnalysed]:
    return [
        NotAnalysed("a block that is never closed", source, words.shifted(span.start))
        for words in lock_word_spans(source.text[span.start : span.end])
    ]
