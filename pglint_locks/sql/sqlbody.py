"""The body that a SQL routine has in CREATE FUNCTION's own grammar: BEGIN ATOMIC, RETURN.

Its statements are none of CREATE FUNCTION's own parts: they run when the routine is called,
as those of a string body do.
"""

from __future__ import annotations

from typing import NamedTuple

from pglast import ast

from pglint_locks.sql.tokens import SEMICOLON, Tokens
from pglint_locks.sql.walk import leftmost_location
from pglint_locks.text import Span


class SqlBody(NamedTuple):
    """The statements of a body (without BEGIN ATOMIC and END) and where they stand.

    `text` has the length of the span: `RETURN expr` is written as the `SELECT expr` that
    the server makes of it (`transformReturnStmt`).
    """

    span: Span
    text: str


def sql_body(node: ast.Node, tokens: Tokens) -> SqlBody | None:
    """The body of a routine that a statement makes; None if it has none in the grammar."""
    if not isinstance(node, ast.CreateFunctionStmt) or node.sql_body is None:
        return None
    last = len(tokens) - 1
    if isinstance(node.sql_body, ast.ReturnStmt):
        place = leftmost_location(node.sql_body)  # a lone constant has none
        before = range(tokens.index_from(place) if place >= 0 else last)
        first = max(index for index in before if tokens.name(index) == "RETURN")
        returns = [first]
    else:
        names = [tokens.name(index) for index in range(len(tokens))]
        opening = next(i for i in range(last) if names[i : i + 2] == ["BEGIN_P", "ATOMIC"])
        first, last = opening + 2, last - 1
        if first > last:
            return None
        returns = [
            i
            for i in range(first, last)
            if names[i] == "RETURN" and (i == first or names[i - 1] == SEMICOLON)
        ]
    span = tokens.run(first, last)
    text = tokens.source(span)
    for index in returns:
        at = tokens[index].span.shifted(-span.start)
        text = text[: at.start] + "SELECT" + text[at.end :]
    return SqlBody(span, text)
