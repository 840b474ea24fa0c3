"""Queries that a name holds: `jobs = Job.objects.select_for_update()`, then `jobs.count()`.

Only a name that its function sets once, so that every use of it is of that query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.orm.chain import Chain, chain_of

if TYPE_CHECKING:
    from pglint_locks.sources.host.scopes import Scope
    from pglint_locks.sources.host.tree import Node

_GOES_ON = frozenset({"attribute", "call", "subscript", "await", "parenthesized_expression"})
# Calls that make a query a part of theirs, or that run a statement, which keeps no rows.
_LEAVES = frozenset("filter exclude get where in_ execute scalars scalar stream".split())


class Use(NamedTuple):
    """An expression that goes on with a query that a name holds, as one chain."""

    node: Node
    chain: Chain


def uses_of(node: Node, scope: Scope) -> Iterator[Use]:
    """The uses of the name that a query is assigned to, up to the first that may run it.

    What a queryset gives once it was run is not asked of the server again.
    """
    name = _name_set_to(node)
    if name is None or len(scope.variables.all_writes(name.text)) != 1:
        return
    query = chain_of(node)
    for use in _reads(name, scope.node):
        whole = _longest(use)
        takers = list(_takers(whole))
        yield from (Use(each, chain_of(each)._replace(held={name.text: query})) for each in takers)
        rest = chain_of(whole)
        yield Use(whole, Chain(query.root, query.links + rest.links))
        if not rest.links and not _leaves_alone(takers):
            return


def _name_set_to(node: Node) -> Node | None:
    """The plain name to which an expression is assigned, as all of what is on the right."""
    while node.parent is not None and node.parent.kind in ("parenthesized_expression", "await"):
        node = node.parent
    outer = node.parent
    if outer is None or outer.kind != "assignment" or outer.operands[-1] is not node:
        return None
    name = outer.operands[0]
    return name if name.kind == "identifier" else None


def _reads(name: Node, within: Node) -> Iterator[Node]:
    """The places behind an assignment where its name is read."""
    for node in within.below():
        if node.kind != "identifier" or node.text != name.text or node.span <= name.span:
            continue
        outer = node.parent
        if outer is None or (outer.kind == "attribute" and outer.operands[0] is not node):
            continue
        if outer.kind != "keyword_argument" or outer.operands[0] is not node:
            yield node


def _leaves_alone(takers: list[Node]) -> bool:
    """Whether what takes a query reads none of its rows for itself."""
    return bool(takers) and not _LEAVES.isdisjoint(
        link.name for each in takers for link in chain_of(each).links
    )


def _takers(argument: Node) -> Iterator[Node]:
    """The chains of calls that take an expression for an argument, as it is; the outermost last."""
    while (outer := argument.parent) is not None:
        if outer.kind not in ("keyword_argument", "argument_list", "comparison_operator"):
            return
        if outer.kind == "argument_list" and outer.parent is not None:
            argument = _longest(outer.parent)
            if not chain_of(argument).links:
                return
            yield argument
        else:
            argument = outer


def _longest(node: Node) -> Node:
    """The chain that begins with a node, with all its links."""
    while (outer := node.parent) is not None and outer.kind in _GOES_ON:
        if not outer.operands or outer.operands[0] is not node:
            break
        node = outer
    return node
