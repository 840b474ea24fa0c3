"""Where the rows of a query level go, how many are taken, and what stands in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import LimitOption, SetOperation

from pglint_locks.model.queries.constants import UNKNOWN, Unknown, fold_integer
from pglint_locks.model.queries.functions import is_aggregate, is_random, is_set_returning
from pglint_locks.model.queries.query import (
    Clause,
    Cte,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)


def row_limit(query: Query) -> int | Unknown | None:
    """How many rows LIMIT or FETCH FIRST lets through.

    None for all of them, UNKNOWN for a parameter or expression.
    """
    return fold_integer(getattr(query.node, "limitCount", None))


def is_bounded(query: Query) -> bool:
    """Whether a level has a LIMIT that binds (not ALL, not NULL); a parameter counts."""
    return row_limit(query) is not None


def skips_rows(query: Query) -> bool:
    """Whether a level has an OFFSET that skips rows (not 0, not NULL); a parameter counts."""
    offset = fold_integer(getattr(query.node, "limitOffset", None))
    return offset is UNKNOWN or (isinstance(offset, int) and offset > 0)


def readers(query: Query) -> Iterator[Query]:
    """The levels that take this level's rows into their FROM, arms or INSERT source."""
    embedding = query.embedding
    if isinstance(embedding, RangeItem):
        yield embedding.holder
    elif isinstance(embedding, Cte):
        for reference in embedding.references:
            yield reference.holder
    elif embedding is None and query.parent is not None:
        yield query.parent


def levels_above(query: Query) -> Iterator[Query]:
    """A level and all that its rows flow through, nearest first; sub-links end the flow."""
    seen = {query}
    front = [query]
    while front:
        level = front.pop(0)
        yield level
        for reader in readers(level):
            if reader not in seen and not reader.is_write:
                seen.add(reader)
                front.append(reader)


def levels_below(query: Query) -> Iterator[Query]:
    """A level and those whose rows it takes, nearest first."""
    seen = {query}
    front = [query]
    while front:
        level = front.pop(0)
        yield level
        for source in level.sources():
            if source not in seen:
                seen.add(source)
                front.append(source)


def takers(query: Query) -> Iterator[Query]:
    """The levels whose work depends on this level's rows: its readers, or a sub-link's level."""
    yield from readers(query)
    if isinstance(query.embedding, SubLink):
        yield query.embedding.holder


def consumers(query: Query) -> set[Query]:
    """All levels whose work depends on this level's rows, at any distance."""
    found: set[Query] = set()
    front = [query]
    while front:
        for reader in takers(front.pop()):
            if reader not in found:
                found.add(reader)
                front.append(reader)
    return found


def is_never_run(query: Query) -> bool:
    """Whether LIMIT 0 at or above a level keeps it from giving any row; a write is always done."""
    level: Query | None = query
    passed: set[Query] = set()
    while level is not None and level not in passed and not level.is_write:
        passed.add(level)
        if row_limit(level) == 0:
            return True
        above = list(readers(level))
        level = above[0] if len(above) == 1 else None
    return False


def reads_whole_input(query: Query) -> bool:
    """Whether a level takes all of its input before it gives its first row.

    Sorting, grouping, DISTINCT, aggregates, windows and set operations but UNION ALL do.
    """
    node = query.node
    if query.kind is QueryKind.SET_OPERATION:
        return bool(node.sortClause) or not is_union_all(query)
    if query.kind is not QueryKind.SELECT:
        return False
    return bool(
        node.sortClause
        or node.distinctClause
        or node.groupClause
        or node.havingClause
        or any(call.windowed or is_aggregate(call) for call in query.calls)
    )


def whole_input_reason(query: Query) -> str:
    """The words for which a level takes all of its input first: see `reads_whole_input`."""
    node = query.node
    if query.kind is QueryKind.SET_OPERATION and not is_union_all(query):
        return "set operation"
    for words, part in (("ORDER BY", node.sortClause), ("DISTINCT", node.distinctClause)):
        if part:
            return words
    if node.groupClause:
        return "GROUP BY"
    return "window function" if any(call.windowed for call in query.calls) else "aggregate"


def set_operations(query: Query) -> Iterator[ast.SelectStmt]:
    """The set operations that a level consists of; its arms are between them."""
    arms = [arm.node for arm in query.arms]
    stack = [query.node]
    while stack:
        select = stack.pop()
        if not any(select is arm for arm in arms):
            yield select
            stack += [select.larg, select.rarg]


def is_union_all(query: Query) -> bool:
    """Whether a level is a set operation that gives all rows of its arms."""
    return query.kind is QueryKind.SET_OPERATION and all(
        each.op == SetOperation.SETOP_UNION and each.all for each in set_operations(query)
    )


def locking_level(query: Query) -> Query:
    """The level where the plan locks the rows of a table that `query` names in FROM.

    The planner pulls a simple sub-SELECT up into the level around it
    (`is_simple_subquery`), and LockRows with it, above that level's sort.
    """
    while isinstance(query.embedding, RangeItem) and is_simple(query):
        query = query.embedding.holder
    return query


def is_simple(query: Query) -> bool:
    """Whether the planner pulls a FROM sub-SELECT up into the level around it."""
    node = query.node
    return (
        query.kind is QueryKind.SELECT
        and not query.ctes
        and not has_own_marks(query)
        and node.limitCount is None
        and node.limitOffset is None
        and not reads_whole_input(query)
        and not any(
            call.standing.clause is Clause.TARGET
            and (is_set_returning(call) or is_random(call.schema, call.name))
            for call in query.calls
        )
    )


def has_own_marks(query: Query) -> bool:
    """Whether a level's own clauses mark anything (`hasForUpdate`): over CTEs they do not."""
    return any(
        clause.lockedRels
        or any(item.kind in (ItemKind.TABLE, ItemKind.SUBQUERY) for item in query.items)
        for clause in getattr(query.node, "lockingClause", None) or ()
    )


def lazy_limits(query: Query) -> Iterator[int | Unknown]:
    """The LIMITs that stop the locking of a level's rows: see `stopping_levels`.

    UNKNOWN where OFFSET or WITH TIES makes it lock more rows than LIMIT says.
    """
    for level in stopping_levels(query):
        limit = row_limit(level)
        if limit is not None:
            yield UNKNOWN if limit and (skips_rows(level) or has_ties(level)) else limit


def has_ties(query: Query) -> bool:
    """Whether a level's limit is FETCH FIRST … WITH TIES."""
    return bool(getattr(query.node, "limitOption", None) == LimitOption.LIMIT_OPTION_WITH_TIES)


def stopping_levels(query: Query) -> Iterator[Query]:
    """The levels whose LIMIT stops the locking of a level's rows.

    Its own, and those above it that take its rows one at a time.
    """
    for level in _single_flow(query):
        if level is not query and reads_whole_input(level):
            return
        if is_bounded(level):
            yield level


class LateLimit(NamedTuple):
    """A LIMIT that comes too late to stop a lock below it.

    `limit` is its level; `whole` the level that takes all rows before it gives one.
    """

    limit: Query
    whole: Query


def late_limit(query: Query) -> LateLimit | None:
    """The LIMIT above a level's lock that takes fewer rows than are locked for it.

    One above a lone aggregate does not count: it has one row, made of all that were locked.
    """
    start = locking_level(query)
    bound: int | Unknown | None = None
    whole: Query | None = None
    for level in _single_flow(start):
        if level is not start and whole is None and reads_whole_input(level):
            if _gives_one_row(level):
                return None
            whole = level
        limit = row_limit(level)
        if limit is None or _is_tested_by_exists(level):
            continue
        if whole is not None:
            return LateLimit(level, whole) if _is_less(limit, bound) else None
        bound = limit if bound is None else bound
    return None


def _gives_one_row(query: Query) -> bool:
    return not getattr(query.node, "groupClause", None) and any(map(is_aggregate, query.calls))


def _is_less(limit: int | Unknown, bound: int | Unknown | None) -> bool:
    if bound is None:
        return True
    return isinstance(limit, int) and isinstance(bound, int) and limit < bound


def _is_tested_by_exists(query: Query) -> bool:
    """Whether a level only answers whether it has a row: its ORDER BY and LIMIT are dropped."""
    link = query.embedding
    return isinstance(link, SubLink) and link.kind is SubLinkKind.EXISTS


def _single_flow(query: Query) -> Iterator[Query]:
    """A level and the SELECTs above it that all its rows go into, as long as it is one."""
    seen: set[Query] = set()
    while query not in seen:
        yield query
        seen.add(query)
        above = list(readers(query))
        if len(above) != 1 or above[0].is_write:
            return
        query = above[0]
