"""What runs a text of the host: the variable that holds the connection or the transaction.

What is sent over two of them is not one transaction: `tx1.query(…)` and `tx2.query(…)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.sources.host.calls import Call, bare, call_at
from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.scopes import Scope
from pglint_locks.sources.host.tree import Node

_PATH = re.compile(
    r"[(&*]*(?:mut\s+)?[*$@]*[\w$]+\)?(?:\(\))?(?:(?:\??->|[?!]?\.)[$@]?\w+(?:\(\))?)*[!?)]*"
)
_ASIDE = frozenset({"self", "this", "mut", "await"})
_ANY = frozenset({"it", "_1"})  # the argument of whatever closure
# What comes of a connection and is the same one: `conn.cursor()`, a statement that it prepares.
_SAME_CONNECTION = re.compile(r"cursor|statement|prepare|createquery", re.IGNORECASE)
_HANDLE = re.compile(
    r"(?:\w*_)?(?:tx|txn|trx|db|conn|connection|cursor|cur|client|session|pool|transaction|repo)"
    r"_?[a-z\d]?",
    re.IGNORECASE,
)
_POOL = re.compile(r"(?:(?<![a-zA-Z])pool|Pool)\Z")
_RUNS = re.compile(r"execute|fetch\w*|load\w*|get_results?|first")
_MAX_STEPS = 12


class Handle(NamedTuple):
    """The path by which a connection is reached, without `self`; and where it was last set."""

    path: tuple[str, ...]
    since: int = -1

    def is_other_than(self, other: Handle) -> bool:
        """Whether two statements cannot be of one transaction, going by what runs them.

        What a pool runs takes a connection each.  One path may be the end of the other:
        `conn` of `self.conn`.
        """
        if _POOL.search(self.path[-1]) or _POOL.search(other.path[-1]):
            return True
        length = min(len(self.path), len(other.path))
        if self.path[-length:] != other.path[-length:]:
            return True
        return self.since != other.since and min(self.since, other.since) >= 0


def handle_of(node: Node, language: Language, scope: Scope) -> Handle | None:
    """What the text at a node is run on; None where that does not show."""
    found = _running_call(node, language)
    if found is None:
        return None
    outer, call = found
    for written in _candidates(node, outer, call, language):
        handle = _resolved(written, language, scope, outer.span.start)
        if handle is not None:
            return handle
    return None


def _running_call(node: Node, language: Language) -> tuple[Node, Call] | None:
    """The call that a text is an argument of, past what only makes another text of it."""
    tagged = None
    for outer in (node, *node.above()):
        if outer.kind in language.functions or outer.kind in language.bodies:
            break
        call = call_at(node.whole, outer, language)
        if call is None or call.name in language.calls:
            continue
        if any(each.span.touches(node.span) for each in call.arguments):
            if not call.is_tag:
                return outer, call
            tagged = tagged or (outer, call)
    return tagged


def _candidates(node: Node, outer: Node, call: Call, language: Language) -> Iterator[str]:
    """What a call may be on: what stands before its dot, what it is given, what runs its result."""
    if call.is_tag:
        yield outer.operands[0].text.rpartition(".")[0] or outer.operands[0].text
        return
    if call.receiver is not None and not _is_library(call.receiver, language):
        yield call.receiver.text
        return
    for each in call.arguments:
        name = bare(each).text
        if each.span.start < node.span.start and _HANDLE.fullmatch(name.lstrip("&*$")):
            yield name
    yield from _passed_on(outer, language)


def _is_library(receiver: Node, language: Language) -> bool:
    """Whether a function is called that belongs to no variable."""
    name, text = receiver.text, receiver.whole
    if "::" in name or text.startswith("::", receiver.span.end) or name[:1].isupper():
        return True
    if language.grammar != "go" or not name.isidentifier():
        return False
    return re.search(rf'"(?:[^"\n]*/)?{name}(?:/v\d+)?"', text) is not None


def _passed_on(outer: Node, language: Language) -> Iterator[str]:
    """The connection that a query is given: `query(…).bind(1).execute(&mut conn)`."""
    for above, _ in zip(outer.above(), range(_MAX_STEPS), strict=False):
        if above.span.start != outer.span.start:
            break
        call = call_at(outer.whole, above, language)
        if call is not None and _RUNS.fullmatch(call.name) and len(call.arguments) == 1:
            yield bare(call.arguments[0]).text


def _resolved(written: str, language: Language, scope: Scope, order: int) -> Handle | None:
    """The connection behind a name: a cursor's is the one that it was made of."""
    path = _path(written)
    for _ in range(_MAX_STEPS):
        if path is None or len(path) > 1:
            break
        writes = [each for each in scope.variables.all_writes(path[0]) if each.order < order]
        if not writes:
            break
        last = writes[-1]
        origin = None if last.value is None else _origin(last.value.node, language)
        if origin is None:
            return Handle(path, last.order)
        path, order = origin, last.order
    return None if path is None else Handle(path)


def _origin(node: Node, language: Language) -> tuple[str, ...] | None:
    """The path of what a name is set to, if that is the same connection."""
    node = bare(node)
    call = call_at(node.whole, node, language)
    if call is None:
        return _path(node.text)
    if call.receiver is not None and _SAME_CONNECTION.search(call.name):
        return _path(call.receiver.text)
    return None


def _path(written: str) -> tuple[str, ...] | None:
    """The names of a path: of a variable, not of a class or a call's result."""
    if len(written) > 100 or not _PATH.fullmatch(written):
        return None
    names = tuple(name for name in re.findall(r"\w+", written) if name not in _ASIDE)
    if not names or names[0][:1].isupper() or names[0] in _ANY:
        return None
    return names
