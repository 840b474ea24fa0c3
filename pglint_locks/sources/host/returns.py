"""What the functions of a file return, where that is one of a few expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from pglint_locks.sources.host.calls import Call
from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.scopes import Scope
from pglint_locks.sources.host.tree import Node

_MOST = 4
_OWN = frozenset({"this", "self", "cls", "$this", "Self"})


class Returns:
    """The functions of one file by their names."""

    def __init__(self, language: Language, scopes: Sequence[Scope]) -> None:
        self._language = language
        self._scopes = scopes

    @cached_property
    def _by_name(self) -> dict[str, list[Scope]]:
        found: dict[str, list[Scope]] = {}
        for scope in self._scopes:
            if scope.is_function and scope.name is not None:
                found.setdefault(scope.name, []).append(scope)
        return found

    def of(self, call: Call) -> tuple[Scope, list[Node]] | None:
        """The function that a call is of, if it is known, and what that may return."""
        if call.receiver is not None and call.receiver.text not in _OWN:
            return None
        scopes = self._by_name.get(call.name, [])
        if len(scopes) != 1:
            return None
        returned = list(self._returned(scopes[0].node))
        return (scopes[0], returned) if 0 < len(returned) <= _MOST else None

    def _returned(self, function: Node) -> Iterator[Node]:
        """What stands behind each RETURN, and the last expression where there is none."""
        language = self._language
        last = function.operands[-1]
        if last.kind not in language.bodies and not last.has_token("{"):
            yield last
            return
        front = list(reversed(function.children))
        while front:
            node = front.pop()
            if node.kind in language.leaves and node.has_token("return"):
                yield from node.operands[:1]
            elif node.kind not in language.functions:
                front += reversed(node.children)
