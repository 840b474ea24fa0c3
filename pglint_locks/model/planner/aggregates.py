"""Aggregates that answer for the rows of another level."""

from __future__ import annotations

from collections.abc import Iterator

from pglint_locks.model.planner.flow import is_bounded, readers, takers
from pglint_locks.model.queries.functions import is_aggregate
from pglint_locks.model.queries.query import Call, Cte, Query, QueryKind

# Those whose answer is a statement about all rows; array_agg and its kin collect a claim.
_ANSWERS = frozenset({"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every"})


def aggregates_over(query: Query) -> Iterator[Call]:
    """The aggregates, plain or windowed, computed over all rows that a level gives.

    The flow ends at a LIMIT (then it is the size of a claim) and at a WITH query that a
    write of the statement reads as well (then the claim is what is counted).
    """
    seen = {query}
    front = [query]
    while front:
        level = front.pop(0)
        if level is not query:
            yield from (call for call in level.calls if call.is_system and call.name in _ANSWERS)
        if is_bounded(level) or _is_read_by_a_write(level):
            continue
        for reader in readers(level):
            if reader not in seen and not reader.is_write:
                seen.add(reader)
                front.append(reader)


def _is_read_by_a_write(query: Query) -> bool:
    """Whether a WITH query's rows, not just their number, go into a write."""
    if not isinstance(query.embedding, Cte):
        return False
    seen = {query}
    front = [query]
    while front:
        for reader in takers(front.pop()):
            if reader.is_write:
                return True
            if reader not in seen and not any(call.name in _ANSWERS for call in reader.calls):
                seen.add(reader)
                front.append(reader)
    return False


def is_lone_aggregate(query: Query) -> bool:
    """Whether a level is an aggregate without GROUP BY, which gives just one row."""
    return (
        query.kind is QueryKind.SELECT
        and not query.node.groupClause
        and any(is_aggregate(call) for call in query.calls)
    )
