"""Parsing one statement at a time, with PostgreSQL's own grammar."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from pglast import ast, parser

from pglint_locks.sql.clauses import ClauseText, find_clauses
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.sqlbody import sql_body
from pglint_locks.sql.standins import STAND_IN
from pglint_locks.sql.tokens import Tokens
from pglint_locks.text import Span

# ` %s` parses where it stands behind a value: as the rest of a division by a column `s`.
_MODULO_OR_FORMAT = re.compile(r"\s%[sdv]\b")
_MAX_TAGS = 1000  # see MAX_PLACEHOLDERS
_WITH = frozenset({"WITH", "WITH_LA"})
_NAMES = frozenset({"IDENT", "UIDENT"})


class Parsed(NamedTuple):
    """A statement's tree, tokens and locking clauses; offsets count in the text given.

    The clauses of a routine's body in the statement's grammar are not the statement's own.
    `parameters` are names in the tree that stand for psql's variables and for placeholders,
    with what is written for each.  Into an `open` statement a placeholder may bring whole
    clauses.  `text` is what the parser was given, stand-ins and all.
    """

    node: ast.Node
    tokens: Tokens
    clauses: list[ClauseText]
    text: str
    parameters: Mapping[str, str] = MappingProxyType({})
    open: bool = False


class Unparsed(NamedTuple):
    """Why a statement was not parsed, and the token that the parser names, or the last.

    `too_large` marks one that was not even tried, `is_template` one that has placeholders
    for more than values.
    """

    message: str
    span: Span
    too_large: bool = False
    is_template: bool = False


class Template(NamedTuple):
    """A statement as it is written in a template, and where names stand for tags of it."""

    text: str
    places: tuple[Span, ...]


# Longer ones are rare, and their trees large.
_LONGEST_REMEMBERED = 10_000


def parse(text: str, template: Template | None = None) -> Parsed | Unparsed:
    """Parse one statement; `template` is what was written where the text is read out of one.

    The last few hundred are remembered: fixes and editors ask for the same ones again.
    """
    return (
        _parse_again(text, template) if len(text) < _LONGEST_REMEMBERED else _parse(text, template)
    )


@lru_cache(maxsize=256)
def _parse_again(text: str, template: Template | None) -> Parsed | Unparsed:
    return _parse(text, template)


def _parse(text: str, template: Template | None) -> Parsed | Unparsed:
    """Parse one statement, as often as it takes.

    What does not parse as written is tried again with psql's variables, the names that
    CREATE EXTENSION puts in, and then placeholders of any kind, replaced by stand-ins of
    equal length, so that offsets stay.
    """
    limit = max_statement_length()
    if len(text) > limit:
        message = f"a statement of {len(text):,} characters is too large (limit {limit:,})"
        return Unparsed(message, Span(0, 1), too_large=True)
    written = template or Template(text, ())
    if len(written.places) > _MAX_TAGS:
        return Unparsed("a statement with too many tags", Span(0, 1), is_template=True)
    if _MODULO_OR_FORMAT.search(text) or written.places:
        filled = _parse_filled(text, written)
        if isinstance(filled, Parsed):
            return filled
    result = _parse_as_written(text)
    if isinstance(result, Unparsed):
        from pglint_locks.sql.extensionnames import without_extension_names
        from pglint_locks.sql.psqlvars import without_variables

        named = without_extension_names(text)
        replaced = without_variables(named)
        if replaced != text:
            result = _parse_as_written(replaced)
            if isinstance(result, Parsed):
                return _with_stand_ins(result, written)
        return _parse_filled(named, written) or result
    return result if template is None else _with_stand_ins(result, written)


def _parse_filled(text: str, written: Template) -> Parsed | Unparsed | None:
    """Parse a statement with its placeholders filled; None if it has none."""
    from pglint_locks.sql.fillings import fill

    filled = fill(text, error_in)
    if filled is None:
        return None
    result = _parse_as_written(filled.text)
    if isinstance(result, Parsed):
        places = {place.start: place for place in (*filled.places, *written.places)}
        whole = Template(written.text, tuple(places[start] for start in sorted(places)))
        # What stands for a table may be a WITH query.
        has_with = any(token.name in _WITH for token in result.tokens)
        is_open = filled.open or (filled.is_template and has_with)
        return _with_stand_ins(result, whole)._replace(open=is_open)
    token = written.text[result.span.start : result.span.end]
    message = STAND_IN.sub(lambda _: token, result.message)
    return result._replace(message=message, is_template=filled.is_template)


def error_in(text: str) -> int | None:
    """Where a statement stops to parse; None if it parses."""
    try:
        parser.parse_sql_protobuf(text)
    except parser.ParseError as error:
        offset = error.args[1]
        return len(text) if offset is None else int(offset)
    return None


def _with_stand_ins(parsed: Parsed, written: Template) -> Parsed:
    """The same with the text as it was written, and the names that stand for something.

    What stands for a place may be a name within it.
    """
    tokens, text = parsed.tokens, written.text
    tokens.stretch(written.places)
    starts = [place.start for place in written.places]
    names: dict[str, str] = {}
    for token in tokens:
        start, end = token.span
        name = tokens.source(token.span)
        if token.name in _NAMES and name != text[start:end]:
            near = bisect_right(starts, start) - 1
            if near >= 0 and start < written.places[near].end:
                start, end = starts[near], max(end, written.places[near].end)
            names[name.strip().strip('"').lower()] = text[start:end].strip()
    tokens.text = text
    return parsed._replace(parameters=names)


def _parse_as_written(text: str) -> Parsed | Unparsed:
    try:
        statements = parser.parse_sql(text)
        tokens = Tokens(text)
    except parser.ParseError as error:
        return _unparsed(text, error)
    if len(statements) != 1:
        return Unparsed("not one statement", Span(0, len(text)))
    node = statements[0].stmt
    return Parsed(node, tokens, _own_clauses(node, tokens), text)


def _own_clauses(node: ast.Node, tokens: Tokens) -> list[ClauseText]:
    body = sql_body(node, tokens)
    clauses = find_clauses(tokens)
    if body is None:
        return clauses
    return [clause for clause in clauses if not clause.span.touches(body.span)]


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
