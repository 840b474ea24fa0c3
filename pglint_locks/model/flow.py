"""Where the rows of a query level go, how many are taken, and what stands in between."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast
from pglast.enums import LimitOption, SetOperation

from pglint_locks.model.constants import UNKNOWN, Unknown, fold_integer
from pglint_locks.model.functions import is_aggregate, is_random, is_set_returning
from pglint_locks.model.queries import Clause, Cte, Query, QueryKind, RangeItem, SubLink


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
    """Whether LIMIT 0 at or above a level keeps it from giving any row."""
    level: Query | None = query
    passed: set[Query] = set()
    while level is not None and level not in passed:
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
        return bool(node.sortClause) or not _is_union_all(node)
    if query.kind is not QueryKind.SELECT:
        return False
    return bool(
        node.sortClause
        or node.distinctClause
        or node.groupClause
        or node.havingClause
        or any(call.windowed or is_aggregate(call) for call in query.calls)
    )


def _is_union_all(node: ast.SelectStmt) -> bool:
    stack = [node]
    while stack:
        select = stack.pop()
        if select.larg is None:
            continue
        if select.op != SetOperation.SETOP_UNION or not select.all:
            return False
        stack += [select.larg, select.rarg]
    return True


def locking_level(query: Query) -> Query:
    """The level where the plan locks the rows of a table that `query` names in FROM.

    The planner pulls a simple sub-SELECT up into the level around it
    (`is_simple_subquery`), and LockRows with it, above that level's sort.
    """
    while isinstance(query.embedding, RangeItem) and _is_simple(query):
        query = query.embedding.holder
    return query


def _is_simple(query: Query) -> bool:
    node = query.node
    return (
        query.kind is QueryKind.SELECT
        and not query.ctes
        and not node.lockingClause
        and node.limitCount is None
        and node.limitOffset is None
        and not reads_whole_input(query)
        and not any(
            call.standing.clause is Clause.TARGET
            and (is_set_returning(call) or is_random(call.schema, call.name))
            for call in query.calls
        )
    )


def lazy_limits(query: Query) -> Iterator[int | Unknown]:
    """The LIMITs that stop the locking of a level's rows.

    Its own, and those above it that take its rows one at a time.  UNKNOWN where OFFSET or
    WITH TIES makes it lock more rows than LIMIT says.
    """
    level: Query | None = query
    while level is not None:
        limit = row_limit(level)
        if limit is not None:
            yield UNKNOWN if limit and (skips_rows(level) or _has_ties(level)) else limit
        embedding = level.embedding
        level = embedding.holder if isinstance(embedding, RangeItem) else None
        if level is not None and (level.is_write or reads_whole_input(level)):
            level = None


def _has_ties(query: Query) -> bool:
    """Whether a level's limit is FETCH FIRST … WITH TIES."""
    return bool(getattr(query.node, "limitOption", None) == LimitOption.LIMIT_OPTION_WITH_TIES)
