"""Function bodies: SQL in the string literals of CREATE FUNCTION, CREATE PROCEDURE and DO."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast

from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.parse import Parsed
from pglint_locks.text import Span


def body_clause_spans(parsed: Parsed) -> Iterator[Span]:
    """The locking clauses that show in a routine's body, as offsets in its statement."""
    if not isinstance(parsed.node, ast.CreateFunctionStmt | ast.DoStmt):
        return
    for index in range(len(parsed.tokens)):
        token = parsed.tokens[index]
        if token.name == "SCONST":
            for span in lock_word_spans(parsed.tokens.source(token.span)):
                yield span.shifted(token.span.start)
