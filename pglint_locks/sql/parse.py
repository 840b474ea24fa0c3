"""Parsing one statement at a time, with PostgreSQL's own grammar."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pglast import ast, parser

from pglint_locks.sql.clauses import ClauseText, find_clauses
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.tokens import Tokens
from pglint_locks.text import Span


class Parsed(NamedTuple):
    """A statement's tree, tokens and locking clauses; offsets count in the text given.

    `parameters` are names in the tree that stand for psql's variables, with what is
    written for each.
    """

    node: ast.Node
    tokens: Tokens
    clauses: list[ClauseText]
    parameters: Mapping[str, str] = MappingProxyType({})


class Unparsed(NamedTuple):
    """Why a statement was not parsed, and the token that the parser names, or the last.

    `too_large` marks one that was not even tried.
    """

    message: str
    span: Span
    too_large: bool = False


def parse(text: str) -> Parsed | Unparsed:
    """Parse one statement.

    What does not parse as written is tried again with psql's variables, and the names that
    CREATE EXTENSION puts in, replaced by placeholders of equal length, so that offsets stay.
    """
    limit = max_statement_length()
    if len(text) > limit:
        message = f"a statement of {len(text):,} characters is too large (limit {limit:,})"
        return Unparsed(message, Span(0, 1), too_large=True)
    result = _parse_as_written(text)
    if isinstance(result, Unparsed):
        from pglint_locks.sql.extensionnames import without_extension_names
        from pglint_locks.sql.psqlvars import without_variables

        replaced = without_variables(without_extension_names(text))
        if replaced != text:
            result = _parse_as_written(replaced)
            if isinstance(result, Parsed):
                result = _with_variables(result, text)
    return result


def _with_variables(parsed: Parsed, text: str) -> Parsed:
    """The same with the text as it was written, and the names of its variables' placeholders."""
    placeholders = {
        parsed.tokens.source(token.span).strip('"').lower(): text[
            token.span.start : token.span.end
        ].strip()
        for token in parsed.tokens
        if text[token.span.start : token.span.end] != parsed.tokens.source(token.span)
    }
    parsed.tokens.text = text
    return parsed._replace(parameters=placeholders)


def _parse_as_written(text: str) -> Parsed | Unparsed:
    try:
        statements = parser.parse_sql(text)
        tokens = Tokens(text)
    except parser.ParseError as error:
        return _unparsed(text, error)
    if len(statements) != 1:
        return Unparsed("not one statement", Span(0, len(text)))
    return Parsed(statements[0].stmt, tokens, find_clauses(tokens))


def _unparsed(text: str, error: parser.ParseError) -> Unparsed:
    message, offset = error.args
    try:
        tokens = Tokens(text)
    except parser.ParseError:
        start = len(text) - 1 if offset is None else min(offset, len(text) - 1)
        return Unparsed(message, Span(start, len(text)))
    if not len(tokens):
        return Unparsed(message, Span(0, len(text)))
    index = len(tokens) - 1 if offset is None else tokens.index_at(offset)
    return Unparsed(message, tokens[index].span)
