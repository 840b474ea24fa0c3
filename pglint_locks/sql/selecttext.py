"""Spans of a SELECT's parts that the parse tree gives no location for."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast

from pglint_locks.sql.tokens import COMMA, Tokens
from pglint_locks.text import Span

# Reserved words that can follow an ORDER BY, LIMIT or OFFSET clause at its own depth.
_AFTER = frozenset(
    "LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT ON RETURNING WITH WITH_LA ORDER".split()
)
_AFTER_SORT_KEY = _AFTER | {COMMA, "ASC", "DESC", "USING", "NULLS_P", "NULLS_LA"}
_SUB_LINK_QUANTIFIERS = {"ANY", "SOME", "ALL"}


def home(select: ast.SelectStmt, tokens: Tokens) -> int | None:
    """Index of a token that stands directly in a SELECT's own brackets, if one shows."""
    if select.withClause is not None:
        return tokens.index_at(select.withClause.location)
    if select.larg is None:
        return _first_arm_home(select, tokens)
    # Arms may have brackets of their own: a set operation stands where both of them do.
    left, right = _first_arm_home(select.larg, tokens), _first_arm_home(select.rarg, tokens)
    if left is None or right is None:
        return left if right is None else right
    around_right = {tokens[index].opener for index in _outwards(right, tokens)}
    return next(index for index in _outwards(left, tokens) if tokens[index].opener in around_right)


def _outwards(index: int, tokens: Tokens) -> Iterator[int]:
    """A token and the brackets around it, from the inside out."""
    while index >= 0:
        yield index
        index = tokens[index].opener


def _first_arm_home(select: ast.SelectStmt, tokens: Tokens) -> int | None:
    while select.larg is not None and select.withClause is None:
        select = select.larg
    if select.withClause is not None:
        return tokens.index_at(select.withClause.location)
    if select.targetList and select.targetList[0].location is not None:  # TABLE names none
        return tokens.index_at(select.targetList[0].location)
    for item in select.fromClause or ():
        while isinstance(item, ast.JoinExpr):
            item = item.larg
        if isinstance(item, ast.RangeVar):
            return tokens.index_at(item.location)
    return None


def _word_of(select: ast.SelectStmt, tokens: Tokens, word: str, lock: int | None) -> int | None:
    """Index of a keyword of a SELECT.

    It stands in the SELECT's own brackets or in those that only wrap it, as in
    `(SELECT … LIMIT 3) FOR UPDATE`; its locking clause, at offset `lock`, is its own too.
    """
    outermost = None if lock is None else tokens[tokens.index_at(lock)].opener
    at = home(select, tokens)
    if at is None:
        return None if lock is None else tokens.word_in_group(tokens.index_at(lock), word)
    for index in _outwards(at, tokens):
        found = tokens.word_in_group(index, word)
        if found is not None:
            return found
        opener = tokens[index].opener
        if opener == outermost or (lock is None and tokens[opener].opener != opener - 1):
            return None
    return None


def offset_clause(select: ast.SelectStmt, tokens: Tokens, lock: int | None) -> Span | None:
    """From OFFSET to its last word.  `lock`: where the SELECT's locking clause is, if any."""
    index = _word_of(select, tokens, "OFFSET", lock)
    return None if index is None else tokens.run(index, tokens.last_before(index, _AFTER))


def limit_clause(select: ast.SelectStmt, tokens: Tokens, lock: int | None) -> Span | None:
    """From LIMIT or FETCH to its last word."""
    for word in ("LIMIT", "FETCH"):
        index = _word_of(select, tokens, word, lock)
        if index is not None:
            return tokens.run(index, tokens.last_before(index, _AFTER))
    return None


def order_clause(select: ast.SelectStmt, tokens: Tokens, lock: int | None) -> Span | None:
    """From ORDER to the last word of the last key."""
    index = _word_of(select, tokens, "ORDER", lock)
    if index is None:
        return None
    return tokens.run(index, tokens.last_before(index + 1, _AFTER))


def sort_keys(select: ast.SelectStmt, tokens: Tokens, lock: int | None) -> tuple[Span, ...]:
    """The expression of each ORDER BY key, without its direction."""
    order = _word_of(select, tokens, "ORDER", lock)
    if order is None:
        return ()
    keys: list[Span] = []
    index = order + 1
    end = tokens.last_before(order, _AFTER)
    while index < end:
        first = index + 1
        last = tokens.last_before(first, _AFTER_SORT_KEY)
        keys.append(tokens.run(first, last))
        index = tokens.last_before(first, _AFTER | {COMMA}) + 1
    return tuple(keys)


def first_word(select: ast.SelectStmt, tokens: Tokens) -> Span | None:
    """The word that opens a SELECT in brackets: SELECT, WITH, TABLE or VALUES."""
    at = home(select, tokens)
    return None if at is None else tokens[tokens[at].opener + 1].span


def sub_link_opener(location: int, tokens: Tokens) -> Span:
    """The words that open a sub-link: IN, NOT IN, EXISTS, `= ANY`, ARRAY, an operator."""
    first = last = tokens.index_at(location)
    if tokens.name(first) in {"NOT", "NOT_LA"}:
        return tokens.run(first, first + 1)
    if tokens.name(first) in {"IN_P", "EXISTS", "ARRAY", "ASCII_40"}:
        return tokens.run(first, first)
    if tokens.name(first) == "OPERATOR":
        while tokens.name(last) != "ASCII_41":
            last += 1
    if tokens.name(last + 1) in _SUB_LINK_QUANTIFIERS:
        last += 1
    return tokens.run(first, last)


def dotted_name(location: int, tokens: Tokens) -> Span:
    """The name of a function or table at a location, with its schema."""
    first = tokens.index_at(location)
    last = first
    while tokens.name(last + 1) == "ASCII_46":
        last += 2
    return tokens.run(first, last)
