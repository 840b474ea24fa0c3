"""Calls in host code, whatever their syntax: what is called, on what, with which arguments."""

from __future__ import annotations

import re
from typing import NamedTuple

from pglint_locks.sources.host.language import Does, Language
from pglint_locks.sources.host.tree import Node

_LAST_NAME = re.compile(r"([^\W\d]\w*|\$\w+)\W*\Z")
_DOTS = (".", "?.", "::", "->", "?->", "&.")

# Wrappers of one expression, which mean what is in them.
_TRANSPARENT = frozenset(
    """parenthesized_expression parenthesized_statements argument value_argument literal_element
    expression_list await_expression await as_expression satisfies_expression try_expression
    non_null_expression composite_literal unary unary_operator template_argument
    reference_expression
    equals_value_clause
    array_element_initializer block_argument""".split()
)


_NEW_ARRAYS = frozenset({"implicit_array_creation_expression", "array_creation_expression"})
_INITIALIZERS = frozenset({"initializer_expression", "array_initializer"})
_MAX_WRAPPERS = 300
_FIRST = frozenset({"as_expression", "satisfies_expression"})
_LAST = frozenset({"argument", "value_argument", "composite_literal"})


class Call(NamedTuple):
    """A call: the last part of the function's name, what stands before the dot, and arguments."""

    name: str
    receiver: Node | None
    arguments: tuple[Node, ...]
    is_tag: bool = False


def bare(node: Node) -> Node:
    """An expression without parentheses, `await` and the like around it."""
    for _ in range(_MAX_WRAPPERS):
        if node.kind in _NEW_ARRAYS and node.operands and node.operands[-1].kind in _INITIALIZERS:
            node = node.operands[-1]
        operands = node.operands if node.kind in _TRANSPARENT else []
        if not operands or (len(operands) > 1 and node.kind not in _FIRST | _LAST):
            break
        node = operands[-1 if node.kind in _LAST else 0]
    return node


def call_at(text: str, node: Node, language: Language) -> Call | None:
    """The call at a node; None if it is none."""
    if node.kind not in language.invocations | language.members or not node.operands:
        return None
    given = _arguments(node, language) if node.kind in language.invocations else None
    end = given.span.start if given else node.span.end
    name = _LAST_NAME.search(text, max(node.span.start, end - 80), end)
    if name is None:
        return None
    if given is None:
        return _without_arguments(node, name[1], language)
    if given.kind in language.strings:
        return Call(name[1], None, (given,), is_tag=True)
    return Call(name[1], _receiver(node, given), _given(given))


def _given(arguments: Node) -> tuple[Node, ...]:
    """The arguments of a call; in a macro of Rust the last name stands for its path."""
    if arguments.kind != "token_tree":
        return tuple(arguments.operands)
    groups: list[list[Node]] = [[]]
    for child in arguments.children:
        if child.kind == ",":
            groups.append([])
        elif child.named and "comment" not in child.kind:
            groups[-1].append(child)
    return tuple(node for group in groups for node in (group[-1:] if _is_path(group) else group))


def _is_path(group: list[Node]) -> bool:
    """Whether nothing but `::` stands between names that follow each other."""
    if len(group) < 2:
        return False
    between = group[0].whole[group[0].span.end : group[-1].span.start]
    return re.fullmatch(r"(?:\s*::\s*\w*)*", between) is not None


def _without_arguments(node: Node, name: str, language: Language) -> Call | None:
    """A call that needs no parentheses: of what gives the same text as it is called on."""
    if language.calls.get(name) not in (Does.SAME, Does.WITHOUT_MARGIN):
        return None
    return Call(name, node.operands[0], ()) if len(node.operands) > 1 else None


def _arguments(node: Node, language: Language) -> Node | None:
    for child in reversed(node.children):
        if child.kind in language.arguments:
            inner = [each for each in child.children if each.kind in language.arguments]
            return inner[0] if inner else child
        if child.kind in language.strings and child is not node.children[0]:
            return child  # a tagged template
    return None


def _receiver(node: Node, given: Node) -> Node | None:
    """What stands before the last dot of a call."""
    first = node.operands[0]
    if node.has_token(*_DOTS):
        return first if first is not given else None
    suffixed = any(child.kind == "navigation_suffix" for child in first.children)
    if suffixed or first.has_token(*_DOTS):
        return first.operands[0] if first.operands else None
    return None
