"""A statement as a server can be asked to plan it: whole, with `$n` for what is not known."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import count

from pglast import ast

from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.standins import STAND_IN, is_stand_in
from pglint_locks.sql.tokens import Token
from pglint_locks.sql.walk import descendants
from pglint_locks.text import Span

_PLANNED = (ast.SelectStmt, ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt, ast.MergeStmt)
_NUMBERED = re.compile(r"\$(\d+)")


def generic_sql(statement: Statement) -> str | None:
    """The text of a statement that is planned by itself, with `$n` for each value from outside.

    None where something other than a value is not known of it, or it is no query.
    """
    unknown = statement.call is not None and statement.call.unknown
    if statement.is_open or unknown or statement.holder is not None or _has_hole(statement):
        return None
    start = _query_start(statement)
    if start is None:
        return None
    text = statement.parsed_text
    numbers = count(max(map(int, _NUMBERED.findall(text)), default=0) + 1)
    known: defaultdict[str, int] = defaultdict(lambda: next(numbers))
    pieces, at = [], start
    for place, written in sorted([*_values(statement), *_literals(statement)]):
        if place.start >= at:
            pieces += [text[at : place.start], f"${known[written]} "]
            at = place.end
    sql = "".join([*pieces, text[at:]])
    return None if STAND_IN.search(sql) else sql


def _has_hole(statement: Statement) -> bool:
    """Whether something is put into its text that may be more than a value."""
    for token in statement.tokens:
        word = statement.tokens.source(token.span)
        is_hole = is_stand_in(word) and STAND_IN.search(word) is None
        if is_hole or (_is_variable(statement, token) and token.name != "SCONST"):
            return True
    return False


def _is_variable(statement: Statement, token: Token) -> bool:
    """Whether psql puts a token there, for `:'name'` or `:"name"`."""
    before = token.span.start - 1
    if before < 0 or statement.text[before] != ":":
        return False
    return statement.parsed_text[before] != ":"


def _literals(statement: Statement) -> Iterator[tuple[Span, str]]:
    """The places of psql's quoted variables, with what is written there."""
    for token in statement.tokens:
        if _is_variable(statement, token):
            yield token.span, statement.tokens.source(token.span)


def _query_start(statement: Statement) -> int | None:
    """Where the query begins: at once, or behind PREPARE … AS and DECLARE … FOR."""
    node = statement.node
    if isinstance(node, _PLANNED):
        return None if getattr(node, "intoClause", None) is not None else 0
    match node:
        case ast.PrepareStmt():
            word, query = "AS", node.query
        case ast.DeclareCursorStmt():
            word, query = "FOR", node.query
        case _:
            return None
    if not isinstance(query, _PLANNED):
        return None
    tokens = statement.tokens
    words = (each.span.end for each in tokens if tokens.source(each.span).upper() == word)
    return next(words, None)


def _values(statement: Statement) -> Iterator[tuple[Span, str]]:
    """The places of names that stand for values from outside, with the names."""
    aliases = {item.refname for level in statement.levels for item in level.items}
    for ref in descendants(statement.node):
        if not isinstance(ref, ast.ColumnRef):
            continue
        names = [part.sval for part in ref.fields if isinstance(part, ast.String)]
        if not names or names[0] not in statement.parameters or len(names) < len(ref.fields):
            continue
        if len(names) == 1 or names[0] not in aliases:
            yield _dotted(statement, ref.location, len(names)), ".".join(names)


def _dotted(statement: Statement, location: int, parts: int) -> Span:
    """The place of a name of so many parts, parted by dots."""
    tokens = statement.tokens
    first = tokens.index_at(location)
    return Span(tokens[first].span.start, tokens[first + 2 * (parts - 1)].span.end)
