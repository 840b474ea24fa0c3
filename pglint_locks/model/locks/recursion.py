"""What WITH RECURSIVE refuses of locking clauses (`checkWellFormedRecursion`).

It looks for a WITH query's name before anything in it is analysed, and takes a name in OF
for a reference to the WITH query of that name.
"""

from __future__ import annotations

from pglast import ast
from pglast.enums import SetOperation

from pglint_locks.model.queries.query import Cte, Query, QueryKind, SubLink
from pglint_locks.sql.walk import descendants


def refuses_lock_atop(query: Query) -> bool:
    """Whether a level is the UNION of a recursive WITH query, which takes no clause at all."""
    cte = query.embedding
    if not isinstance(cte, Cte) or not _is_union(query) or not _is_recursive(cte.holder):
        return False
    return any(_names(node, cte) for node in descendants(query.node))


def misplaced_reference(relation: ast.RangeVar, query: Query) -> str | None:
    """What is said of a name in OF that is taken for a recursive reference; None if it may pass."""
    cte = None if relation.schemaname else _cte_around(relation.relname, query)
    if cte is None:
        return None
    body = cte.query
    if not _is_union(body):
        return (
            f'recursive query "{cte.name}" does not have the form '
            "non-recursive-term UNION [ALL] recursive-term"
        )
    if query is body:
        return None  # a clause atop the UNION is refused as such
    reference = f'recursive reference to query "{cte.name}" must not appear'
    if any(node is relation for node in descendants(body.node.larg)):
        return f"{reference} within its non-recursive term"
    if _is_in_sub_link(query, body):
        return f"{reference} within a subquery"
    others = sum(_names(node, cte) for node in descendants(body.node.rarg))
    return f"{reference} more than once" if others > 1 else None


def _cte_around(name: str, query: Query) -> Cte | None:
    """The WITH query of a name in whose text a level stands, where a WITH RECURSIVE defines it."""
    level: Query | None = query
    inside: Query | None = None  # the level below, on the way out
    while level is not None:
        for cte in level.ctes:
            if cte.name == name:
                is_around = inside is not None and cte.query is inside
                return cte if is_around and _is_recursive(level) else None
        inside, level = level, level.enclosing
    return None


def _is_in_sub_link(query: Query, body: Query) -> bool:
    level: Query | None = query
    while level is not None and level is not body:
        if isinstance(level.embedding, SubLink):
            return True
        level = level.parent
    return False


def _is_recursive(holder: Query) -> bool:
    return bool(holder.node.withClause.recursive)


def _is_union(query: Query) -> bool:
    return query.kind is QueryKind.SET_OPERATION and query.node.op == SetOperation.SETOP_UNION


def _names(node: ast.Node, cte: Cte) -> bool:
    return isinstance(node, ast.RangeVar) and not node.schemaname and node.relname == cte.name
