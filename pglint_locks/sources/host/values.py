"""What a text expression of the host may give: a few templates, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pglint_locks.sources.bodies.flow import Arm, share_loop
from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, Text
from pglint_locks.sources.bodies.variables import Write
from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.calltexts import CallTexts
from pglint_locks.sources.host.folding import (
    BETWEEN,
    MAX_ALTERNATIVES,
    Values,
    every_choice,
    put_at,
    shows,
    sign_behind,
)
from pglint_locks.sources.host.language import Language, does_of
from pglint_locks.sources.host.returns import Returns
from pglint_locks.sources.host.scopes import Scope, Setting
from pglint_locks.sources.host.sqltext import may_matter
from pglint_locks.sources.host.strings import literal
from pglint_locks.sources.host.tree import Node
from pglint_locks.sources.orm.query import UNKNOWN_TABLE, OrmStatement
from pglint_locks.text import Piece, SourceMap, Span

_MAX_DEPTH = 30
_NUMBER = re.compile(r"int|number|numeric")


class Place:
    """Where a value is read, how deep in others; `known` is a name with what it holds there."""

    __slots__ = ("arm", "depth", "known", "order", "scope")

    def __init__(
        self,
        scope: Scope,
        arm: Arm,
        order: int,
        depth: int = 0,
        known: tuple[str, Values] | None = None,
    ) -> None:
        self.scope, self.arm, self.order = scope, arm, order
        self.depth, self.known = depth, known

    @property
    def deeper(self) -> Place:
        """The same place, one value further in."""
        return Place(self.scope, self.arm, self.order, self.depth + 1, self.known)


class TextValues:
    """The text expressions of one file.

    `queries` are what calls of ORMs give that are asked for their SQL, by their places; those
    that texts are made of are in `spliced`.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        scopes: Sequence[Scope],
        queries: Mapping[Span, OrmStatement],
    ) -> None:
        self.queries = queries
        self.spliced: set[Span] = set()
        self._text = text
        self._language = language
        self._scopes = scopes
        self._returns = Returns(language, scopes)
        self._returned_by: dict[Scope, Values] = {}
        self._calls = CallTexts(text, language, self)
        self._allowance = 200_000  # of values, which can double at each step

    def of(self, node: Node, place: Place) -> Values:
        """What an expression may give; never none."""
        node = bare(node)
        self._allowance -= 1
        if place.depth > _MAX_DEPTH or self._allowance < 0:
            return self.hole(node)
        language, inner = self._language, place.deeper
        if node.span in self.queries:
            return self._query(node)
        if node.kind in language.strings:
            return self._literal(node, inner)
        if _NUMBER.search(node.kind) and (digits := node.text.replace("_", "")).isdecimal():
            return [(Text(digits, SourceMap((Piece(Span(0, len(digits)), node.span),))),)]
        if node.kind in language.joined:
            return self.sum_of(node.operands, inner)
        if node.kind in language.sums and node.has_token(*language.signs):
            return self.sum_of(_terms(node, language), inner)
        if node.kind in language.sums and node.has_token(*language.ands):
            return [*self.of(node.operands[-1], inner), ()]
        if node.kind in language.choices:
            return self._choice(node, inner)
        if node.kind in language.lists:
            return self._list(node, inner)
        if language.percent_sign and node.kind in language.sums and node.has_token("%"):
            return self._calls.formatted(node, inner)
        call = call_at(self._text, node, language)
        if call is None and (node.kind in language.names or node.kind in language.members):
            return self._variable(node, place)
        if call is not None and call.is_tag:
            return self.of(call.arguments[0], inner)
        does = does_of(call.name, language) if call else None
        if call is not None and does is None:
            return self._returned(node, call, inner)
        if call is None or does is None:
            return self.hole(node)
        return self._calls.of(node, call, does, inner)

    def hole(self, node: Node, kind: HoleKind = HoleKind.FREE) -> Values:
        """What stands for an expression that is not known."""
        return [(Hole(kind, node.span, self.key(node)),)]

    def _query(self, node: Node) -> Values:
        self.spliced.add(node.span)
        query = self.queries[node.span]
        parts: list[Text | Hole] = []
        at = 0
        for found in re.finditer(UNKNOWN_TABLE, query.text):
            parts.append(_part(query, Span(at, found.start())))
            where = query.map.file_span(Span(*found.span()))
            parts.append(Hole(HoleKind.IDENTIFIER, where, query.rows_of or ""))
            at = found.end()
        return [(*parts, _part(query, Span(at, len(query.text))))]

    def key(self, node: Node) -> str:
        """An expression as it is written, in one line."""
        return " ".join(self._text[node.span.start : node.span.end].split())[:200]

    # --- literals and their sums -----------------------------------------------------

    def _literal(self, node: Node, place: Place) -> Values:
        """A literal; what is spliced into it may be one of a few texts."""
        spliced: list[Values] = []

        def marked(hole: Node) -> Template:
            spliced.append(self._spliced(hole, place))
            return (Hole(HoleKind.FREE, hole.span, f"{BETWEEN}{len(spliced) - 1}"),)

        shown = literal(self._text, node, self._language, marked)
        if self._language.spaced and node.text.startswith(self._language.spaced):
            shown = (*shown, *sign_behind(" ", node.span.end)[0])
        if not spliced:
            return [shown]
        operands: list[Values] = [
            spliced[int(part.key[1:])] if isinstance(part, Hole) else [(part,)] for part in shown
        ]
        return every_choice(operands) or self.hole(node)

    def _spliced(self, hole: Node, place: Place) -> Values:
        inner = [each for each in hole.operands if "brace" not in each.kind]
        if hole.kind in self._language.names | self._language.members:
            inner = [hole]
        found = self.of(inner[0], place) if inner else self.hole(hole)
        if inner and bare(inner[0]).span in self.queries:
            return found
        return [put_at(template, hole.span) for template in found]

    def sum_of(self, terms: Sequence[Node], place: Place) -> Values:
        """Expressions that are joined."""
        return every_choice([self.term(term, place) for term in terms]) or self.hole(terms[0])

    def term(self, term: Node, place: Place) -> Values:
        """One of what is joined: a single word behind a name counts as written there."""
        found = self.of(term, place)
        is_name = bare(term).kind in self._language.names | self._language.members
        return [put_at(template, term.span) for template in found] if is_name else found

    def _choice(self, node: Node, place: Place) -> Values:
        """A conditional expression: each of its values, those that show first."""
        operands = node.operands
        found: Values = []
        for index in self._language.choices[node.kind]:
            if index < len(operands):
                found += self.of(operands[index], place)
        shown = [value for value in found if not value or any(map(_is_text, value))]
        shown.sort(key=lambda value: not _may_lock(value))
        if len(shown) == len(found) and len(found) > 1:
            return shown[:MAX_ALTERNATIVES]
        hidden = [value for value in found if value and not any(map(_is_text, value))]
        return [*shown, *hidden[:1]][:MAX_ALTERNATIVES] or self.hole(node)

    def _list(self, node: Node, place: Place) -> Values:
        """The texts of a list, with marks between that `join` replaces."""
        return self.texts(node.operands, place)

    def texts(self, elements: Sequence[Node], place: Place) -> Values:
        """The texts of several expressions, with marks between."""
        operands: list[Values] = []
        for element in elements:
            if operands:
                operands.append(self._between(element))
            operands.append(self.of(element, place))
        return every_choice(operands) or [()]

    def _between(self, node: Node) -> Values:
        return [(Hole(HoleKind.FREE, Span(node.span.start, node.span.start), BETWEEN),)]

    # --- calls ------------------------------------------------------------------------

    def _returned(self, node: Node, call: Call, place: Place) -> Values:
        """What a function of the file gives, if that is a text with whatever it is given."""
        found = self._returns.of(call)
        if found is None:
            return self.hole(node)
        scope, returned = found
        if scope in self._returned_by:
            return self._returned_by[scope] or self.hole(node)
        self._returned_by[scope] = []  # for a function that calls itself
        values: Values = []
        for each in returned:
            values += self.of(each, Place(scope, scope.arm, each.span.start, place.depth))
        values.sort(key=lambda value: not _may_lock(value))
        is_text = all(not value or any(map(_is_text, value)) for value in values)
        if is_text and any(values):
            self._returned_by[scope] = values[:MAX_ALTERNATIVES]
        return self._returned_by[scope] or self.hole(node)

    # --- variables --------------------------------------------------------------------

    def name(self, node: Node) -> str:
        """The last part of a name: `CLAIM` of `Worker.CLAIM`."""
        written = self._text[node.span.start : node.span.end]
        return written.replace("->", ".").replace("::", ".").rpartition(".")[2].strip("$@&?!\\ ")

    def captured(self, name: str, source: Span, place: Place) -> Template | None:
        """The one text of a variable that a format names; None if it has none."""
        for scope in place.scope.outwards():
            writes = scope.variables.all_writes(name)
            if writes and (scope is not place.scope or writes[0].order < place.order):
                value = self._of_name(name, scope, place)
                if len(value) == 1 and shows(value[0]):
                    return put_at(value[0], source)
                return None
        return None

    def _variable(self, node: Node, place: Place) -> Values:
        name = self.name(node)
        if place.known is not None and place.known[0] == name:
            return place.known[1]
        scope = self._home(node, name, place.scope)
        if scope is None:
            return self.hole(node)
        return self._of_name(name, scope, place) or self.hole(node)

    def _of_name(self, name: str, scope: Scope, place: Place) -> Values:
        """What a name of a scope may hold at a place; nothing if that is not known."""
        if scope is place.scope and not scope.is_class:
            return self.variable(name, place)
        writes = scope.variables.all_writes(name)
        firm = [write for write in writes if write.value is not None and not write.value.adds]
        if len(firm) != 1 or writes[0] is not firm[0]:
            return []
        last = max(write.order for write in writes) + 1
        there = Place(scope, writes[-1].arm, last, place.depth + 1)
        return self.variable(name, there)

    def _home(self, node: Node, name: str, scope: Scope) -> Scope | None:
        """The scope whose name is meant."""
        if node.kind in self._language.names:
            for outer in scope.outwards():
                if outer.variables.all_writes(name):
                    return outer
        is_member = node.whole[node.span.start - 2 : node.span.start] == "::"
        if (
            is_member
            or node.kind in self._language.members
            or scope.of_class.variables.all_writes(name)
        ):
            if scope.of_class.variables.all_writes(name):
                return scope.of_class
            homes = [
                each
                for each in self._scopes
                if not each.is_function and each.variables.all_writes(name)
            ]
            return homes[0] if len(homes) == 1 else None
        return None

    def variable(self, name: str, place: Place) -> Values:
        """What a variable of the place's own scope may hold there; nothing if that is not known."""
        writes = place.scope.variables.writes_before(name, place.order, place.arm) or []
        around = place.arm.path()
        firm = [write for write in writes if write.value is None or not write.value.adds]
        base = next((write for write in reversed(firm) if write.arm in around), None)
        if base is not None:
            writes = [write for write in writes if write.order >= base.order]
        if not writes or any(write.value is None for write in writes):
            return []
        values: Values = []
        for write in writes:
            values = self._after(write, values, name, place)[:MAX_ALTERNATIVES]
        return values

    def _after(self, write: Write[Setting], values: Values, name: str, place: Place) -> Values:
        """What a variable may hold behind a place that sets it, if it held `values`."""
        assert write.value is not None
        before = values or [()]
        known = (name, before) if write.value.adds else None
        there = Place(place.scope, write.arm, write.order, place.depth + 1, known)
        set_here = self.of(write.value.node, there)
        if write.value.adds and not write.value.whole:
            before = [
                (*value, *self._between(write.value.node)[0])
                if write.value.element and value
                else value
                for value in before
            ]
            set_here = every_choice([before, set_here])
            if write.value.line:
                set_here = every_choice([set_here, sign_behind("\n", write.value.node.span.end)])
        if write.arm in place.arm.path() and share_loop(write.arm, write.arm) is share_loop(
            write.arm, place.arm
        ):
            return set_here
        return [*set_here, *values]


def _part(query: OrmStatement, span: Span) -> Text:
    return Text(query.text[span.start : span.end], query.map.part(span))


def _is_text(part: Text | Hole) -> bool:
    return isinstance(part, Text)


def _may_lock(value: Template) -> bool:
    """Whether a text has lock words: where not all can be tried, that with them is."""
    return any(isinstance(part, Text) and may_matter(part.text) for part in value)


def _terms(node: Node, language: Language) -> list[Node]:
    """The operands of a sum, which nests to the left."""
    terms: list[Node] = []
    while node.kind in language.sums and node.has_token(*language.signs):
        operands = node.operands
        if len(operands) != 2:
            break
        terms.append(operands[1])
        node = bare(operands[0])
    terms.append(node)
    return terms[::-1]
