"""What a string literal of the host says, with the way back to the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pglint_locks.sources.bodies.templates import Hole, Template, Text
from pglint_locks.sources.host.escapes import meaning
from pglint_locks.sources.host.language import Form, Language
from pglint_locks.sources.host.tree import Node
from pglint_locks.text import Piece, SourceMap, Span


def literal(
    text: str, node: Node, language: Language, spliced: Callable[[Node], Template]
) -> Template:
    """The template of the literal at a node of the file `text`.

    `spliced` gives what stands for an expression in it.
    """
    inside, escapes = _inside(text, node, language.forms)
    parts: list[Text | Hole] = []
    at = inside.start
    for hole in _holes(node.aside or node, language.holes | language.marks):
        if hole.span.start >= at and hole.span.end <= inside.end:
            parts += _shown(text, Span(at, hole.span.start), escapes, node)
            parts += spliced(hole) if hole.kind in language.holes else ()
            at = hole.span.end
    parts += _shown(text, Span(at, inside.end), escapes, node)
    return tuple(parts)


def plain(text: str, span: Span) -> Text:
    """A range of the file as it stands."""
    return Text(text[span.start : span.end], SourceMap.identity(span.end - span.start, span.start))


def _inside(text: str, node: Node, forms: tuple[Form, ...]) -> tuple[Span, re.Pattern[str] | None]:
    """What stands between a literal's quotes, and the escapes in it."""
    start, end = node.span
    for form in forms:
        opening = form.opening.match(text, start, end)
        if opening is None:
            continue
        if node.aside is not None:
            closing = [child for child in node.aside.children if child.kind.endswith("_end")]
            stop = closing[0].span.start if closing else node.aside.span.end
            return Span(node.aside.span.start, stop), form.escapes
        sign = form.closing % opening.groupdict()
        whole = opening.end() + len(sign) <= end and text.endswith(sign, start, end)
        return Span(opening.end(), end - len(sign) if whole else end), form.escapes
    return Span(start, start), None


def _holes(node: Node, holes: frozenset[str]) -> Iterator[Node]:
    """The outermost nodes of a literal that are expressions in it."""
    front = list(reversed(node.children))
    while front:
        inner = front.pop()
        if inner.kind in holes:
            yield inner
        else:
            front += reversed(inner.children)


def _shown(text: str, span: Span, escapes: re.Pattern[str] | None, node: Node) -> Iterator[Text]:
    """A run of a literal with its escapes undone; nothing where it is empty."""
    values: list[str] = []
    pieces: list[Piece] = []
    at = 0
    for value, place in _runs(text, span, escapes):
        if value:
            values.append(value)
            pieces.append(Piece(Span(at, at + len(value)), place))
            at += len(value)
    if pieces:
        yield Text("".join(values), SourceMap(tuple(pieces)), node.span.start)


def _runs(text: str, span: Span, escapes: re.Pattern[str] | None) -> Iterator[tuple[str, Span]]:
    at = span.start
    for escape in escapes.finditer(text, *span) if escapes else ():
        yield text[at : escape.start()], Span(at, escape.start())
        yield meaning(escape), Span(*escape.span())
        at = escape.end()
    yield text[at : span.end], Span(at, span.end)
