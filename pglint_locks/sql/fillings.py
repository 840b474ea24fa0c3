"""A statement's placeholders replaced by something that parses and is as long.

What goes into a placeholder cannot be known, so several things are tried, in a fixed
order: a value or a name (the same to the parser), a literal, nothing at all, a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from pglint_locks.sql.literals import SPACE
from pglint_locks.sql.placeholders import Placeholder, Where, placeholders
from pglint_locks.sql.psqlvars import variable_spans
from pglint_locks.sql.standins import STAND_IN, StandIns, stand_in
from pglint_locks.text import Span


class _As(Enum):
    """What a placeholder is taken for."""

    NAME = auto()
    """`_`: a name, or the value of a column or variable of that name."""
    LITERAL = auto()
    """`''`: where the grammar wants a constant, as behind INTERVAL."""
    NOTHING = auto()
    OPERATOR = auto()
    LIST = auto()
    """`(_)`: behind VALUES."""
    QUERY = auto()
    """`TABLE _`: in parentheses that want a query."""
    ASSIGNMENT = auto()
    """`_=_`: behind SET."""
    WRITTEN = auto()
    """As it is written: the operator `?`."""


_VALUES = (_As.NAME, _As.LITERAL, _As.NOTHING, _As.LIST, _As.ASSIGNMENT)
_TRIED = {
    Where.START: (_As.NOTHING, _As.NAME),
    Where.OPENED: (*_VALUES, _As.QUERY),
    Where.EXPECTED: _VALUES,
    Where.IN: (_As.NAME,),
    Where.BEHIND: (_As.NOTHING, _As.NAME, _As.OPERATOR),
    Where.GLUED: (_As.NAME,),
}
MAX_PLACEHOLDERS = 1000
"""More are not tried: the scanner takes long where a text has many characters beyond ASCII."""

_MAX_TRIES = 40
_MAX_EFFORT = 2_000_000
_EFFORT_OF_TRY = 200
_NOT_LINE_END = re.compile(r"[^\r\n]")
# The list behind IN is not known, nor is what it takes: an operator, which says nothing.
_LISTED = re.compile(rf"(?:NOT(?=[{SPACE}]))?[{SPACE}]*IN[{SPACE}]*\Z", re.IGNORECASE)
_FAR = 60


class Filled(NamedTuple):
    """A statement with its placeholders filled.

    `places` are the placeholders; `open` says that clauses may come in with one, as
    where nothing was put in; `is_template` that more than values go in.
    """

    text: str
    places: tuple[Span, ...]
    open: bool
    is_template: bool


def fill(text: str, error_in: Callable[[str], int | None]) -> Filled | None:
    """A statement filled so that it parses, if that can be done.

    None without placeholders, and with too many.  `error_in` says where a text does not
    parse; None where it does.
    """
    found = placeholders(text, variable_spans(text))
    if not 0 < len(found) <= MAX_PLACEHOLDERS:
        return None
    signs = _signs(text, found)
    tried = [(_As.WRITTEN, _As.NAME) if each.operator else _TRIED[each.where] for each in found]
    chosen = [0] * len(found)
    first = filled = _filled(text, found, signs, tried, chosen)
    effort = 0
    for _ in range(_MAX_TRIES):
        wrong = error_in(filled.text)
        if wrong is None:
            return filled
        effort += len(text) + _EFFORT_OF_TRY
        if effort > _MAX_EFFORT or not _choose_next(chosen, tried, found, wrong):
            break
        filled = _filled(text, found, signs, tried, chosen)
    return first


def _choose_next(
    chosen: list[int], tried: Sequence[Sequence[_As]], found: list[Placeholder], wrong: int
) -> bool:
    """Another choice for the last placeholder before the error that has one, else for an earlier.

    The choices for those behind it begin again.
    """
    for index in range(len(chosen) - 1, -1, -1):
        reached = found[index].span.start - 1 <= wrong  # it may take the space before it
        if reached and chosen[index] + 1 < len(tried[index]):
            chosen[index] += 1
            chosen[index + 1 :] = [0] * (len(chosen) - index - 1)
            return True
    return False


def _signs(text: str, found: list[Placeholder]) -> list[str]:
    """What the name of each placeholder begins with; a template's tag has one already."""
    stand_ins = StandIns(text)
    return [
        text[each.span.start] if STAND_IN.match(text, each.span.start) else stand_ins.sign(each.key)
        for each in found
    ]


def _filled(
    text: str,
    found: list[Placeholder],
    signs: list[str],
    tried: Sequence[Sequence[_As]],
    chosen: list[int],
) -> Filled:
    pieces: list[str] = []
    is_open, at = False, 0
    for index, each in enumerate(found):
        choice = tried[index][chosen[index]]
        before = text[at : each.span.start]
        start = each.span.start
        if each.where is Where.IN:
            before = _without_in(before)
        elif choice in (_As.LITERAL, _As.LIST) and before[-1:] == " ":
            before, start = before[:-1], start - 1  # they need no space before them
        length = each.span.end - start
        written = text[start : each.span.end]
        pieces += (before, _text_of(choice, written, signs[index], length))
        is_open |= each.condition or (choice is _As.NOTHING and each.where is not Where.START)
        at = each.span.end
    places = tuple(each.span for each in found)
    is_template = any(each.template for each in found)
    return Filled("".join([*pieces, text[at:]]), places, is_open, is_template)


def _without_in(before: str) -> str:
    """The text before a list with an operator in place of IN or NOT IN."""
    near = before[-_FAR:]
    found = _LISTED.search(near)
    if found is None:
        return before
    words = found[0].rstrip(SPACE)
    operator = _NOT_LINE_END.sub(" ", words[:-2]) + "<@" + found[0][len(words) :]
    return before[: len(before) - len(found[0])] + operator


def _text_of(choice: _As, written: str, name: str, length: int) -> str:
    """What is put in place of a text, in as many characters; line ends stay where they can."""
    match choice:
        case _As.WRITTEN:
            return written
        case _As.NAME if "\n" not in written and "\r" not in written:
            return stand_in(name, length)
        case _As.LITERAL:
            short = "''"
        case _As.NOTHING:
            short = ""
        case _As.OPERATOR:
            short = "<@"
        case _As.LIST:
            short = f"({name})"
        case _As.QUERY:
            short = f"TABLE {name}"
        case _As.ASSIGNMENT:
            short = f"{name}={name}"
        case _:
            short = name
    blank = _NOT_LINE_END.sub(" ", written)
    return short + blank[len(short) :] if len(short) <= length else written
