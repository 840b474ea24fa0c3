"""Whether a text of the host is SQL, and whether it is worth a look."""

from __future__ import annotations

import re

from pglint_locks.sql.chunks import first_words
from pglint_locks.sql.claimshape import has_claim_shape
from pglint_locks.sql.lockwords import (
    has_advisory_words,
    lock_word_spans,
    may_fold_to_lock_words,
)

_GAP = r"(?:\s|--[^\n]*\n|/\*(?:(?!\*/)[\s\S])*\*/)*"
# A verb that begins a statement, and what must come somewhere behind it.
_GOES_ON = {
    "select": r"\bfrom\b|\w\s*\(",
    "with": rf"\bas\b{_GAP}(?:not\b{_GAP})?(?:materialized\b{_GAP})?\(",
    "update": r"\bset\b",
    "delete": r"\bfrom\b",
    "insert": r"\binto\b",
    "merge": r"\binto\b",
    "declare": r"\bcursor\b",
    "prepare": r"\bas\b",
    "create": r"\b(?:function|procedure|table|view|trigger|policy|rule|index|schema)\b",
    "do": r"\$",
    "lock": r"\btable\b|\bmode\b",
    "copy": r"\bto\b|\bfrom\b",
    "explain": r"\bfrom\b",
    "perform": r"\w\s*\(",
    "call": r"\w\s*\(",
    "truncate": r"\w",
    "savepoint": r"\w",
    "set": r"\b(?:local|transaction|session)\b|=|\bto\b",
}
_ENDS = frozenset({"begin", "start", "commit", "rollback", "end", "abort"})
_PROSE = re.compile(
    r"\b(?:from|update|into|lock|select|delete)\s+(?:(?:the|an|this|that|these|those|each|our|its|"
    r"their|your)\s|a\s+(?!(?:as|cross|for|from|full|group|inner|join|left|limit|natural|offset|on|order"
    r"|right|set|using|values|where)\b)[a-z]{2})",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"--[^\r\n]*|/\*.*?\*/|'[^']*'", re.DOTALL)  # may be prose in SQL
_HOLE_FIRST = re.compile(r"\A\s*_h\s+")
_MOST = 50
_SIGNS = re.compile(r"[=*;]|\$\d|\b(?:SELECT|UPDATE|DELETE|INSERT|MERGE|DECLARE|WITH)\b")


def is_sql(text: str) -> bool:
    """Whether a text begins like a statement and goes on like that statement."""
    if len(text) < len("do $"):
        return False
    text = _HOLE_FIRST.sub("", text)
    if _begins_like_sql(text):
        return True
    # A script may begin with a statement of another kind.
    return ";" in text and matters(text) and any(map(_begins_like_sql, text.split(";")[1:_MOST]))


def _begins_like_sql(text: str) -> bool:
    words = tuple(first_words(text[:1000]))
    if not words:
        return False
    if words[0] in _ENDS:
        return ends_transaction(text)
    pattern = _GOES_ON.get(words[0])
    if pattern is None or _PROSE.search(_ASIDE.sub(" ", text[:2000])):
        return False
    return re.search(pattern, text, re.IGNORECASE) is not None


def looks_written(text: str) -> bool:
    """Whether a text that does not parse still looks like SQL, not like a sentence."""
    return _SIGNS.search(text) is not None


_END = re.compile(
    r"\s*(?:begin|start\s+transaction|commit|rollback|end|abort)"
    r"(?:\s+(?:work|transaction))?(?:\s+(?:isolation|read|deferrable|and)\b[\w\s,]*)?\s*;?\s*",
    re.IGNORECASE,
)


def ends_transaction(text: str) -> bool:
    """Whether a text is BEGIN, COMMIT or ROLLBACK and nothing else."""
    return len(text) < 100 and _END.fullmatch(text) is not None


_LIMITS = re.compile(r"\b(?:limit|fetch)\b", re.IGNORECASE)
_UPDATES = re.compile(r"\bupdate\b", re.IGNORECASE)


def may_matter(code: str) -> bool:
    """Whether code may hold a text that matters, or a part of one."""
    data = code.encode("utf-8", "replace")
    if may_fold_to_lock_words(data) or has_advisory_words(data):
        return True
    return _LIMITS.search(code) is not None and _UPDATES.search(code) is not None


def matters(text: str) -> bool:
    """Whether rules may have something to say of a text."""
    if next(lock_word_spans(text), None) is not None:
        return True
    data = text.encode("utf-8", "replace")
    return has_advisory_words(data) or has_claim_shape(data)
