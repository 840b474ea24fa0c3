"""The syntax tree of a host file, copied out of the parser once.

Offsets count in code points of the file, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pglint_locks.text import Span

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(eq=False, slots=True, repr=False)
class Node:
    """A node of the tree; `named` tells it from punctuation and keywords.

    `aside` is what belongs to it and stands elsewhere: the text of a heredoc.  `whole` is
    the text of the file.
    """

    kind: str
    span: Span
    named: bool
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    aside: Node | None = None
    whole: str = ""

    @property
    def text(self) -> str:
        """What the file holds there."""
        return self.whole[self.span.start : self.span.end]

    @property
    def operands(self) -> list[Node]:
        """The children that are no punctuation and no comments."""
        return [child for child in self.children if child.named and "comment" not in child.kind]

    def has_token(self, *kinds: str) -> bool:
        """Whether a keyword or sign of one of these kinds stands directly in it."""
        return any(child.kind in kinds for child in self.children if not child.named)

    def below(self) -> Iterator[Node]:
        """It and all nodes below, in the order of the text."""
        front = [self]
        while front:
            node = front.pop()
            yield node
            front += reversed(node.children)

    def above(self) -> Iterator[Node]:
        """The nodes around it, from the innermost outwards."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


def read_tree(
    text: str,
    grammar: str,
    heredocs: tuple[str, str] | None = None,
    words: frozenset[str] = frozenset(),
) -> Node:
    """The tree of a text; half-typed code gives one too, with ERROR nodes in it.

    `heredocs` are the kinds of what opens a heredoc, and of its text further on; nodes of
    the kinds `words` become signs.

    Raises:
        ImportError: the parser is not installed.
    """
    from ast_grep_py import SgRoot

    raw = SgRoot(_SURROGATE.sub("?", text), grammar).root()
    root = Node(raw.kind(), Span(0, len(text)), named=True, whole=text)
    front = [(raw, root)]
    while front:
        outer, copy = front.pop()
        for inner in outer.children():
            place = inner.range()
            span = Span(place.start.index, place.end.index)
            kind, named = inner.kind(), inner.is_named()
            if kind in words:
                kind, named = text[span.start : span.end], False
            child = Node(kind, span, named, copy, whole=text)
            copy.children.append(child)
            front.append((inner, child))
    if heredocs is not None:
        _join_heredocs(root, *heredocs)
    return root


def _join_heredocs(root: Node, opening: str, body: str) -> None:
    """Texts follow in the order in which they were opened."""
    opened: list[Node] = []
    for node in root.below():
        if node.kind == opening:
            opened.append(node)
        elif node.kind == body and opened:
            opened.pop(0).aside = node
