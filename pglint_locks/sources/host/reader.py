"""From a host file to the SQL statements that its functions run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from pglint_locks.sources.bodies.body import Body, BodyStatement, Role
from pglint_locks.sources.bodies.fragments import fragment_spans, lock_words
from pglint_locks.sources.bodies.templates import Template, Text, fill, shown
from pglint_locks.sources.content import FileContent, HostBody
from pglint_locks.sources.dialect import FOREIGN, is_foreign_sql
from pglint_locks.sources.host.databases import is_file_for_another, is_for_another
from pglint_locks.sources.host.folding import Values, as_one, is_whole
from pglint_locks.sources.host.handles import handle_of
from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.leftovers import in_literals, in_torn_code
from pglint_locks.sources.host.scopes import Scope, Use
from pglint_locks.sources.host.sqltext import (
    ends_transaction,
    is_sql,
    looks_written,
    matters,
    may_matter,
)
from pglint_locks.sources.host.tree import Node, read_tree
from pglint_locks.sources.host.values import Place, TextValues
from pglint_locks.sources.host.walk import Walk
from pglint_locks.sources.orm.models import Models
from pglint_locks.sources.orm.reader import Calls, read_calls
from pglint_locks.sources.units import NotAnalysed, SqlUnit, in_any_literal
from pglint_locks.sql.chunks import Comment
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.lockwords import code_lock_word_spans
from pglint_locks.text import SourceMap, SourceText, Span

_MAX_LENGTH = 2_000_000
# The parser counts the columns of each node from its line's beginning: a long line, as in a
# minified file, costs the square of its length.
_MAX_SQUARES = 4_000_000_000
_MAX_STATEMENTS = 400
_MAX_CALLS = 3  # of functions that give parts of a text, one within the other
SPLICED = "spliced text"
_WORD = re.compile(r"\w+")


def read_code(source: SourceText, language: Language, models: Models) -> FileContent:
    """What SQL a file of host code holds; `models` are those that other files define.

    Raises:
        ImportError: the parser of host languages is not installed.
    """
    squares = sum(len(line) ** 2 for line in source.text.splitlines())
    if len(source.text) > _MAX_LENGTH or squares > _MAX_SQUARES:
        return FileContent(not_analysed=_all_unread(source, "too large"))
    root = read_tree(source.text, language.grammar, language.heredocs, language.words)
    if language.shape is not None:
        language.shape(root, source.text)
    walk = Walk(source.text, language, root)
    calls = read_calls(source, language, root, walk.scopes, models)
    reading = _Reading(source, language, walk, calls)
    bodies = [*reading.bodies()]
    bodies += calls.but_for(reading.spliced)
    return FileContent(
        bodies=tuple(bodies),
        comments=tuple(_comments(source, root)),
        statements=tuple(reading.spans),
        not_analysed=(
            *(each for each in reading.not_analysed() if not calls.cover(each.span)),
            *calls.not_analysed,
        ),
    )


def _all_unread(source: SourceText, reason: str) -> tuple[NotAnalysed, ...]:
    return tuple(NotAnalysed(reason, source, span) for span in code_lock_word_spans(source.text))


def _comments(source: SourceText, root: Node) -> Iterator[Comment]:
    if "pglint" not in source.text.lower():
        return
    for node in root.below():
        if "comment" in node.kind and not (node.parent and "comment" in node.parent.kind):
            start, end = node.span
            text = source.text[start:end].rstrip("\r\n")
            yield Comment(Span(start, start + len(text)), text)


@dataclass(slots=True)
class _Found:
    """The templates of one use that are SQL, and what else was seen in it."""

    use: Use
    templates: list[Template] = field(default_factory=list)


class _Reading:
    """The reading of one file."""

    def __init__(self, source: SourceText, language: Language, walk: Walk, calls: Calls) -> None:
        self._source = source
        self._language = language
        self._walk = walk
        self._values = TextValues(source.text, language, walk.scopes, calls.queries)
        self._allowance = 8 * len(source.text) + (1 << 18)
        self._names: dict[str, str] = {}
        self._grown: dict[tuple[Scope, str, int], Values] = {}  # what names grow to
        self._shown: set[int] = set()  # the literals that stand in what is run
        self._unread: list[NotAnalysed] = []
        self._analysed: set[Span] = set()
        self._is_foreign = is_file_for_another(source.text)
        self._functions = tuple(
            (scope.node.span, scope.label) for scope in self._walk.scopes if scope.is_function
        )
        self.spans: list[Span] = []
        wanted = self._wanted()
        self._uses = [use for use in self._walk.uses if use.scope in wanted]

    @cached_property
    def _literal_nodes(self) -> dict[int, Node]:
        """The literals of the file by where they begin."""
        nodes = self._walk.scopes[0].node.below()
        return {node.span.start: node for node in nodes if node.kind in self._language.strings}

    @property
    def spliced(self) -> set[Span]:
        """The calls of ORMs whose SQL stands in a text that is run."""
        return self._values.spliced

    def _wanted(self) -> set[Scope]:
        """The scopes whose text, or what they name, may hold something to look at."""
        text, scopes = self._source.text, self._walk.scopes
        texts = {each: text[each.node.span.start : each.node.span.end] for each in scopes[1:]}
        own = {scope for scope, written in texts.items() if may_matter(written)}
        for span in self._values.queries:
            own.update(scope for scope in texts if scope.node.span.covers(span))
        names = {
            name
            for scope in scopes
            for name, node in scope.constants()
            if may_matter(text[node.span.start : node.span.end])
        }
        words = {each: set(_WORD.findall(written)) for each, written in texts.items()}
        for _ in range(_MAX_CALLS):
            called = (scope.name for scope in own if scope.is_function and scope.name)
            names.update(name.rpartition(".")[2] for name in called)
            asked = set(_WORD.findall(" ".join(names)))
            more = {each for each in texts if not asked.isdisjoint(words[each])} - own
            if not more:
                break
            own |= more
        return {scopes[0]}.union(*(scope.outwards() for scope in own))

    def bodies(self) -> Iterator[HostBody]:
        """The statements of each function that rules may have something to say of."""
        used: defaultdict[Scope, list[_Found]] = defaultdict(list)
        loose: defaultdict[Scope, list[_Found]] = defaultdict(list)
        for use in self._uses:
            if use.sets is None:
                used[use.scope].append(self._found(use))
        for use in self._uses:
            if use.sets is not None and (left := self._leftover(use)) is not None:
                loose[use.scope].append(left)
        for scope in self._walk.scopes:
            found, own = used[scope], loose[scope]
            if scope.is_function:
                found = sorted([*found, *own], key=lambda each: each.use.order)
                yield from self._body(scope, found)
            else:
                yield from self._body(scope, found)
                for each in own:
                    yield from self._body(scope, [each])

    def _found(self, use: Use) -> _Found:
        place = Place(use.scope, use.arm, use.order)
        return self._of_values(use, self._values_at(use.node, place))

    def _values_at(self, node: Node, place: Place) -> Values:
        values = self._values.of(node, place)
        if self._language.iodata:
            values = [as_one(value, is_sql) for value in values]
        return values

    def _of_values(self, use: Use, values: Iterable[Template]) -> _Found:
        found = _Found(use)
        for template in values:
            text = _text_of(template)
            if ends_transaction(text):
                use.arm.commits.append(use.order)
            elif is_sql(text) and is_whole(template) and template not in found.templates:
                found.templates.append(template)
                self._shown.update(_literals(template))
        return found

    def _leftover(self, use: Use) -> _Found | None:
        """What a name is set to that no one asks for: as much as it grows to."""
        assert use.sets is not None
        if not self._shown.isdisjoint(_strings(use.node, self._language)):
            return None
        scope, name = use.sets
        writes = [w for w in scope.variables.all_writes(name) if w.order >= use.order]
        reach = [w for w in writes if w.value is not None and (w is writes[0] or w.value.adds)]
        order = max((w.order for w in reach), default=use.order) + 1
        if (scope, name, order) not in self._grown:
            values = self._values.variable(name, Place(scope, scope.arm, order))
            if self._language.iodata:
                values = [as_one(value, is_sql) for value in values]
            self._grown[scope, name, order] = values
        values = self._grown[scope, name, order]
        found = self._of_values(use, values)
        if not found.templates:
            found = self._of_values(
                use, self._values_at(use.node, Place(use.scope, use.arm, use.order))
            )
        return found

    def _body(self, scope: Scope, found: Sequence[_Found]) -> Iterator[HostBody]:
        texts = [_text_of(template) for each in found for template in each.templates]
        if not any(matters(text) for text in texts):
            return
        if len(found) > _MAX_STATEMENTS:
            found = [each for each in found if any(map(matters, map(_text_of, each.templates)))]
        statements = [
            statement
            for each in found[:_MAX_STATEMENTS]
            for template in each.templates
            for statement in self._statement(each.use, scope, template)
        ]
        if statements:
            span = scope.node.span
            unit = SqlUnit(
                self._source,
                self._source.text[span.start : span.end],
                SourceMap.identity(span.end - span.start, span.start),
                _label(scope),
            )
            body = Body(tuple(statements), (), (), settings=scope.variables.settings)
            yield HostBody(unit, body, self._functions)

    def _statement(self, use: Use, scope: Scope, template: Template) -> Iterator[BodyStatement]:
        filled = fill(template, self._allowance, self._names)
        self._allowance -= filled.effort
        locks = [filled.map.file_span(span) for span in lock_words(filled.text)]
        if self._is_for_another(use.node, template):
            self._unread += (NotAnalysed(FOREIGN, self._source, span) for span in locks)
            return
        if not filled.parses and not is_foreign_sql(filled.text, [filled.text]):
            if looks_written(filled.text):
                reason = _why_unread(filled.text, is_spliced=bool(filled.gaps))
                self._unread += (NotAnalysed(reason, self._source, span) for span in locks)
            return
        self._analysed.update(locks)
        self.spans += self._around(use.node)
        yield BodyStatement(
            unit=SqlUnit(self._source, filled.text, filled.map, _label(scope), in_any_literal),
            role=Role.DYNAMIC,
            runs_as=Role.STATEMENT,
            arm=use.arm,
            order=use.order,
            gaps=filled.gaps,
            handle=handle_of(use.node, self._language, use.scope),
        )

    def _is_for_another(self, node: Node, template: Template) -> bool:
        """Whether names around the literals of a text say so, or around where it is used."""
        if self._is_foreign:
            return True
        nodes = self._literal_nodes
        literals = [nodes[start] for start in _literals(template) if start in nodes]
        return any(is_for_another(each, self._language) for each in literals or (node,))

    def _around(self, node: Node) -> Iterator[Span]:
        """The host's statement that holds a text, and the text itself."""
        yield node.span
        statement = node
        for outer in node.above():
            if outer.kind in self._language.bodies:
                break
            statement = outer
        yield Span(statement.span.start, node.span.end)

    def not_analysed(self) -> Iterator[NotAnalysed]:
        """The locks that were seen and could not be read, each once."""
        analysed = {span.start for span in self._analysed}
        seen: set[int] = set()
        for unread in chain(self._unread, self._fragments(), self._leftovers()):
            start = unread.span.start
            if start not in analysed and start not in seen:
                seen.add(start)
                yield unread

    def _leftovers(self) -> Iterator[NotAnalysed]:
        """What is in no text that is run, going by the walk."""
        source, language, spoken = self._source, self._language, self._walk.spoken
        for unread in in_literals(source, language, self._literal_nodes.values(), spoken):
            if self._is_foreign:
                unread = unread._replace(reason=FOREIGN)
            yield unread
        yield from in_torn_code(source, language, self._walk.scopes[0].node, spoken)

    def _fragments(self) -> Iterator[NotAnalysed]:
        """Locking clauses that stand alone, put behind a query that does not show."""
        for use in self._uses:
            for template in self._values_at(use.node, Place(use.scope, use.arm, use.order)):
                text, places = shown(template)
                spans = list(fragment_spans(text))
                if spans:
                    reason = FOREIGN if self._is_for_another(use.node, template) else SPLICED
                    for span in spans:
                        yield NotAnalysed(reason, self._source, places.file_span(span))


def _label(scope: Scope) -> str | None:
    return scope.label if scope.is_function else None


def _why_unread(text: str, *, is_spliced: bool) -> str:
    if len(text) > max_statement_length():
        return "too large"
    return SPLICED if is_spliced else "syntax error"


def _text_of(template: Template) -> str:
    return shown(template)[0]


def _literals(template: Template) -> Iterator[int]:
    for part in template:
        if isinstance(part, Text) and part.literal is not None:
            yield part.literal


def _strings(node: Node, language: Language) -> Iterator[int]:
    for inner in node.below():
        if inner.kind in language.strings:
            yield inner.span.start
