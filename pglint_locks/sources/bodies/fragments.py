"""Locking clauses in parts of statements: the rest does not show, so they are only counted.

In a text that was put together, `_h` stands for what does not show: see `templates.shown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.bodies.templates import HOLE
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.split import split
from pglint_locks.text import Span

_CLAUSE = (
    r"FOR\s+(?:UPDATE|NO\s+KEY\s+UPDATE|SHARE|KEY\s+SHARE)(?:\s+OF\s+[\w\s,.\"]+?)?"
    r"(?:\s+NOWAIT|\s+SKIP\s+LOCKED)?\s*;?\s*"
)
_FRAGMENT = re.compile(
    rf"\s*{_CLAUSE}(?:\)[^;]*)?|(?i:\s*for\s[\w\s]+\s(?:nowait|skip\s+locked)\s*)"
)
_LAST_CLAUSE = re.compile(rf"{_CLAUSE}(?:\)[^;]*)?\Z")
# In lower case, behind what does not show, or behind a space that parts it from something.
_TAIL = re.compile(rf"(?:\s|_h\b)+(?i:{_CLAUSE})(?:\s|_h\b)*(?:\)[^;]*)?")
_SUB_SELECT = re.compile(
    r"\(\s*SELECT\b[^;]*\bFROM\b[^;]*\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|(?:KEY\s+)?SHARE)\b[^;]*\)",
    re.IGNORECASE,
)
# The same in lower case, where something else tells it from a sentence.
_LAST_IN_ANY_CASE = re.compile(rf"(?i:{_CLAUSE})(?:\)[^;]*)?\Z")
_WRITTEN = re.compile(
    r"(?i:\b(?:from|where|and|order\s+by|limit)\b)[^;]*(?:[=<>?$%:]|(?i:\bnowait|\bskip\s+locked)\s*;?\s*\Z)"
)
_KEYWORDS = re.compile(r"\b(?:FROM|WHERE|ORDER\s+BY|LIMIT)\b")
_HOLES = re.compile(r"(?:\s+_h\b)+\s+")
_HIDDEN_STRENGTH = re.compile(
    r"\b(?P<word>FOR)\s+(?:(?:NO\s+)?KEY\s+)?_h\s*(?:\Z|;|(?i:OF\b|NOWAIT\b|SKIP\s+LOCKED\b))"
)
_LONGEST = 200
_FAR = 2000


def is_fragment(text: str) -> bool:
    """Whether a text is a locking clause, or a query's end with one, to be put behind others."""
    if _FRAGMENT.fullmatch(text[:_LONGEST]):
        return len(text) <= _LONGEST
    if _SUB_SELECT.search(text):
        return True
    if _WRITTEN.search(text[-_FAR:]) and _LAST_IN_ANY_CASE.search(text[-_LONGEST:]):
        return True
    return _KEYWORDS.search(text) is not None and _LAST_CLAUSE.search(text[-_LONGEST:]) is not None


def fragment_spans(text: str) -> Iterator[Span]:
    """The locking clauses in a text that is a part of a statement, or of which parts are hidden."""
    at = 0
    for run in text.split(HOLE):
        if next(lock_word_spans(run), None) is not None and is_fragment(run):
            yield from (span.shifted(at) for span in lock_words(run))
        at += len(run) + len(HOLE)
    if len(text) <= _LONGEST and _TAIL.fullmatch(text):
        yield from lock_words(text)
    for found in _HIDDEN_STRENGTH.finditer(text):
        before = text[: found.start()]
        if _KEYWORDS.search(before) or _HOLES.fullmatch(before):
            yield Span(*found.span("word"))


def lock_words(text: str) -> list[Span]:
    """The lock words in SQL text, but for those in comments."""
    spans = list(lock_word_spans(text))
    comments = [comment.span for comment in split(text).comments] if spans else []
    return [span for span in spans if not any(comment.touches(span) for comment in comments)]
