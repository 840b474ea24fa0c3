"""What calls of the host make of the texts that they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, Text
from pglint_locks.sources.host.appends import built, ends_line, first_name
from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.folding import (
    BETWEEN,
    MAX_ALTERNATIVES,
    Values,
    every_choice,
    put_at,
    sign_behind,
)
from pglint_locks.sources.host.formats import BRACES, PERCENT, expand, without_margin
from pglint_locks.sources.host.language import Does, Language
from pglint_locks.sources.host.tree import Node
from pglint_locks.text import Span

if TYPE_CHECKING:
    from pglint_locks.sources.host.values import Place, TextValues

_TABLES = frozenset({"dictionary", "hash"})
_KEYWORDS = frozenset({"keyword_argument", "named_argument", "pair"})


class CallTexts:
    """The calls of one file whose functions are known by what they do to text."""

    def __init__(self, text: str, language: Language, values: TextValues) -> None:
        self._text = text
        self._language = language
        self._values = values

    def of(self, node: Node, call: Call, does: Does, place: Place) -> Values:
        """What a call gives."""
        first = call.arguments[0] if call.arguments else None
        on = call.receiver
        match does:
            case Does.IDENTIFIER:
                return self._values.hole(node, HoleKind.IDENTIFIER)
            case Does.LITERAL:
                return self._values.hole(node, HoleKind.LITERAL)
            case Does.BUILD:
                return self._built(node, place)
            case Does.SAME_AS_FIRST:
                return self._values.of(first, place) if first is not None else [()]
            case Does.SAME if on is not None:
                return self._values.of(on, place)
            case Does.WITHOUT_MARGIN if on is not None:
                return [without_margin(value) for value in self._values.of(on, place)]
            case Does.BRACES if on is not None:
                return self._expanded(on, call.arguments, place, braces=True)
            case Does.PERCENT if on is not None:
                return self._expanded(on, call.arguments, place)
            case Does.BRACES_OF_FIRST if first is not None:
                return self._expanded(first, call.arguments[1:], place, braces=True)
            case Does.PERCENT_OF_FIRST if first is not None:
                return self._expanded(first, call.arguments[1:], place)
            case Does.JOIN_FIRST if on is not None and first is not None:
                return self._joined(first, on, place)
            case Does.JOIN_WITH_SECOND if len(call.arguments) == 2:
                return self._joined(call.arguments[0], call.arguments[1], place)
            case Does.JOIN_OWN if on is not None and first is not None:
                return self._joined(on, first, place)
            case Does.JOIN_WITH_FIRST if first is not None:
                texts = self._values.texts(call.arguments[1:], place)
                return self._with_separator(texts, first, place)
            case Does.CONCAT_ALL if first is not None:
                return self._values.sum_of(call.arguments, place)
            case Does.LIST | Does.ADD_TO_FIRST:
                return self._values.texts(call.arguments, place)
            case Does.CONCAT if on is not None or call.arguments:
                more = [self._values.term(each, place) for each in call.arguments]
                return self._behind(on, more, call, place)
            case Does.CONCAT_BRACES if first is not None:
                more = [self._expanded(first, call.arguments[1:], place, braces=True)]
                return self._behind(on, more, call, place)
            case Does.BIND:
                return self._behind(on, [self._values.hole(node)], call, place)
            case Does.INTO_FIRST | Does.PERCENT_INTO_FIRST | Does.BRACES_INTO_FIRST:
                return self._into_first(call, does, place)
        return self._values.hole(node)

    def _built(self, node: Node, place: Place) -> Values:
        """`buildString { append("…") }`: what the statements of the function append."""
        operands: list[Values] = []
        for statement in built(node):
            call = call_at(self._text, statement, self._language)
            if call is not None and self._language.calls.get(call.name) is Does.CONCAT:
                operands.append(self._values.of(statement, place))
            elif statement.kind in self._language.branches | self._language.loops:
                operands.append(self._values.hole(statement, HoleKind.OPTIONAL))
        return every_choice(operands) or self._values.hole(node)

    def _behind(self, on: Node | None, more: Sequence[Values], call: Call, place: Place) -> Values:
        """A text with others put behind it, as a call does."""
        end = call.arguments[-1].span.end if call.arguments else on.span.end if on else 0
        line = [sign_behind("\n", end)] if ends_line(call.name) else []
        before = [self._values.term(on, place)] if on is not None else []
        return every_choice([*before, *more, *line]) or [()]

    def _into_first(self, call: Call, does: Does, place: Place) -> Values:
        name = first_name(call, self._language)
        operands = [
            each for each in call.arguments if name is None or each.span.start > name.span.start
        ]
        if name is None:
            return [()]
        if not operands:
            return self._behind(name, [], call, place)
        if does is Does.INTO_FIRST:
            more = [self._values.term(each, place) for each in operands]
        else:
            braces = does is Does.BRACES_INTO_FIRST
            more = [self._expanded(operands[0], operands[1:], place, braces=braces)]
        return self._behind(name, more, call, place)

    def _joined(self, texts: Node, separator: Node, place: Place) -> Values:
        return self._with_separator(self._values.of(texts, place), separator, place)

    def _with_separator(self, values: Values, separator: Node, place: Place) -> Values:
        between = self._values.of(separator, place)[0]
        found: Values = []
        for value in values:
            parts: list[Text | Hole] = []
            for part in value:
                parts += between if isinstance(part, Hole) and part.key == BETWEEN else (part,)
            found.append(tuple(parts))
        return found

    def formatted(self, node: Node, place: Place) -> Values:
        """`format % values`, where the values may stand in a tuple or a list."""
        left, *right = node.operands
        given = bare(right[0]) if right else None
        arguments = [given] if given is not None else []
        if given is not None and (given.kind in self._language.lists or given.kind in _TABLES):
            arguments = given.operands
        return self._expanded(left, arguments, place)

    def _expanded(
        self, form: Node, arguments: Sequence[Node], place: Place, *, braces: bool = False
    ) -> Values:
        """A format with its arguments put in, each of which may be one of a few texts."""
        named = {self._keyword(each): each for each in arguments}
        spliced: list[Values] = []

        def argument(which: int | str, source: Span) -> Template:
            given = named.get(which) if isinstance(which, str) else None
            if isinstance(which, int) and which < len(arguments):
                given = arguments[which]
            if given is None and isinstance(which, str) and self._language.captures:
                captured = self._values.captured(which, source, place)
                if captured is not None:
                    return captured
            if given is None:
                key = which if isinstance(which, str) else f"argument {which}"
                return (Hole(HoleKind.FREE, source, key),)
            spliced.append(self._given(given, source, place))
            return (Hole(HoleKind.FREE, source, f"{BETWEEN}{len(spliced) - 1}"),)

        found: Values = []
        for value in self._values.of(form, place):
            spliced.clear()
            shown = expand(value, BRACES if braces else PERCENT, argument)
            found += every_choice([_operand(part, spliced) for part in shown]) or [value]
        return found[:MAX_ALTERNATIVES]

    def _given(self, given: Node, source: Span, place: Place) -> Values:
        """What is put in at a place of a format: texts that show, else what stands for them."""
        given = given.operands[-1] if given.kind in _KEYWORDS else given
        values = self._values.of(given, place)
        if all(all(isinstance(part, Text) for part in value) for value in values):
            return [put_at(value, source) for value in values]
        only = values[0][0] if len(values) == 1 and len(values[0]) == 1 else None
        kind = only.kind if isinstance(only, Hole) else HoleKind.FREE
        return [(Hole(kind, source, self._values.key(given)),)]

    def _keyword(self, argument: Node) -> str:
        if argument.kind not in _KEYWORDS or not argument.operands:
            return ""
        span = argument.operands[0].span
        return self._text[span.start : span.end].strip("\"'")


def _operand(part: Text | Hole, spliced: Sequence[Values]) -> Values:
    """A part of a format, or what is put in at its place."""
    is_place = isinstance(part, Hole) and part.key.startswith(BETWEEN) and part.key != BETWEEN
    return spliced[int(part.key[1:])] if is_place and isinstance(part, Hole) else [(part,)]
