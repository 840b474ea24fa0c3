"""Which expressions of the host are texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pglint_locks.sources.host.calls import bare, call_at
from pglint_locks.sources.host.language import INTO_FIRST, Does, Language
from pglint_locks.sources.host.tree import Node


class Texts:
    """The nodes that are text expressions: literals, what joins them, and names set to them."""

    def __init__(self, text: str, language: Language, root: Node) -> None:
        self._text, self._language = text, language
        self._found: set[int] = set()
        self._names: set[str] = set()
        order = list(root.below())
        for _ in range(2):
            for node in reversed(order):
                if id(node) not in self._found and self._is_text(node):
                    self._found.add(id(node))
            self._names.update(self._named(order))

    def __contains__(self, node: Node) -> bool:
        return id(node) in self._found

    def _named(self, order: list[Node]) -> Iterator[str]:
        """Names that stand before a sign of assignment with a text behind it."""
        for node in order:
            if node.parent is None or id(node) not in self._found:
                continue
            outer = node.parent
            while outer.parent is not None and outer.kind == "expression_list":
                outer = outer.parent
            if outer.children[0].span.start < node.span.start and any(
                child.kind in self._language.assigning for child in outer.children
            ):
                end = next(c for c in outer.children if c.kind in self._language.assigning)
                left = self._text[outer.span.start : end.span.start]
                yield from re.findall(r"\w+", left[:200])

    def _is_text(self, node: Node) -> bool:
        language, kind = self._language, node.kind
        if kind in language.strings or kind in language.joined:
            return True
        if kind in language.members and self._is_text_call(node):
            return True
        if kind in language.names or kind in language.members:
            if not self._names or self._is_callee(node):
                return False
            name = re.split(r"\W+", self._text[node.span.start : node.span.end].strip("?! "))[-1]
            return name in self._names
        if kind in language.sums:
            percent = language.percent_sign and node.has_token("%")
            joins = percent or node.has_token(*language.signs, *language.ands)
            return joins and any(id(each) in self._found for each in node.operands[: 3 - percent])
        if kind in language.choices:
            values = [node.operands[i] for i in language.choices[kind] if i < len(node.operands)]
            return any(id(each) in self._found for each in values)
        if kind in language.invocations:
            return self._is_text_call(node)
        if language.iodata and kind in language.lists:
            is_given = node.parent is not None and node.parent.kind in language.arguments
            return is_given and any(id(each) in self._found for each in node.operands)
        inner = bare(node)
        return inner is not node and id(inner) in self._found

    def _is_callee(self, node: Node) -> bool:
        outer = node.parent
        if outer is None:
            return False
        if outer.kind in self._language.invocations and outer.children[0] is node:
            return True
        return outer.kind in self._language.members

    def _is_text_call(self, node: Node) -> bool:
        call = call_at(self._text, node, self._language)
        if call is None:
            return False
        if call.is_tag:
            return True
        does = self._language.calls.get(call.name)
        if does is Does.BUILD:
            return True
        if does is None or does in (Does.ADD, Does.EXTEND, Does.BIND, *INTO_FIRST):
            return False
        parts = [call.receiver, *call.arguments]
        return any(
            (part is not None and (id(part) in self._found or id(bare(part)) in self._found))
            or (part is not None and part.kind in self._language.lists)
            for part in parts
        )
