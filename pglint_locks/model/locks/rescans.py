"""Which bounded, locking sub-SELECTs the planner may run more than once.

Each run skips the rows that the statement itself has already changed
(`TM_SelfModified` in `ExecLockRows`), so that the LIMIT stops binding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.planner.flow import is_bounded, reads_whole_input
from pglint_locks.model.planner.predicates import conjuncts, items_named
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
from pglint_locks.model.queries.writes import write_of

_WRITERS = frozenset({QueryKind.UPDATE, QueryKind.DELETE, QueryKind.MERGE})
_CONDITIONS = frozenset({Clause.WHERE, Clause.ON})
_PER_ROW_WHEN_CORRELATED = frozenset(
    {SubLinkKind.ANY, SubLinkKind.SCALAR, SubLinkKind.ROW_COMPARE, SubLinkKind.ARRAY}
)


class Rescan(NamedTuple):
    """A locking sub-SELECT that may run again for the rows of `outer`.

    `opener` is what holds it there: a sub-link or an item of FROM or USING.  `limit` is
    the level whose LIMIT stops binding.  `correlated`: it runs once for each row of
    `outer` whatever the plan.  `outer` writes the locked table, or is a SELECT of it.
    """

    mark: RowMark
    opener: SubLink | RangeItem
    limit: Query
    outer: Query
    correlated: bool

    @property
    def opened(self) -> Query:
        """The sub-SELECT that the opener holds: the locking one or one around it."""
        assert self.opener.query is not None
        return self.opener.query


def rescans(clause: LockingClause) -> Iterator[Rescan]:
    """The rescans that a locking clause can suffer, those of a write before the others."""
    found = [rescan for mark in clause.marks for rescan in _climb(_Path(mark, mark.level))]
    return iter(sorted(found, key=lambda rescan: not rescan.outer.is_write))


class _Path(NamedTuple):
    """A way from the lock upwards: the level reached and what was met on it.

    `opener` is set once something on the way can run the locking query again by itself;
    `behind_cte` once that lies in the body of a WITH query.  `fenced`: something keeps
    the rows it took, so that nothing below it is run again.
    """

    mark: RowMark
    level: Query
    limit: Query | None = None
    fenced: bool = False
    per_row_of_another: bool = False
    opener: SubLink | RangeItem | None = None
    behind_cte: bool = False
    passed: frozenset[Query] = frozenset()

    def opened_by(self, holder: SubLink | RangeItem) -> SubLink | RangeItem:
        """The innermost sub-link passed, or what stands in a WITH query's body, or `holder`."""
        if self.opener is not None and (self.behind_cte or isinstance(self.opener, SubLink)):
            return self.opener
        return holder


def _climb(path: _Path) -> Iterator[Rescan]:
    """Follows the locked rows up to the writes and SELECTs of the same table."""
    level = path.level
    if level in path.passed:  # a recursive WITH query reads itself
        return
    limit = path.limit or (level if is_bounded(level) else None)
    fenced = path.fenced or (level is not path.mark.level and _fences(level))
    path = path._replace(limit=limit, fenced=fenced, passed=path.passed | {level})
    match level.embedding:
        case SubLink() as link:
            yield from _through_sub_link(path, link)
        case RangeItem() as item:
            yield from _through_from(path, item)
        case Cte() as cte:
            yield from _through_cte(path, cte)
        case None if level.is_arm and level.parent is not None:
            yield from _climb(path._replace(level=level.parent))


def _fences(level: Query) -> bool:
    """Whether a level keeps the rows it took, so that nothing below it is run again.

    Sorting, grouping, DISTINCT and set operations do.  A lone aggregate or window is
    computed anew (seen: 500 for 10), and EXISTS drops all of these from its query.
    """
    node = level.node
    if isinstance(level.embedding, SubLink) and level.embedding.kind is SubLinkKind.EXISTS:
        return False
    if level.kind is QueryKind.SET_OPERATION:
        return reads_whole_input(level)
    return bool(
        getattr(node, "sortClause", None)
        or getattr(node, "distinctClause", None)
        or getattr(node, "groupClause", None)
    )


def _through_cte(path: _Path, cte: Cte) -> Iterator[Rescan]:
    """A WITH query fences what locks at its own top level, but is read row by row.

    What its body runs again, or what depends on a row outside, is run again all the same.
    """
    if path.fenced or not (path.opener or cte.query.reads_outside(cte.holder)):
        return
    for reference in cte.references:
        behind = path._replace(behind_cte=path.opener is not None)
        yield from _arrive(behind, reference)
        if not reference.holder.is_write:
            yield from _climb(behind._replace(level=reference.holder))


def _through_from(path: _Path, item: RangeItem) -> Iterator[Rescan]:
    holder = item.holder
    if item.lateral and path.level.reads_from(holder):
        path = path._replace(per_row_of_another=True)
    yield from _arrive(path, item)
    if holder.is_write:
        return
    joined = len(holder.items) > 1 and path.limit is not None and not path.fenced
    if joined and not path.per_row_of_another:
        path = path._replace(opener=path.opener or item)
    yield from _climb(path._replace(level=holder))


def _arrive(path: _Path, item: RangeItem) -> Iterator[Rescan]:
    """The rescan through an item of FROM, if its level writes or reads the table itself."""
    outer = item.holder
    if path.limit is None or path.fenced:
        return
    if _writes_table(outer, path.mark):
        # As many rows for each row of another item are asked for; but where the write
        # repeats a test of its own, that test drives the plan (seen: 300 for 30).
        if not path.per_row_of_another or path.opener is not None or _tests_own_rows(outer, item):
            yield Rescan(path.mark, path.opened_by(item), path.limit, outer, correlated=False)
    elif path.opener is None and not path.per_row_of_another and _is_select_of(outer, path.mark):
        yield Rescan(path.mark, item, path.limit, outer, correlated=False)


def _through_sub_link(path: _Path, link: SubLink) -> Iterator[Rescan]:
    outer, opener = link.holder, path.opened_by(link)
    if path.limit is None or link.standing.clause not in _CONDITIONS or link.standing.negated:
        return
    if _writes_table(outer, path.mark):
        correlated = path.level.reads_from(outer, outer.target)
        if correlated and link.kind in _PER_ROW_WHEN_CORRELATED:
            yield Rescan(path.mark, opener, path.limit, outer, correlated=True)
        elif _may_run_again(path, link, correlated):
            yield Rescan(path.mark, opener, path.limit, outer, correlated=False)
    elif not outer.is_write and _may_run_again(path, link, path.level.reads_from(outer)):
        if path.opener is None and _is_select_of(outer, path.mark):
            yield Rescan(path.mark, link, path.limit, outer, correlated=False)
        yield from _climb(path._replace(level=outer, opener=opener))


def _may_run_again(path: _Path, link: SubLink, correlated: bool) -> bool:
    """Whether a plan may put the sub-link's query on the inner side of a nested loop."""
    if path.fenced or not link.standing.conjunct:
        return False
    if link.kind is SubLinkKind.ANY:
        return True
    # EXISTS over the locking SELECT itself asks for any row at all: nothing is bounded.
    return link.kind is SubLinkKind.EXISTS and correlated and path.limit is not path.level


def _writes_table(level: Query, mark: RowMark) -> bool:
    write = write_of(level) if level.kind in _WRITERS else None
    return write is not None and write.table.same_table(mark.table)


def _is_select_of(level: Query, mark: RowMark) -> bool:
    """Whether a level is a SELECT for the client, with the locked table in its own FROM.

    One that feeds a write copies what it got.
    """
    return (
        level.kind is QueryKind.SELECT
        and not level.root.is_write
        and any(
            item.kind is ItemKind.TABLE
            and item is not mark.item
            and item.table is not None
            and item.table.same_table(mark.table)
            for item in level.items
        )
    )


def _tests_own_rows(level: Query, besides: RangeItem) -> bool:
    """Whether a write tests its own rows by more than the rows of one item."""
    for node in conjuncts(getattr(level.node, "whereClause", None)):
        items = set(items_named(node, level))
        if level.target in items and besides not in items:
            return True
    return False
