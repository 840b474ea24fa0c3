"""Where a queryset or a statement is run: what stands around its chain of calls, in Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.chain import arguments_of, inner

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_READS_ALL = frozenset(
    """list tuple set frozenset sorted len dict enumerate iter next any all sum max min map
    filter zip reversed bool""".split()
)
_RUNS = re.compile(r"\.(?:execute|scalars?|stream|stream_scalars)\Z")
_ONE = re.compile(r"\.(?:scalar|scalar_one|scalar_one_or_none|one|one_or_none|first|fetchone)\Z")
_WRAPPERS = frozenset({"parenthesized_expression", "await"})


def is_read(node: Node) -> bool:
    """Whether the rows of a queryset are read where it stands: `list(…)`, `for job in …:`."""
    node = _outermost(node)
    outer = node.parent
    if outer is None:
        return False
    if outer.kind in ("for_statement", "for_in_clause"):
        before = outer.children[: outer.children.index(node)]
        return any(child.kind == "in" for child in before)
    return _called_with(node) in _READS_ALL


def is_run(node: Node) -> bool:
    """Whether a statement is given to what runs it: `session.execute(…)`."""
    function = _called_with(_outermost(node))
    return function is not None and _RUNS.search(function) is not None


def is_run_for_one(node: Node) -> bool:
    """Whether who runs a statement takes one row: `session.execute(…).scalar_one()`."""
    node = _outermost(node)
    function = _called_with(node) or ""
    asked = node.parent.parent.parent if node.parent and node.parent.parent else None
    later = asked.text if asked is not None and asked.kind == "attribute" else ""
    return bool(_ONE.search(function) or _ONE.search(later))


def _outermost(node: Node) -> Node:
    while node.parent is not None and node.parent.kind in _WRAPPERS:
        node = node.parent
    return node


def _called_with(node: Node) -> str | None:
    """The function whose first argument an expression is."""
    call = node.parent.parent if node.parent is not None else None
    if call is None or call.kind != "call":
        return None
    given = list(arguments_of(call))
    is_first = bool(given) and given[0].keyword is None and given[0].node is inner(node)
    return call.operands[0].text if is_first else None
