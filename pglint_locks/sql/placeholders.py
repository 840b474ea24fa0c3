"""Placeholders that drivers, formatters and templates fill: `?`, `%s`, `@name`, `{table}`.

They are found in the text of a statement that does not parse as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum, auto
from typing import NamedTuple

from pglint_locks.sql.literals import (
    DOLLAR_DELIMITER,
    SPACE,
    WORD,
    block_comment_end,
    dollar_quote_end,
    escape_string_end,
)
from pglint_locks.sql.standins import STAND_IN
from pglint_locks.text import Span


class Where(Enum):
    """What stands before a placeholder, and so what it may stand for."""

    START = auto()
    """Nothing: it begins the statement."""
    OPENED = auto()
    """An opening parenthesis: a value, a name, a list or a query."""
    EXPECTED = auto()
    """An operator, a comma or a word after which a value or a name comes."""
    IN = auto()
    """The word IN: a list in parentheses that it brings along."""
    BEHIND = auto()
    """A value or a name: more clauses, an operator, an alias or nothing at all."""
    GLUED = auto()
    """It is part of a name, as in `jobs_{year}` and `{schema}.jobs`."""


class Placeholder(NamedTuple):
    """A placeholder in a statement's text.

    `key` is the same for those that stand for the same; an anonymous one has none.  The
    text of an `operator` could be PostgreSQL's operator just as well.  A `template` takes
    any text, and not values alone; one that is a `condition` may bring clauses with it.
    """

    span: Span
    where: Where
    key: str | None
    operator: bool = False
    template: bool = False
    condition: bool = False


_TOKEN = re.compile(
    rf"""(?P<space>[{SPACE}]+|--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<escape>[eE]')
    | (?P<literal>'[^']*'? | "[^"]*"?)
    | (?P<tag>\{{\{{(?:(?!\{{\{{).)*?\}}\}} | \{{%(?:(?!\{{%).)*?%\}} | <%(?:(?!<%).)*?%>)
    | (?P<braced>[$\#%]\{{[^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*\}}
        | \{{[^{{}}\r\n;]*\}} | %[A-Z][A-Z0-9_]*%)
    | (?P<format>%(?:\(\w+\)|<\w+>|\d+\$|\[\d+\])?[a-zA-Z](?![\w(]))
    | (?P<dollar>{DOLLAR_DELIMITER.pattern})
    | (?P<named>(?:@[A-Za-z_]|\$[A-Za-z])\w*(?:\.[A-Za-z_]\w*)*)
    | (?P<number>\$?\d[\w.]*)
    | (?P<word>{WORD}+)
    | (?P<operator>@\?|@@|@>|<@|\?\?[|&]?|\?\|\||\?[|&]|->>?|\#>>?|[<>!]=|<>|\|\||&&
        |[-+*/<>=~!@\#%^&|?])
    | (?P<closing>[)\]])
    | (?P<opening>\()
    | (?P<dot>\.)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

# Words behind which a value or a name comes.  Other words may be names themselves.
EXPECTING = frozenset(
    """all and any as asc between by case check collate cross current default delete desc
    distinct do else escape except exists fetch filter first for from full group having
    ilike in inner insert intersect interval into is join key last lateral left like limit
    natural next not nulls of offset on only or order outer over returning right select set
    similar some table then to union update using values when where window with zone""".split()
)
BEFORE_CONDITIONS = frozenset({"where", "and", "or", "on", "having", "not"})
_ASSERTED = re.compile(r"!(?![=~])")  # `:name!`, which may not be null


def placeholders(text: str, variables: Collection[Span] = ()) -> list[Placeholder]:
    """The placeholders of a statement in order; `variables` are those known already."""
    found: list[Placeholder] = []
    starts = {span.start: span for span in variables}
    before, word, at = Where.START, "", 0
    for kind, span in _tokens(text, starts):
        if kind == "space":
            continue
        if kind in ("tag", "braced", "format", "named", "variable", "stand-in") or (
            kind == "operator" and text[span.start : span.end] == "?"
        ):
            where = Where.IN if before is Where.EXPECTED and word == "in" else before
            if _is_glued(text, span, at):
                where = Where.GLUED
            each = _placeholder(text, span, kind, where)
            found.append(each._replace(condition=each.template and word in BEFORE_CONDITIONS))
            kind = "closing" if not found[-1].operator else kind
        word = text[span.start : span.end].lower() if kind == "word" else ""
        before = _after(kind, word)
        at = span.end
    return found


def _after(kind: str, word: str) -> Where:
    if kind == "opening":
        return Where.OPENED
    if kind == "word":
        return Where.EXPECTED if word in EXPECTING else Where.BEHIND
    if kind in ("literal", "number", "closing"):
        return Where.BEHIND
    return Where.EXPECTED


def _placeholder(text: str, span: Span, kind: str, where: Where) -> Placeholder:
    written = text[span.start : span.end]
    anonymous = kind == "operator" or (kind == "format" and "(" not in written) or written == "{}"
    return Placeholder(
        span,
        where,
        None if anonymous else "".join(written.split()),
        operator=kind == "operator" and where is Where.BEHIND,
        template=kind in ("tag", "braced", "stand-in"),
    )


def _is_glued(text: str, span: Span, end_before: int) -> bool:
    """Whether a name goes on in front of a placeholder or behind it."""
    before = text[span.start - 1 : span.start] if end_before == span.start else ""
    behind = text[span.end : span.end + 1]
    return any(sign.isalnum() or sign in ("_", ".") for sign in (before, behind) if sign)


def _tokens(text: str, variables: dict[int, Span]) -> Iterator[tuple[str, Span]]:
    """The tokens of a statement, as kind and place; a literal or comment may never end."""
    at, size = 0, len(text)
    while at < size:
        if at in variables:
            kind, end = "variable", variables[at].end
            end += _ASSERTED.match(text, end) is not None
        elif (stand_in := STAND_IN.match(text, at)) is not None:
            kind, end = "stand-in", stand_in.end()
        else:
            token = _TOKEN.match(text, at)
            assert token is not None
            kind, end = token.lastgroup or "other", token.end()
        if kind == "escape":
            kind, end = "literal", escape_string_end(text, end)
        elif kind == "block":
            kind, end = "space", block_comment_end(text, at)
        elif kind == "dollar":
            kind, end = "literal", dollar_quote_end(text, at, text[at:end])
        if end < 0:
            return
        yield kind, Span(at, end)
        at = end
