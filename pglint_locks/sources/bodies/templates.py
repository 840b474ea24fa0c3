"""Dynamic SQL as far as it shows: runs of text, and holes where something unknown goes in.

A template is filled with placeholders that parse.  Offsets in it are those of the body
that it was written in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

from pglint_locks.sources.bodies.body import Filling, Gap
from pglint_locks.sql.literals import SPACE, WORD
from pglint_locks.sql.parse import Unparsed, parse
from pglint_locks.sql.placeholders import BEFORE_CONDITIONS, EXPECTING
from pglint_locks.sql.split import split
from pglint_locks.text import Piece, SourceMap, Span


class HoleKind(Enum):
    """What is known of what goes into a hole."""

    FREE = auto()
    """Nothing: it may be a name, a value, a condition, whole clauses."""
    OPTIONAL = auto()
    """The same, and often nothing at all: what is appended under a condition."""
    IDENTIFIER = auto()
    """One name: `%I`, `quote_ident()`."""
    LITERAL = auto()
    """One literal: `%L`, `quote_literal()`."""
    NUMBER = auto()
    """A number: that of a parameter, behind `$`."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text that shows, with the map to the body; `literal` is the token that it stands in."""

    text: str
    map: SourceMap
    literal: int | None = None


@dataclass(frozen=True, slots=True)
class Hole:
    """What does not show: where it is put in; `key` is the same for the same expression.

    `variable` is the one that holds it, if one does.
    """

    kind: HoleKind
    span: Span
    key: str
    variable: str | None = None


Template = tuple[Text | Hole, ...]
HOLE = " _h "
"""What stands in `shown` for what does not show."""


class Filled(NamedTuple):
    """A template with its holes filled; the map leads to the body, `parses` says if it does.

    `effort` is what it took, in characters parsed.
    """

    text: str
    map: SourceMap
    gaps: tuple[Gap, ...]
    parses: bool
    effort: int = 0


# What is tried in a hole, in this order, until the whole parses.  A list comes late: behind
# an alias it would pass for names of columns.
_TRIED = {
    HoleKind.FREE: (
        Filling.IDENTIFIER,
        Filling.PARAMETER,
        Filling.NOTHING,
        Filling.LIST,
        Filling.NUMBER,
    ),
    HoleKind.OPTIONAL: (Filling.NOTHING, Filling.IDENTIFIER, Filling.PARAMETER, Filling.LIST),
    HoleKind.IDENTIFIER: (Filling.IDENTIFIER,),
    HoleKind.LITERAL: (Filling.LITERAL, Filling.NUMBER),
    HoleKind.NUMBER: (Filling.NUMBER,),
}
_DOLLAR = re.compile(r"(?<![\w$])\$\Z")
_AS = re.compile(r"[\w\")]\s+as\s+\Z", re.IGNORECASE)
_LAST_WORD = re.compile(rf"({WORD}+)[{SPACE}(]*\Z")
_BEHIND_VALUE = re.compile(rf"(?:(?!_){WORD}|[)\]'\"])[{SPACE}]*\Z")
_OPERATOR = re.compile(rf"[{SPACE}]*(?:[-+*/<>=~!@#%^&|.:]|(?:in|is|like|ilike|between)\b)", re.I)
_MAX_TRIES = 60
_EFFORT_OF_TRY = 200


def fill(template: Template, allowance: int, names: dict[str, str] | None = None) -> Filled:
    """Fill a template's holes so that it parses, if that can be done.

    `names` has the names of holes by their keys, and is added to: what is the same in
    several templates gets one name, what is not gets others.  `allowance` is how many
    characters may be parsed for it, each try counted as some more.
    """
    names = {} if names is None else names
    template = _with_numbers(template)
    kinds = [part.kind for part in template if isinstance(part, Hole)]
    chosen = [0] * len(kinds)
    first = filled = _filled(template, chosen, names)
    effort = 0
    for _ in range(_MAX_TRIES):
        effort += len(filled.text) + _EFFORT_OF_TRY
        wrong = _first_error(filled.text)
        if wrong is None:
            gaps = _with_openings(filled, kinds)
            return filled._replace(gaps=gaps, parses=True, effort=effort)
        if effort > allowance or not _choose_next(chosen, kinds, filled.gaps, wrong):
            break
        filled = _filled(template, chosen, names)
    return first._replace(effort=effort)


def _with_numbers(template: Template) -> Template:
    """A template whose holes behind `$` are the numbers of parameters."""
    parts: list[Text | Hole] = []
    for part in template:
        before = parts[-1] if parts else None
        if isinstance(part, Hole) and isinstance(before, Text) and _DOLLAR.search(before.text):
            part = replace(part, kind=HoleKind.NUMBER)
        parts.append(part)
    return tuple(parts)


def shown(template: Template) -> tuple[str, SourceMap]:
    """A template's text as far as it shows, with the map to the body."""
    texts: list[str] = []
    pieces: list[Piece] = []
    at = 0
    for part in template:
        if isinstance(part, Text):
            texts.append(part.text)
            pieces += [Piece(piece.unit.shifted(at), piece.file) for piece in part.map.pieces]
        else:
            texts.append(HOLE)
            pieces.append(Piece(Span(at, at + len(HOLE)), part.span))
        at += len(texts[-1])
    return "".join(texts), SourceMap(tuple(pieces) or (Piece(Span(0, 0), Span(0, 0)),))


def _choose_next(
    chosen: list[int], kinds: list[HoleKind], gaps: tuple[Gap, ...], wrong: int
) -> bool:
    """Another choice for the last hole before the error that has one left, else for an earlier."""
    for index in range(len(chosen) - 1, -1, -1):
        if gaps[index].span.start <= wrong and chosen[index] + 1 < len(_TRIED[kinds[index]]):
            chosen[index] += 1
            chosen[index + 1 :] = [0] * (len(chosen) - index - 1)
            return True
    return False


def _first_error(text: str) -> int | None:
    """Where the token begins that follows the one at which parsing stops; None if all parses."""
    for chunk in split(text).chunks:
        result = parse(chunk.text)
        if isinstance(result, Unparsed):
            end = chunk.span.start + result.span.end
            return len(text) - len(text[end:].lstrip())
    return None


def _with_openings(filled: Filled, kinds: list[HoleKind]) -> tuple[Gap, ...]:
    """The gaps, with those marked that may bring clauses along.

    That is one that may be left out, and one that may be a condition: `WHERE ' || c`.
    """
    text = filled.text
    return tuple(
        replace(gap, opens=True)
        if kind in (HoleKind.FREE, HoleKind.OPTIONAL) and _opens(text, gap.span)
        else gap
        for gap, kind in zip(filled.gaps, kinds, strict=True)
    )


def _opens(text: str, span: Span) -> bool:
    """Whether what stands at `span` may be whole clauses, going by what is around it."""
    before, behind = text[: span.start], text[span.end :]
    if not text[span.start : span.end]:
        return bool(before.strip())
    word = _LAST_WORD.search(before)
    if word is not None and word[1].lower() in BEFORE_CONDITIONS:
        return _OPERATOR.match(behind) is None
    if _BEHIND_VALUE.search(before) is None or (word and word[1].lower() in EXPECTING):
        return False
    return _first_error(f"{before} {behind}") is None


def _filled(template: Template, chosen: list[int], names: dict[str, str]) -> Filled:
    texts: list[str] = []
    pieces: list[Piece] = []
    gaps: list[Gap] = []
    at = 0
    for part in template:
        if isinstance(part, Text):
            text = part.text
            pieces += [Piece(piece.unit.shifted(at), piece.file) for piece in part.map.pieces]
        else:
            filling = _TRIED[part.kind][chosen[len(gaps)]]
            name = names.setdefault(part.key, f"_h{len(names) + 1}" if names else "_h")
            is_fenced = _AS.search(texts[-1] if texts else "") and _opens_query(template, part)
            text = "MATERIALIZED" if is_fenced else _placeholder(filling, name)
            place = Span(at, at + len(text))
            gaps.append(Gap(place, filling, part.key, part.variable or part.key))
            pieces.append(Piece(place, part.span))
        texts.append(text)
        at += len(text)
    kept = tuple(piece for piece in pieces if piece.unit.end > piece.unit.start)
    return Filled("".join(texts), SourceMap(kept or tuple(pieces[:1])), tuple(gaps), parses=False)


def _opens_query(template: Template, hole: Hole) -> bool:
    """Whether a hole stands before the parenthesis of a WITH query: `AS {fence} (SELECT`."""
    behind = template[[part is hole for part in template].index(True) + 1 :][:1]
    return bool(behind) and isinstance(behind[0], Text) and behind[0].text.lstrip()[:1] == "("


def _placeholder(filling: Filling, name: str) -> str:
    match filling:
        case Filling.IDENTIFIER:
            return name
        case Filling.PARAMETER:
            return "$1"
        case Filling.LIST:
            return f"({name})"
        case Filling.LITERAL:
            return f"'{name}'"
        case Filling.NUMBER:
            return "1"
        case Filling.NOTHING:
            return ""


def literals_of(templates: Iterable[Template]) -> Iterator[int]:
    """The tokens whose text shows in templates."""
    for template in templates:
        for part in template:
            if isinstance(part, Text) and part.literal is not None:
                yield part.literal
