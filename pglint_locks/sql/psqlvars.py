"""psql's variables, replaced by something that parses and is as long.

What a variable holds cannot be known, so this is a guess, made only where a statement
does not parse as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pglint_locks.sql.literals import (
    DOLLAR_DELIMITER,
    LETTER_OR_DIGIT,
    SPACE,
    WORD,
    WORD_OR_COLON,
    block_comment_end,
    dollar_quote_end,
    escape_string_end,
    word_around,
)
from pglint_locks.text import Span

_NAME = rf"{LETTER_OR_DIGIT}+"
_TOKEN = re.compile(
    rf"""(?P<escape>(?<!{WORD_OR_COLON})[eE]') | '[^']*'? | "[^"]*"? | --[^\r\n]*
    | (?P<block>/\*) | (?P<dollar>\$)
    | (?P<bracket>[\[\]()])
    | ::|:=
    | :(?: (?P<plain>{_NAME}) | '(?P<literal>{_NAME})' | "(?P<name>{_NAME})"
        | \{{\?(?P<test>{_NAME})\}} )
    | (?P<colon>:)
    """,
    re.VERBOSE,
)

# Words that end where they end: `LIMIT:n` is two tokens, `prefix_:n` was meant to be one.
_APART = frozenset(
    [
        *("and", "by", "else", "from", "in", "like", "limit", "not", "offset", "on", "or"),
        *("returning", "select", "set", "then", "values", "when", "where"),
    ]
)
_LAST_WORD = re.compile(rf"{WORD}*\Z")
_LONGEST = 16  # more than the longest of them


@dataclass(frozen=True, slots=True)
class _Brackets:
    """An open pair of brackets, with the colons and variables right inside of it."""

    is_subscript: bool
    colons: list[re.Match[str]]


def without_variables(text: str) -> str:
    """The statement with psql's variables replaced by placeholders of the same length.

    `:x` becomes `_x`, or ` x` behind a number or a keyword; `:'x'` becomes ` 'x'`,
    `:"x"` becomes ` "x"` and `:{?x}` becomes ` true`.  Variables that the statement begins
    with become spaces: they tend to hold EXPLAIN, or all there is of the statement.

    Strings, comments, `::` and `:=` stay as they are.  So does what may be the colon of an
    array slice: right inside of a subscript (`a[…]`, not `ARRAY[…]`) a lone colon with a
    name stays, for a slice parses as it stands; of several the last one stays, unless one
    without a name is the slice's.
    """
    pieces: list[str] = []
    at, leads = 0, True
    for variable in _colons(text):
        before = text[at : variable.start()]
        leads = leads and variable["plain"] is not None and not before.strip(SPACE)
        pieces += (before, " " * len(variable[0]) if leads else _placeholder(text, variable))
        at = variable.end()
    return "".join([*pieces, text[at:]])


def variable_spans(text: str) -> list[Span]:
    """Where the variables stand that `without_variables` replaces."""
    return [Span(*found.span()) for found in _colons(text) if not found["colon"]]


def _colons(text: str) -> list[re.Match[str]]:
    """The variables of a statement in order, and the colons that are no array slice's."""
    colons: list[re.Match[str]] = []
    opened = [_Brackets(False, colons)]
    for token in _tokens(text):
        if token["bracket"] is None:
            opened[-1].colons.append(token)
        elif token["bracket"] in "[(":
            opened.append(_Brackets(_opens_subscript(text, token), []))
        elif len(opened) > 1:
            colons.extend(_variables(opened.pop()))
    for left_open in opened[1:]:
        colons.extend(_variables(left_open))
    return sorted(colons, key=re.Match.start)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The brackets, colons and variables outside of literals and comments."""
    at = 0
    while token := _TOKEN.search(text, at):
        start, floor, at = token.start(), at, token.end()
        if token["escape"]:
            at = escape_string_end(text, at)
        elif token["block"]:
            at = block_comment_end(text, start)
        elif token["dollar"]:
            at = _behind_dollar(text, start, floor)
        elif token.lastgroup:
            yield token
        if at < 0:
            return


def _behind_dollar(text: str, at: int, floor: int) -> int:
    word_end = word_around(text, at, floor)
    delimiter = DOLLAR_DELIMITER.match(text, at)
    if word_end > at or delimiter is None:
        return max(word_end, at + 1)
    return dollar_quote_end(text, at, delimiter[0])


def _opens_subscript(text: str, bracket: re.Match[str]) -> bool:
    """Whether it is the bracket of `a[…]`: not a parenthesis, not that of `ARRAY[[…], […]]`."""
    at = bracket.start()
    before = text[max(at - _LONGEST, 0) : at].rstrip(SPACE)
    if bracket[0] == "(" or before.endswith(("[", ",")):
        return False
    word = _LAST_WORD.search(before)
    return word is None or word[0].lower() != "array"


def _variables(brackets: _Brackets) -> list[re.Match[str]]:
    """The colons inside of brackets that are taken for a variable's."""
    colons = brackets.colons
    if not brackets.is_subscript:
        return colons
    has_bare = any(colon["colon"] for colon in colons)
    return colons if has_bare else colons[:-1]


def _placeholder(text: str, variable: re.Match[str]) -> str:
    if variable["colon"]:
        return ":"
    if variable["test"]:
        return " true".ljust(len(variable[0]))
    if variable["plain"] is None:
        return " " + variable[0][1:]
    at = variable.start()
    word = _LAST_WORD.search(text[max(at - _LONGEST, 0) : at])
    before = word[0].lower() if word else ""
    return (" " if before.isdecimal() or before in _APART else "_") + variable["plain"]
