"""What a text expression may give: from literals, `||`, `format()` and variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from pglint_locks.sources.bodies.flow import Arm, share_loop
from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, Text
from pglint_locks.sources.bodies.variables import Variables, Write
from pglint_locks.sources.literals import literal_unit
from pglint_locks.sources.plpgsql.extents import BodyTokens
from pglint_locks.sources.plpgsql.format_string import expand, put_in
from pglint_locks.sources.plpgsql.tokens import Kind
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.text import SourceMap, Span

_QUOTING = {"quote_ident": "I", "quote_literal": "L", "quote_nullable": "L"}
Tokens = tuple[int, int]
_MAX_DEPTH = 20
_MAX_PARTS = 2000
_MAX_BRACKETS = 300
_MAX_ALTERNATIVES = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is read, how deep in other values, and what `name` stands for there."""

    order: int
    arm: Arm
    depth: int = 0
    name: str | None = None
    value: Template = ()


class TextValues:
    """The text expressions of one body; ranges of tokens end behind their last one."""

    def __init__(self, unit: SqlUnit, tokens: BodyTokens) -> None:
        self.variables: Variables[Tokens] = Variables()
        self._flat = SqlUnit(unit.source, unit.text, SourceMap.identity(len(unit.text)))
        self._tokens = tokens
        self._allowance = 20 * len(tokens) + 20_000  # of values, which can double at each step

    def values(self, first: int, end: int, place: Place) -> list[Template]:
        """What an expression may give: one template, or a few; never none."""
        self._allowance -= 1
        first, end = self._without_brackets(first, end)
        if place.depth > _MAX_DEPTH or first >= end or self._allowance < 0:
            return [self._hole(first, end)]
        operands = [
            self._operand(start, stop, replace(place, depth=place.depth + 1))
            for start, stop in self._concatenated(first, end)
        ]
        count = 1
        for index, values in enumerate(operands):
            count *= len(values)
            if count > _MAX_ALTERNATIVES:
                operands[index:] = [values[:1] for values in operands[index:]]
                break
        found = [
            tuple(part for template in choice for part in template) for choice in product(*operands)
        ]
        if any(len(template) > _MAX_PARTS for template in found):
            return [self._hole(first, end)]
        return found

    def _without_brackets(self, first: int, end: int) -> tuple[int, int]:
        """An expression without the parentheses around it."""
        tokens = self._tokens
        for _ in range(_MAX_BRACKETS):
            if tokens.word(first) != "(" or tokens.find(first + 1, end, ")") != end - 1:
                break
            first, end = first + 1, end - 1
        return first, end

    def _concatenated(self, first: int, end: int) -> list[tuple[int, int]]:
        """The operands of `||`, which stands in no brackets and no CASE."""
        tokens, cases, parts = self._tokens, 0, []
        for index in tokens.shallow(first, end):
            word = tokens.word(index)
            cases += (word == "case") - (word == "end")
            if word == "||" and cases == 0:
                parts.append((first, index))
                first = index + 1
        return [*parts, (first, end)]

    def _operand(self, first: int, end: int, place: Place) -> list[Template]:
        tokens = self._tokens
        end = tokens.find(first, end, "::")
        if first >= end:
            return [self._hole(first, end)]
        if end - first == 1:
            return self._single(first, place)
        if tokens.word(first) == "(" and tokens.find(first + 1, end, ")") == end - 1:
            return self.values(first + 1, end - 1, place)
        if tokens.word(first) == "case":
            return [self._case(first, end)]
        opening = next((i for i in range(first, end) if tokens.word(i) == "("), end)
        if opening < end and tokens.find(opening + 1, end, ")") == end - 1:
            return [self._call(tokens.word(opening - 1), first, (opening + 1, end - 1), place)]
        return [self._hole(first, end)]

    def _single(self, index: int, place: Place) -> list[Template]:
        token = self._tokens[index]
        if token.kind is Kind.STRING:
            return [(self._literal(index),)]
        if token.kind is Kind.NUMBER:
            part = self._flat.part(token.span)
            return [(Text(part.text, part.map),)]
        if self._tokens.is_name(index):
            return self._variable(index, place)
        return [self._hole(index, index + 1)]

    def _literal(self, index: int) -> Text:
        value = literal_unit(self._flat, self._tokens[index].span)
        return Text(value.text, value.map, index)

    def _hole(self, first: int, end: int, kind: HoleKind = HoleKind.FREE) -> Template:
        if first >= end:
            place = self._tokens[min(first, len(self._tokens) - 1)].span.start
            return (Hole(kind, Span(place, place), ""),)
        span, key = self._tokens.span(first, end - 1), self._tokens.key(first, end - 1)
        return (Hole(kind, span, key),)

    def strings(self, first: int, end: int) -> Iterator[int]:
        """The string literals among the tokens."""
        for index in range(first, end):
            if self._tokens[index].kind is Kind.STRING:
                yield index

    def _call(self, name: str, first: int, inside: tuple[int, int], place: Place) -> Template:
        arguments = self._tokens.split(*inside, ",")
        if name in _QUOTING and len(arguments) == 1:
            value = self._only_value(*arguments[0], place)
            return put_in(value, _QUOTING[name], self._tokens.span(first, inside[1]))
        if name == "format" and arguments and self._tokens.word(arguments[0][0]) != "variadic":
            return expand(
                self._only_value(*arguments[0], place),
                lambda number: self._argument(arguments, number, place),
            )
        if name == "concat":
            return tuple(part for one in arguments for part in self._only_value(*one, place))
        return self._hole(first, inside[1] + 1)

    def _argument(self, arguments: list[tuple[int, int]], number: int, place: Place) -> Template:
        if number < len(arguments) and self._tokens.word(arguments[number][0]) != "variadic":
            return self._only_value(*arguments[number], place)
        return (Hole(HoleKind.FREE, Span(0, 0), f"argument {number}"),)

    def _only_value(self, first: int, end: int, place: Place) -> Template:
        values = self.values(first, end, place)
        return values[0] if len(values) == 1 else self._hole(first, end)

    def _case(self, first: int, end: int) -> Template:
        """A CASE of which one arm is a literal with a lock stands for that one."""
        locking = [index for index in self.strings(first, end) if self._locks(index)]
        if len(locking) == 1 and self._tokens.word(locking[0] - 1) in ("then", "else"):
            return (self._literal(locking[0]),)
        return self._hole(first, end)

    def _locks(self, index: int) -> bool:
        return next(lock_word_spans(self._literal(index).text), None) is not None

    def _variable(self, index: int, place: Place) -> list[Template]:
        name = self._tokens.name(index)
        if name == place.name:
            return [place.value]
        writes = self.variables.writes_before(name, place.order, place.arm)
        around = place.arm.path()
        own = [write for write in writes or () if not self._mentions(write, name)]
        base = next((write for write in reversed(own) if write.arm in around), None)
        if base is not None:
            writes = [write for write in writes or () if write.order >= base.order]
        elif writes and len(own) not in (1, len(writes)):
            writes = None
        if not writes or any(write.value is None for write in writes):
            return [self._hole(index, index + 1)]
        values: list[Template] = []
        for write in writes:
            values = self._after(write, values, name, place)[:_MAX_ALTERNATIVES]
        if len(values) == 1 and len(values[0]) == 1 and isinstance(values[0][0], Hole):
            return [(replace(values[0][0], variable=name),)]
        return values or [self._hole(index, index + 1)]

    def _after(
        self, write: Write[Tokens], values: list[Template], name: str, place: Place
    ) -> list[Template]:
        """What a variable may hold behind a place that sets it, if it held `values`."""
        assert write.value is not None
        there = Place(write.order, write.arm, place.depth + 1, name)
        if not self._mentions(write, name):
            set_here = self.values(*write.value, there)
            return set_here if write.arm in place.arm.path() else values + set_here
        appended = [
            template
            for value in values or [self._hole(write.order - 1, write.order)]
            for template in self.values(*write.value, replace(there, value=value))
        ]
        loop = share_loop(write.arm, write.arm)
        repeated = loop is not None and loop is not share_loop(write.arm, place.arm)
        if write.arm in place.arm.path() and not repeated:
            return appended
        if any(self._locks(index) for index in self.strings(*write.value)):
            return appended
        hole = self._hole(*write.value, HoleKind.OPTIONAL)
        return [value + hole for value in values]

    def _mentions(self, write: Write[Tokens], name: str) -> bool:
        if write.value is None:
            return False
        return any(
            self._tokens.is_name(index) and self._tokens.name(index) == name
            for index in range(*write.value)
        )
