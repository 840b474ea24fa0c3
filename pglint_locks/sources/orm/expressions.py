"""Literals of host languages as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pglint_locks.sources.orm.chain import string_of

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_NOTHING = frozenset({"none", "nil", "null", "undefined", "null_literal"})


def literal(node: Node) -> str:
    """A number, a truth value, NULL or a plain string as SQL; a parameter for all else."""
    text = node.text
    if text.isdigit():
        return text
    if is_true(node) or is_false(node):
        return text.lower()
    if node.kind in _NOTHING:
        return "NULL"
    value = string_of(node)
    return "$1" if value is None else "'" + value.replace("'", "''") + "'"


def is_true(node: Node | None) -> bool:
    """Whether an expression is the literal for true."""
    return node is not None and node.text in ("True", "true")


def is_false(node: Node | None) -> bool:
    """Whether an expression is the literal for false."""
    return node is not None and node.text in ("False", "false")
