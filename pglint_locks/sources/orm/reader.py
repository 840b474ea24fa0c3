"""The calls of ORMs in a host file, as statements of the functions that they stand in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.sources.bodies.body import Body, BodyStatement, Filling, Gap, Role
from pglint_locks.sources.bodies.flow import Arm, ArmKind
from pglint_locks.sources.bodies.fragments import lock_words
from pglint_locks.sources.content import HostBody
from pglint_locks.sources.dialect import FOREIGN
from pglint_locks.sources.host.databases import is_file_for_another, is_for_another
from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.scopes import Scope
from pglint_locks.sources.host.tree import Node
from pglint_locks.sources.orm import ecto, finders, gorm
from pglint_locks.sources.orm.builders import Builder
from pglint_locks.sources.orm.chain import Chain, chain_of
from pglint_locks.sources.orm.django import Querysets
from pglint_locks.sources.orm.libraries import BY_LANGUAGE
from pglint_locks.sources.orm.models import Models, models_of
from pglint_locks.sources.orm.names import uses_of
from pglint_locks.sources.orm.query import UNKNOWN_TABLE, OrmStatement
from pglint_locks.sources.orm.sqlalchemy import Statements
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.text import SourceMap, SourceText, Span

_ASKS = re.compile(
    r"""\b(?:select_for_update|with_for_update|[lL]ockForUpdate|sharedLock|lock_style|setLock
    |for(?:_no_key_update|_update|_share|_key_share|NoKeyUpdate|Update|Share|KeyShare)
    |clause\.Locking|lock!?)\b|\.for\(""",
    re.VERBOSE,
)
_EXPRESSIONS = frozenset(
    """call call_expression method_invocation invocation_expression member_call_expression
    nullsafe_member_call_expression scoped_call_expression subscript binary_operator""".split()
)
# Names that nothing but a query's lock has.
_UNMISTAKABLE = frozenset({"select_for_update", "with_for_update", "lockForUpdate", "sharedLock"})
ELSEWHERE = "on a query from elsewhere"
Reader = Callable[[Chain, Node], OrmStatement | None]


class Calls(NamedTuple):
    """What the ORM calls of a file send, and the expressions that were read for it.

    `not_analysed` are calls that ask a query for a lock which does not show; `queries` are
    what expressions are that give SQL, not rows (`to_sql`), `foreign` those that are for
    another database.
    """

    bodies: tuple[HostBody, ...] = ()
    spans: tuple[Span, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    queries: Mapping[Span, OrmStatement] = MappingProxyType({})
    foreign: tuple[Span, ...] = ()

    def but_for(self, spliced: Container[Span]) -> list[HostBody]:
        """The bodies without those of expressions whose SQL stands in another's."""
        pairs = zip(self.bodies, self.spans, strict=True)
        return [body for body, span in pairs if span not in spliced]

    def cover(self, span: Span) -> bool:
        """Whether a place of the file stands in an expression that was read."""
        read = (*self.spans, *self.foreign)
        return any(each.start <= span.start and span.end <= each.end for each in read)


def read_calls(
    source: SourceText, language: Language, root: Node, scopes: Sequence[Scope], others: Models
) -> Calls:
    """The statements that ORM calls of a file send, each a body of its own.

    `others` are the models that other files define.
    """
    asking = [match.start() for match in _ASKS.finditer(source.text)]
    if not asking:
        return Calls()
    readers = _readers(language, root, source.name, others)
    sent: list[tuple[Node, OrmStatement]] = []
    unread: list[NotAnalysed] = []
    for node, read in _sent(root, readers, asking):
        if read is None:
            unread.append(NotAnalysed(ELSEWHERE, source, chain_of(node).links[-1].span))
            continue
        named = []
        if language.grammar == "python":
            named = list(_sent_by_name(node, _innermost(scopes, node.span), readers))
        if not any(is_part for _, _, is_part in named):
            sent.append((node, read))
        sent += ((use, what) for use, what, _ in named)
    is_foreign = is_file_for_another(source.text)
    foreign = [each for each in sent if is_foreign or is_for_another(each[0], language)]
    own = [each for each in sent if all(each is not other for other in foreign)]
    unread += (each for _, read in foreign for each in _left(source, read))
    bodies = tuple(_body(source, _innermost(scopes, node.span), read) for node, read in own)
    queries = {node.span: read for node, read in own if chain_of(node).gives_sql}
    spans, left = tuple(node.span for node, _ in own), tuple(node.span for node, _ in foreign)
    return Calls(bodies, spans, tuple(unread), queries, left)


def _left(source: SourceText, read: OrmStatement) -> Iterator[NotAnalysed]:
    """The locks of a call for another database."""
    for span in lock_words(read.text):
        yield NotAnalysed(FOREIGN, source, read.map.file_span(span))


def _sent_by_name(
    node: Node, scope: Scope, readers: Sequence[Reader]
) -> Iterator[tuple[Node, OrmStatement, bool]]:
    """What is sent where a name goes on that holds a query, and whether that is a part of it."""
    for use in uses_of(node, scope):
        read = next(filter(None, (reader(use.chain, use.node) for reader in readers)), None)
        if read is not None and read.dropped is not None:
            yield use.node, read._replace(dropped=read.dropped._replace(apart=True)), False
        elif read is not None and (read.is_whole or use.chain.held):
            yield use.node, read, bool(use.chain.held)


def _body(source: SourceText, scope: Scope, read: OrmStatement) -> HostBody:
    span, label = scope.node.span, scope.label if scope.is_function else None
    statement = BodyStatement(
        unit=SqlUnit(source, read.text, read.map, label),
        role=Role.DYNAMIC,
        runs_as=Role.STATEMENT,
        arm=Arm(ArmKind.BODY, None, 0),
        order=0,
        call=read,
        gaps=tuple(_gaps(read)),
    )
    text = source.text[span.start : span.end]
    unit = SqlUnit(source, text, SourceMap.identity(len(text), span.start), label)
    functions = ((span, label),) if label is not None else ()
    return HostBody(unit, Body((statement,), (), ()), functions)


def _gaps(read: OrmStatement) -> Iterator[Gap]:
    """The places where the name of a table stands that is not known."""
    if read.rows_of is not None:
        for found in re.finditer(UNKNOWN_TABLE, read.text):
            yield Gap(Span(*found.span()), Filling.IDENTIFIER, read.rows_of, read.rows_of)


def _readers(language: Language, root: Node, name: str, others: Models) -> list[Reader]:
    """Who reads the expressions of a language."""
    if language.grammar == "python":
        models = models_of(root, name, others)
        return [Querysets(models).statement, Statements(models).statement]
    if language.grammar == "elixir":
        return [lambda _, node: ecto.statement(node)]
    if language.grammar == "go":
        return [_of_chain(gorm.statement)]
    is_script = language.grammar in ("javascript", "typescript", "tsx")
    grammar = "javascript" if is_script else language.grammar
    readers = [_of_chain(Builder(library).statement) for library in BY_LANGUAGE.get(grammar, ())]
    return [_of_chain(finders.statement), *readers] if is_script else readers


def _of_chain(read: Callable[[Chain], OrmStatement | None]) -> Reader:
    return lambda chain, _: read(chain)


def _sent(
    root: Node, readers: Sequence[Reader], asking: Sequence[int]
) -> Iterator[tuple[Node, OrmStatement | None]]:
    """The outermost expressions that are read, in the order of the text.

    With None, a call that surely asks for a lock and is in none that is read.
    """
    front = [root]
    while front:
        node = front.pop()
        place = bisect_left(asking, node.span.start)
        if place == len(asking) or asking[place] >= node.span.end:
            continue
        if node.kind in _EXPRESSIONS:
            chain = chain_of(node)
            read = next(filter(None, (reader(chain, node) for reader in readers)), None)
            if read is not None:
                yield node, read
                continue
            if chain.links and chain.links[-1].is_call and chain.links[-1].name in _UNMISTAKABLE:
                yield node, None
        front += reversed(node.children)


def _innermost(scopes: Sequence[Scope], span: Span) -> Scope:
    around = [s for s in scopes if s.node.span.start <= span.start and span.end <= s.node.span.end]
    return min(around, key=lambda scope: scope.node.span.end - scope.node.span.start)
