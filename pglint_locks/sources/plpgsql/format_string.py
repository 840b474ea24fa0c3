"""What `format()` makes of its arguments: `%s`, `%I`, `%L`, `%1$I`, `%-10s`, `%%`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, Text
from pglint_locks.text import Piece, SourceMap, Span

_SPECIFIER = re.compile(
    r"%(?:(?P<number>\d+)\$)?-?(?:\d+|(?P<width>\*)(?:\d+\$)?)?(?P<type>[sIL])|(?P<percent>%%)"
)
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_KINDS = {"s": HoleKind.FREE, "I": HoleKind.IDENTIFIER, "L": HoleKind.LITERAL}

Argument = Callable[[int], Template]


def expand(template: Template, argument: Argument) -> Template:
    """A format string with its arguments put in.

    `argument` gives an argument by its number, from 1: text, or a hole.
    """
    parts: list[Text | Hole] = []
    following = 1
    for part in template:
        if isinstance(part, Hole):
            parts.append(part)
            continue
        at = 0
        for found in _SPECIFIER.finditer(part.text):
            parts += _run(part, at, found.start())
            at = found.end()
            place = Span(found.start(), at)
            source = part.map.file_span(place)
            if found["percent"]:
                parts.append(Text("%", _one_piece(1, source), part.literal))
                continue
            following += found["width"] is not None
            number = int(found["number"]) if found["number"] else following
            following = number + 1
            parts += put_in(argument(number), found["type"], source)
        parts += _run(part, at, len(part.text))
    return tuple(parts)


def _run(part: Text, start: int, end: int) -> Iterator[Text]:
    if start < end:
        yield Text(part.text[start:end], part.map.part(Span(start, end)), part.literal)


def _one_piece(length: int, source: Span) -> SourceMap:
    return SourceMap((Piece(Span(0, length), source),))


def put_in(value: Template, specifier: str, source: Span) -> Template:
    """A value as `%s`, `%I` or `%L` puts it in, at the place `source`."""
    if len(value) == 1 and isinstance(value[0], Hole):
        hole = value[0]
        kind = hole.kind if specifier == "s" else _KINDS[specifier]
        return (replace(hole, kind=kind, span=source),)
    if specifier == "s":
        return value
    texts = [part.text for part in value if isinstance(part, Text)]
    if len(texts) < len(value):
        key = "||".join(part.text if isinstance(part, Text) else part.key for part in value)
        return (Hole(_KINDS[specifier], source, key),)
    text = _quoted("".join(texts), specifier)
    return (Text(text, _one_piece(len(text), source)),)


def _quoted(value: str, specifier: str) -> str:
    if specifier == "L":
        return "'" + value.replace("'", "''") + "'"
    if _PLAIN_NAME.fullmatch(value):
        return value
    return '"' + value.replace('"', '""') + '"'
