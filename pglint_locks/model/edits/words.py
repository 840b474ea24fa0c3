"""Edits of a statement's words, as unit ranges.  No comment is lost by any of them.

Each edit replaces at least one token: so its place in the file is never in doubt.
"""

from __future__ import annotations

from pglint_locks.findings import Edit
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.tokens import Tokens
from pglint_locks.text import Span

Edits = tuple[Edit, ...]


def replaced(statement: Statement, first: int, last: int, words: str) -> Edits:
    """Other words for a run of tokens; comments between them stay, behind the words."""
    tokens = statement.tokens
    run = tokens.run(first, last)
    if has_only_tokens(tokens, run):
        return (Edit(statement.unit_span(run), words),)
    rest = (
        Edit(statement.unit_span(tokens[index].span), "") for index in range(first + 1, last + 1)
    )
    return (Edit(statement.unit_span(tokens[first].span), words), *rest)


def appended(statement: Statement, index: int, text: str) -> Edit:
    """Text behind a token."""
    span = statement.tokens[index].span
    return Edit(statement.unit_span(span), statement.tokens.source(span) + text)


def prepended(statement: Statement, index: int, text: str) -> Edit:
    """Text before a token."""
    span = statement.tokens[index].span
    return Edit(statement.unit_span(span), text + statement.tokens.source(span))


def removed(statement: Statement, first: int, last: int) -> Edit | None:
    """A run of tokens taken out with the white space before it; None if it has comments."""
    tokens = statement.tokens
    run = Span(tokens[first - 1].span.end, tokens[last].span.end)
    if not has_only_tokens(tokens, run):
        return None
    return Edit(statement.unit_span(run), "")


def has_only_tokens(tokens: Tokens, span: Span) -> bool:
    """Whether nothing but tokens and white space stands in a range: no comments."""
    return "".join(tokens.source(span).split()) == "".join(tokens.words(span).split())


def like(tokens: Tokens, index: int, words: str) -> str:
    """Keywords in the letters, small or capital, of the keyword at an index."""
    return words.lower() if tokens.source(tokens[index].span).islower() else words
