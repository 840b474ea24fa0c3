"""What a text expression of the host may give: a few templates, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pglint_locks.sources.bodies.flow import Arm, share_loop
from pglint_locks.sources.bodies.templates import Hole, HoleKind, Template, Text
from pglint_locks.sources.bodies.variables import Write
from pglint_locks.sources.host.appends import built, ends_line, first_name
from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.folding import (
    BETWEEN,
    MAX_ALTERNATIVES,
    Values,
    every_choice,
    put_at,
    shows,
)
from pglint_locks.sources.host.formats import BRACES, PERCENT, expand, without_margin
from pglint_locks.sources.host.language import Does, Language, does_of
from pglint_locks.sources.host.returns import Returns
from pglint_locks.sources.host.scopes import Scope, Setting
from pglint_locks.sources.host.sqltext import may_matter
from pglint_locks.sources.host.strings import literal, plain
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
        self._allowance = 200_000  # of values, which can double at each step

    def of(self, node: Node, place: Place) -> Values:
        """What an expression may give; never none."""
        node = bare(node)
        self._allowance -= 1
        if place.depth > _MAX_DEPTH or self._allowance < 0:
            return self._hole(node)
        language, inner = self._language, place.deeper
        if node.span in self.queries:
            return self._query(node)
        if node.kind in language.strings:
            return self._literal(node, inner)
        if _NUMBER.search(node.kind) and node.text.isdecimal():
            return [(plain(self._text, node.span),)]
        if node.kind in language.joined:
            return self._sum(node.operands, inner)
        if node.kind in language.sums and node.has_token(*language.signs):
            return self._sum(_terms(node, language), inner)
        if node.kind in language.sums and node.has_token(*language.ands):
            return [*self.of(node.operands[-1], inner), ()]
        if node.kind in language.choices:
            return self._choice(node, inner)
        if node.kind in language.lists:
            return self._list(node, inner)
        if language.percent_sign and node.kind in language.sums and node.has_token("%"):
            return self._formatted(node, inner)
        call = call_at(self._text, node, language)
        if call is None and (node.kind in language.names or node.kind in language.members):
            return self._variable(node, place)
        if call is not None and call.is_tag:
            return self.of(call.arguments[0], inner)
        does = does_of(call.name, language) if call else None
        if call is not None and does is None:
            return self._returned(node, call, inner)
        if call is None or does is None:
            return self._hole(node)
        return self._call(node, call, does, inner)

    def _hole(self, node: Node, kind: HoleKind = HoleKind.FREE) -> Values:
        return [(Hole(kind, node.span, self._key(node)),)]

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

    def _key(self, node: Node) -> str:
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
            shown = (*shown, *_sign(" ", node.span.end)[0])
        if not spliced:
            return [shown]
        operands: list[Values] = [
            spliced[int(part.key[1:])] if isinstance(part, Hole) else [(part,)] for part in shown
        ]
        return every_choice(operands) or self._hole(node)

    def _spliced(self, hole: Node, place: Place) -> Values:
        inner = [each for each in hole.operands if "brace" not in each.kind]
        if hole.kind in self._language.names | self._language.members:
            inner = [hole]
        found = self.of(inner[0], place) if inner else self._hole(hole)
        if inner and bare(inner[0]).span in self.queries:
            return found
        return [put_at(template, hole.span) for template in found]

    def _sum(self, terms: Sequence[Node], place: Place) -> Values:
        return every_choice([self._term(term, place) for term in terms]) or self._hole(terms[0])

    def _term(self, term: Node, place: Place) -> Values:
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
        return [*shown, *hidden[:1]][:MAX_ALTERNATIVES] or self._hole(node)

    def _list(self, node: Node, place: Place) -> Values:
        """The texts of a list, with marks between that `join` replaces."""
        return self._texts(node.operands, place)

    def _texts(self, elements: Sequence[Node], place: Place) -> Values:
        operands: list[Values] = []
        for element in elements:
            if operands:
                operands.append(self._between(element))
            operands.append(self.of(element, place))
        return every_choice(operands) or [()]

    def _between(self, node: Node) -> Values:
        return [(Hole(HoleKind.FREE, Span(node.span.start, node.span.start), BETWEEN),)]

    # --- calls ------------------------------------------------------------------------

    def _call(self, node: Node, call: Call, does: Does, place: Place) -> Values:
        first = call.arguments[0] if call.arguments else None
        on = call.receiver
        match does:
            case Does.IDENTIFIER:
                return self._hole(node, HoleKind.IDENTIFIER)
            case Does.LITERAL:
                return self._hole(node, HoleKind.LITERAL)
            case Does.BUILD:
                return self._built(node, place)
            case Does.SAME_AS_FIRST:
                return self.of(first, place) if first is not None else [()]
            case Does.SAME if on is not None:
                return self.of(on, place)
            case Does.WITHOUT_MARGIN if on is not None:
                return [without_margin(value) for value in self.of(on, place)]
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
                return self._with_separator(self._texts(call.arguments[1:], place), first, place)
            case Does.CONCAT_ALL if first is not None:
                return self._sum(call.arguments, place)
            case Does.LIST | Does.ADD_TO_FIRST:
                return self._texts(call.arguments, place)
            case Does.CONCAT if on is not None or call.arguments:
                more = [self._term(each, place) for each in call.arguments]
                return self._behind(on, more, call, place)
            case Does.CONCAT_BRACES if first is not None:
                more = [self._expanded(first, call.arguments[1:], place, braces=True)]
                return self._behind(on, more, call, place)
            case Does.BIND:
                return self._behind(on, [self._hole(node)], call, place)
            case Does.INTO_FIRST | Does.PERCENT_INTO_FIRST | Does.BRACES_INTO_FIRST:
                return self._into_first(call, does, place)
        return self._hole(node)

    def _built(self, node: Node, place: Place) -> Values:
        """`buildString { append("…") }`: what the statements of the function append."""
        operands: list[Values] = []
        for statement in built(node):
            call = call_at(self._text, statement, self._language)
            if call is not None and self._language.calls.get(call.name) is Does.CONCAT:
                operands.append(self.of(statement, place))
            elif statement.kind in self._language.branches | self._language.loops:
                operands.append(self._hole(statement, HoleKind.OPTIONAL))
        return every_choice(operands) or self._hole(node)

    def _behind(self, on: Node | None, more: Sequence[Values], call: Call, place: Place) -> Values:
        """A text with others put behind it, as a call does."""
        end = call.arguments[-1].span.end if call.arguments else on.span.end if on else 0
        line = [_sign("\n", end)] if ends_line(call.name) else []
        before = [self._term(on, place)] if on is not None else []
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
            more = [self._term(each, place) for each in operands]
        else:
            braces = does is Does.BRACES_INTO_FIRST
            more = [self._expanded(operands[0], operands[1:], place, braces=braces)]
        return self._behind(name, more, call, place)

    def _returned(self, node: Node, call: Call, place: Place) -> Values:
        """What a function of the file gives, if that is a text with whatever it is given."""
        found = self._returns.of(call)
        if found is None:
            return self._hole(node)
        scope, returned = found
        there = Place(scope, scope.arm, returned.span.start, place.depth)
        values = self.of(returned, there)
        return values if all(any(map(_is_text, value)) for value in values) else self._hole(node)

    def _joined(self, texts: Node, separator: Node, place: Place) -> Values:
        return self._with_separator(self.of(texts, place), separator, place)

    def _with_separator(self, values: Values, separator: Node, place: Place) -> Values:
        between = self.of(separator, place)[0]
        found: Values = []
        for value in values:
            parts: list[Text | Hole] = []
            for part in value:
                parts += between if isinstance(part, Hole) and part.key == BETWEEN else (part,)
            found.append(tuple(parts))
        return found

    def _formatted(self, node: Node, place: Place) -> Values:
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
        named = {self._keyword(each): each for each in arguments}

        def argument(which: int | str, source: Span) -> Template:
            given = named.get(which) if isinstance(which, str) else None
            if isinstance(which, int) and which < len(arguments):
                given = arguments[which]
            if given is None and isinstance(which, str) and self._language.captures:
                captured = self.captured(which, source, place)
                if captured is not None:
                    return captured
            if given is None:
                key = which if isinstance(which, str) else f"argument {which}"
                return (Hole(HoleKind.FREE, source, key),)
            given = given.operands[-1] if given.kind in _KEYWORDS else given
            value = self.of(given, place)
            if len(value) > 1 or not all(isinstance(part, Text) for part in value[0]):
                only = value[0][0] if len(value) == 1 and len(value[0]) == 1 else None
                kind = only.kind if isinstance(only, Hole) else HoleKind.FREE
                return (Hole(kind, source, self._key(given)),)
            return put_at(value[0], source)

        pattern = BRACES if braces else PERCENT
        return [expand(value, pattern, argument) for value in self.of(form, place)]

    def _keyword(self, argument: Node) -> str:
        if argument.kind not in _KEYWORDS or not argument.operands:
            return ""
        span = argument.operands[0].span
        return self._text[span.start : span.end].strip("\"'")

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
            return self._hole(node)
        return self._of_name(name, scope, place) or self._hole(node)

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
                set_here = every_choice([set_here, _sign("\n", write.value.node.span.end)])
        if write.arm in place.arm.path() and share_loop(write.arm, write.arm) is share_loop(
            write.arm, place.arm
        ):
            return set_here
        return [*set_here, *values]


def _part(query: OrmStatement, span: Span) -> Text:
    return Text(query.text[span.start : span.end], query.map.part(span))


def _sign(text: str, place: int) -> Values:
    """What is put behind a text without being written: a line end, a space."""
    return [(Text(text, SourceMap((Piece(Span(0, len(text)), Span(place, place)),))),)]


def _is_text(part: Text | Hole) -> bool:
    return isinstance(part, Text)


def _may_lock(value: Template) -> bool:
    """Whether a text has lock words: where not all can be tried, that with them is."""
    return any(isinstance(part, Text) and may_matter(part.text) for part in value)


_TABLES = frozenset({"dictionary", "hash"})
_KEYWORDS = frozenset({"keyword_argument", "named_argument", "pair"})


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
