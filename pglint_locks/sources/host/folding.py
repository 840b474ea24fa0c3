"""Templates put together: each choice of a few, texts of a list, what is put in at a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from pglint_locks.sources.bodies.templates import Hole, Template, Text
from pglint_locks.text import Piece, SourceMap, Span

Values = list[Template]
_MAX_PARTS = 2000
MAX_ALTERNATIVES = 8
_WORD = re.compile(r"[\w.$\"]+")
BETWEEN = "\0"  # the key of the holes between the texts of a list that is yet to be joined


def is_whole(template: Template) -> bool:
    """Whether a value is one text, not a list of them."""
    return not any(isinstance(part, Hole) and part.key == BETWEEN for part in template)


def as_one(template: Template, begins: Callable[[str], bool]) -> Template:
    """A list as the one text that it is sent as, if only its first text `begins` like one."""
    parts: list[list[Text | Hole]] = [[]]
    for part in template:
        if isinstance(part, Hole) and part.key == BETWEEN:
            parts.append([])
        else:
            parts[-1].append(part)
    if any(part and isinstance(part[0], Text) and begins(part[0].text) for part in parts[1:]):
        return template
    return tuple(each for part in parts for each in part)


def every_choice(operands: Sequence[Values]) -> Values:
    """Each choice of one value an operand, as far as there are few; none if they are long."""
    count = 1
    narrowed: list[Values] = []
    for values in operands:
        count *= len(values)
        narrowed.append(values if count <= MAX_ALTERNATIVES else values[:1])
    if sum(len(values[0]) for values in narrowed if values) > _MAX_PARTS:
        return []
    return [
        tuple(part for template in choice for part in template) for choice in product(*narrowed)
    ]


def put_at(value: Template, place: Span) -> Template:
    """A value that is put in at a place: holes and single words count as written there."""
    match value:
        case (Hole() as hole,):
            return (replace(hole, span=place),)
        case (Text(text=word, literal=literal),) if _WORD.fullmatch(word):
            piece = Piece(Span(0, len(word)), place)
            return (Text(word, SourceMap((piece,)), literal),)
    return value


def sign_behind(text: str, place: int) -> Values:
    """What is put behind a text without being written: a line end, a space."""
    return [(Text(text, SourceMap((Piece(Span(0, len(text)), Span(place, place)),))),)]


def shows(value: Template) -> bool:
    """Whether all of a value is text."""
    return all(isinstance(part, Text) for part in value)
