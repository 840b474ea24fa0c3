"""Which keys of a configuration hold SQL."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SQL_WORDS = frozenset({"sql", "query", "queries", "statement", "statements", "stmt"})


def holds_sql(key: str) -> bool:
    """Whether a key says that its value is SQL: `sql`, `claim_query`, `rawSql`."""
    return any(word.lower() in _SQL_WORDS for word in _WORDS.findall(key))
