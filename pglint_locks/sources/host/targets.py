"""What an assignment of the host sets."""

from __future__ import annotations

import re

from pglint_locks.sources.host.language import Language
from pglint_locks.sources.host.tree import Node

_MODIFIERS = frozenset(
    """modifiers modifier accessibility_modifier override_modifier binding_pattern_kind
    mutable_specifier value_binding_pattern""".split()
)
_PATTERNS = frozenset(
    """expression_list pattern_list tuple_pattern identifier_pattern variable_declaration pattern
    typed_pattern mutable_specifier left_assignment_list array_pattern object_pattern
    parenthesized_expression directly_assignable_expression tuple_expression list_pattern""".split()
)


def sign_of(node: Node, language: Language) -> int | None:
    """Where the sign stands in an assignment; None for anything else."""
    if node.kind in language.not_assignments or len(node.children) < 3:
        return None
    for index, child in enumerate(node.children[:-1]):
        if child.kind in language.assigning and index and not child.operands:
            return index
    return None


def targets(text: str, language: Language, left: list[Node]) -> list[tuple[str, bool]]:
    """The names on the left of a sign, each with whether it is a member of something."""
    found: list[tuple[str, bool]] = []
    front = [child for child in left if child.named and child.kind not in _MODIFIERS][:1]
    while front:
        node = front.pop()
        if node.kind in language.members:
            written = text[node.span.start : node.span.end]
            found.append((re.split(r"\W+", written)[-1], True))
        elif node.kind in language.fields:
            found.append((text[node.span.start : node.span.end].lstrip("#@"), True))
        elif node.kind in language.names:
            found.append((text[node.span.start : node.span.end].lstrip("$@"), False))
        elif node.kind in _PATTERNS:
            front += node.operands
    return found


def mentions(text: str, language: Language, value: Node, name: str) -> bool:
    """Whether a name stands somewhere in an expression."""
    return any(
        node.kind in language.names and text[node.span.start : node.span.end].lstrip("$@") == name
        for node in value.below()
    )
