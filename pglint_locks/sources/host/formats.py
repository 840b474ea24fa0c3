"""Formatting in host languages: texts with places that arguments are put into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pglint_locks.sources.bodies.templates import Hole, Template, Text
from pglint_locks.text import Piece, SourceMap, Span

PERCENT = re.compile(
    r"%(?:(?P<sign>%)|(?:[(<](?P<name>\w+)[)>]|\[(?P<index>\d+)\]|(?P<number>\d+)\$)?"
    r"[-+ #0]*(?:\d+|\*)?(?:\.\d+)?[a-zA-Z@]|\{(?P<braced>\w+)\})"
)
BRACES = re.compile(r"(?P<sign>\{\{|\}\})|\{(?:(?P<number>\d+)|(?P<name>\w+))?[^{}]*\}")
MARGIN = re.compile(r"(?m)(?<![^\r\n])[ \t]*(?P<margin>\|)")

Argument = Callable[[int | str, Span], Template]


def expand(template: Template, places: re.Pattern[str], argument: Argument) -> Template:
    """A format with its arguments put in, each asked for by its name or number, from 0."""
    parts: list[Text | Hole] = []
    following = 0
    for part in template:
        if isinstance(part, Hole):
            parts.append(part)
            continue
        at = 0
        for found in places.finditer(part.text):
            parts += cut(part, at, found.start())
            at = found.end()
            source = part.map.file_span(Span(found.start(), at))
            named = found.groupdict()
            if sign := named["sign"]:
                piece = Piece(Span(0, 1), source)
                parts.append(Text(sign[0], SourceMap((piece,)), part.literal))
            elif name := named["name"] or named.get("braced"):
                parts += argument(name, source)
            elif index := named.get("index") or (places is PERCENT and named["number"]):
                following = int(index)
                parts += argument(following - 1, source)
            elif named["number"]:
                parts += argument(int(named["number"]), source)
            else:
                parts += argument(following, source)
                following += 1
        parts += cut(part, at, len(part.text))
    return tuple(parts)


def without_margin(template: Template) -> Template:
    """The `|` blanked that each line begins with."""
    parts: list[Text | Hole] = []
    for part in template:
        if isinstance(part, Text):
            text = MARGIN.sub(lambda found: found[0][:-1] + " ", part.text)
            part = Text(text, part.map, part.literal)
        parts.append(part)
    return tuple(parts)


def cut(part: Text, start: int, end: int) -> Iterator[Text]:
    """A run of a text; nothing where it is empty."""
    if start < end:
        yield Text(part.text[start:end], part.map.part(Span(start, end)), part.literal)
