"""The statements of a mapper, put together from their dynamic SQL."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks.sources.assembly import Assembly
from pglint_locks.sources.mybatis.elements import Element, Text, references
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.parse import Unparsed, parse
from pglint_locks.sql.split import split
from pglint_locks.text import SourceText, Span

_STATEMENTS = frozenset({"select", "insert", "update", "delete"})
_MAX_INCLUDED = 200_000
_MAX_TRIES = 16
_MAX_LENGTH = 50_000
_OVERRIDES = {"where": "AND |OR |AND\n|OR\n|AND\r|OR\r|AND\t|OR\t"}


class Statements:
    """The statements of a mapper in order.

    `places` are where they stand, `unread` the lock words in branches that are not read.
    """

    def __init__(self, source: SourceText, root: Element) -> None:
        self.places: list[Span] = []
        self.unread: list[NotAnalysed] = []
        self._source = source
        self._elements = [each for each in _below(root) if each.end >= 0]
        self._fragments = {
            each.attributes["id"]: each
            for each in self._elements
            if each.name == "sql" and "id" in each.attributes
        }

    def units(self) -> Iterator[SqlUnit]:
        """Each statement as a unit that its id names."""
        for element in self._elements:
            if element.name in _STATEMENTS or element.name == "selectKey":
                yield from self._unit(element)

    def _unit(self, element: Element) -> Iterator[SqlUnit]:
        rendering = _Rendering(self._source, self._fragments)
        unit = rendering.unit(element)
        if next(iter(lock_word_spans(unit.text)), None) is not None:
            unit = rendering.parsing(element) or unit
        self.places.append(Span(element.tag.start, element.end))
        for words in () if _is_other_database(element) else rendering.left_out:
            self.unread.append(NotAnalysed("in a template's other branch", self._source, words))
        label = f"query {element.attributes.get('id', element.name)}"
        if _is_other_database(element):
            for words in lock_word_spans(unit.text):
                place = unit.map.file_span(words)
                self.unread.append(NotAnalysed("another database's SQL", self._source, place))
            return
        yield unit._replace(label=label)


def _is_other_database(element: Element) -> bool:
    database = element.attributes.get("databaseId", "postgresql").lower()
    return not database.startswith(("postgres", "pg"))


def _below(root: Element) -> Iterator[Element]:
    stack = [root]
    while stack:
        element = stack.pop()
        if element is not root:
            yield element
        stack.extend(child for child in reversed(element.children) if isinstance(child, Element))


class _Rendering:
    """A statement's text with one choice for each condition in it.

    A condition is an `<if>`, present first, or a `<choose>`, whose locking branches come
    first.  `left_out` are the lock words in what was not chosen.
    """

    def __init__(self, source: SourceText, fragments: dict[str, Element]) -> None:
        self.left_out: list[Span] = []
        self._source = source
        self._fragments = fragments
        self._chosen: list[int] = []
        self._choices: list[int] = []
        self._includes: list[Element] = []
        self._included_length = 0

    def unit(self, element: Element) -> SqlUnit:
        self.left_out = []
        self._choices = []
        self._included_length = 0
        return self._children(element)

    def parsing(self, element: Element) -> SqlUnit | None:
        """The statement with the first choices with which it parses."""
        for _ in range(_MAX_TRIES):
            unit = self.unit(element)
            if len(unit.text) > _MAX_LENGTH or _parses(unit.text):
                return unit
            index = len(self._choices) - 1
            chosen = self._chosen + [0] * (len(self._choices) - len(self._chosen))
            while index >= 0 and chosen[index] + 1 >= self._choices[index]:
                index -= 1
            if index < 0:
                break
            self._chosen = [*chosen[:index], chosen[index] + 1]
        self._chosen = []
        return self.unit(element)

    def _choose(self, count: int) -> int:
        """Which of several is taken at this place."""
        index = len(self._choices)
        self._choices.append(count)
        return min(self._chosen[index], count - 1) if index < len(self._chosen) else 0

    def _children(self, element: Element) -> SqlUnit:
        assembly = Assembly(self._source)
        for child in element.children:
            if isinstance(child, Text):
                self._text(assembly, child)
            else:
                assembly.add(self._element(child))
        return assembly.unit()

    def _text(self, assembly: Assembly, text: Text) -> None:
        at = text.span.start
        for span, meaning in () if text.is_cdata else references(self._source.text, text.span):
            assembly.copy(Span(at, span.start))
            assembly.put(meaning, span)
            at = span.end
        assembly.copy(Span(at, text.span.end))

    def _element(self, element: Element) -> SqlUnit:
        match element.name:
            case "if" if self._choose(2):
                return self._absent(element)
            case "choose":
                return self._one_of(element)
            case "include":
                return self._included(element)
            case "where":
                return self._trimmed(element, "WHERE ", "", _OVERRIDES["where"], "")
            case "set":
                return self._trimmed(element, "SET ", "", ",", ",")
            case "trim":
                names = ("prefix", "suffix", "prefixOverrides", "suffixOverrides")
                prefix, suffix, *overrides = (element.attributes.get(name, "") for name in names)
                return self._trimmed(element, prefix + " ", " " + suffix, *overrides)
            case "foreach":
                opening, closing = (element.attributes.get(name, "") for name in ("open", "close"))
                return self._trimmed(element, opening + " ", " " + closing, "", "")
            case "selectKey" | "bind" | "property":
                return Assembly(self._source).unit()
        return self._children(element)

    def _absent(self, element: Element) -> SqlUnit:
        chosen, choices = self._chosen, list(self._choices)
        for span in lock_word_spans((unit := self._children(element)).text):
            self.left_out.append(unit.map.file_span(span))
        self._chosen, self._choices = chosen, choices
        return Assembly(self._source).unit()

    def _one_of(self, element: Element) -> SqlUnit:
        """One branch of a `<choose>`."""
        branches = [child for child in element.children if isinstance(child, Element)]
        if not branches:
            return Assembly(self._source).unit()
        branches.sort(key=lambda each: not self._locks(each))
        taken = self._choose(len(branches))
        for index, branch in enumerate(branches):
            if index != taken:
                self._absent(branch)
        return self._children(branches[taken])

    def _locks(self, element: Element) -> bool:
        text = self._source.text[element.tag.end : element.end]
        return next(iter(lock_word_spans(text)), None) is not None

    def _included(self, element: Element) -> SqlUnit:
        """What a fragment holds, at the place where it is included; one not known is a hole."""
        name = element.attributes.get("refid", "")
        fragment = self._fragments.get(name) or self._fragments.get(name.rpartition(".")[2])
        assembly = Assembly(self._source)
        place = Span(element.tag.start, element.end)
        too_long = self._included_length > _MAX_INCLUDED
        if fragment is None or too_long or fragment in self._includes:
            assembly.put("${" + (name or "include") + "}", place)
            return assembly.unit()
        self._includes.append(fragment)
        text = self._children(fragment).text
        self._includes.pop()
        self._included_length += len(text) + 1
        # One that is as long as its text would pass for a copy of it.
        assembly.put(text + " " * (len(text) == place.end - place.start), place)
        return assembly.unit()

    def _trimmed(
        self, element: Element, prefix: str, suffix: str, before: str, behind: str
    ) -> SqlUnit:
        """An element's text between a prefix and a suffix, without what these override."""
        inner = self._children(element)
        if not inner.text.strip():
            return inner
        start = len(inner.text) - len(inner.text.lstrip())
        end = len(inner.text.rstrip())
        for word in filter(str.strip, before.split("|")):
            if inner.text[start : start + len(word)].upper() == word.upper():
                start += len(word)
                break
        for word in filter(str.strip, behind.split("|")):
            if inner.text[:end].upper().endswith(word.strip().upper()):
                end -= len(word.strip())
                break
        assembly = Assembly(self._source)
        opening = element.tag
        assembly.put(_unlike(prefix, opening), opening)
        assembly.add(inner.part(Span(start, max(start, end))))
        assembly.put(_unlike(suffix, opening), Span(element.end, element.end))
        return assembly.unit()


def _unlike(text: str, place: Span) -> str:
    """A text that is not as long as its place: it would pass for a copy."""
    return text + " " if len(text) == place.end - place.start else text


def _parses(text: str) -> bool:
    return all(not isinstance(parse(chunk.text), Unparsed) for chunk in split(text).chunks)
