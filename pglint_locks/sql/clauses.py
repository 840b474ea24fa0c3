"""Where the locking clauses stand in the text: the parse tree has no location for them.

`find_clauses` reads them from the tokens; `clauses_by_select` gives each to the SELECT
it belongs to.  The grammar's `for_locking_clause` closes its SELECT, so in the order
of the text a SELECT's clauses come after those of everything nested in it.  The one
exception is `FOR UPDATE LIMIT (SELECT …)`: there brackets tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pglast import ast

from pglint_locks.sql.tokens import COMMA, DOT, LEFT_PAREN, Tokens
from pglint_locks.sql.walk import textual_children
from pglint_locks.text import Span


class ClauseText(NamedTuple):
    """One locking clause in the text: from FOR to its last word, and its OF names."""

    span: Span
    depth: int
    names: tuple[Span, ...]


_STRENGTHS = (("UPDATE",), ("SHARE",), ("NO", "KEY", "UPDATE"), ("KEY", "SHARE"))


def find_clauses(tokens: Tokens) -> list[ClauseText]:
    """The locking clauses of a statement, in the order of the text.

    `substring(x FOR update)` and `CREATE POLICY … FOR UPDATE` are none.
    """
    skip_depth_zero = tokens.name(0) == "CREATE" and tokens.name(1) == "POLICY"
    clauses: list[ClauseText] = []
    openers: list[int] = []
    for index in range(len(tokens)):
        token = tokens[index]
        del openers[token.depth :]
        if token.name == LEFT_PAREN or token.name == "ASCII_91":
            openers.append(index)
        if token.name != "FOR" or (skip_depth_zero and token.depth == 0):
            continue
        if openers and tokens.name(openers[-1] - 1) in {"SUBSTRING", "OVERLAY"}:
            continue
        clause = _clause_at(tokens, index)
        if clause is not None:
            clauses.append(clause)
    return clauses


def _clause_at(tokens: Tokens, first: int) -> ClauseText | None:
    """The clause whose FOR is the token at `first`; None if no strength follows."""
    for strength in _STRENGTHS:
        if all(tokens.name(first + 1 + i) == word for i, word in enumerate(strength)):
            last = first + len(strength)
            break
    else:
        return None
    names: list[Span] = []
    if tokens.name(last + 1) == "OF":
        separator = last + 1
        while tokens.name(separator) in {"OF", COMMA} and separator + 1 < len(tokens):
            last = separator + 1
            while tokens.name(last + 1) == DOT and last + 2 < len(tokens):
                last += 2
            names.append(tokens.run(separator + 1, last))
            separator = last + 1
    if tokens.name(last + 1) == "NOWAIT":
        last += 1
    elif tokens.name(last + 1) == "SKIP" and tokens.name(last + 2) == "LOCKED":
        last += 2
    return ClauseText(tokens.run(first, last), tokens[first].depth, tuple(names))


def clauses_by_select(
    root: ast.Node, clauses: list[ClauseText]
) -> dict[int, tuple[ClauseText, ...]] | None:
    """Each SELECT's own clauses, by `id()` of its node.

    None if tree and text do not agree on their number (then neither is to be trusted).
    """
    owners = [owner for owner in _owners(root) if owner.count]
    if sum(owner.count for owner in owners) != len(clauses):
        return None
    remaining = list(clauses)
    given: dict[int, tuple[ClauseText, ...]] = {}
    for owner in owners:
        window = remaining[: owner.count + owner.nested_in_limit]
        own = sorted(window, key=lambda clause: clause.depth)[: owner.count]
        own.sort(key=lambda clause: clause.span)
        given[id(owner.node)] = tuple(own)
        remaining = [clause for clause in window if clause not in own] + remaining[len(window) :]
    return given


@dataclass(slots=True, eq=False, repr=False)
class _Owner:
    node: ast.SelectStmt
    count: int
    nested_in_limit: int = 0


def _owners(root: ast.Node) -> list[_Owner]:
    """The SELECTs in the order in which their clauses stand, but for LIMIT's sub-SELECTs."""
    owners: list[_Owner] = []
    stack: list[tuple[str, ast.Node | _Owner]] = [("enter", root)]
    while stack:
        event, item = stack.pop()
        if isinstance(item, _Owner):
            if event == "own":
                owners.append(item)
            else:
                position = owners.index(item)
                item.nested_in_limit = sum(owner.count for owner in owners[position + 1 :])
        elif isinstance(item, ast.SelectStmt) and item.lockingClause:
            owner = _Owner(item, len(item.lockingClause))
            limits = (item.limitCount, item.limitOffset)
            children = list(textual_children(item))
            after = [child for child in children if any(child is limit for limit in limits)]
            before = [child for child in children if not any(child is limit for limit in limits)]
            stack.append(("limits seen", owner))
            stack.extend(("enter", child) for child in reversed(after))
            stack.append(("own", owner))
            stack.extend(("enter", child) for child in reversed(before))
        else:
            stack.extend(("enter", child) for child in reversed(list(textual_children(item))))
    return owners
