"""Choices: where one level picks rows of a table, unlocked, for another to lock or change.

LIMIT, min and max, DISTINCT ON and a tested row_number pick some of the rows that
qualify.  Made without a lock, the choice is the same for every session that makes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.locks.sorting import random_sort_key
from pglint_locks.model.planner.flow import (
    is_bounded,
    lazy_limits,
    levels_below,
    locking_level,
    row_limit,
)
from pglint_locks.model.planner.predicates import (
    column_names,
    state_columns,
    tested_columns,
    unkeyed_columns,
)
from pglint_locks.model.queries.constants import Unknown
from pglint_locks.model.queries.keys import names_row
from pglint_locks.model.queries.query import (
    Call,
    Clause,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.names import TableName
from pglint_locks.text import Span

_RANKS = frozenset({"row_number", "rank", "dense_rank"})
_EXTREMES = frozenset({"min", "max"})


class Choice(NamedTuple):
    """Rows of a table chosen without a lock, for a level that locks or changes them.

    `opener` holds the choice there.  `chooser` is the level that lets only some rows
    through and `call` its min, max or row_number, if that is how; `item` is the table
    there.  `tested` are the columns that WHERE looks at on the way, without the key;
    `states` are those of them that read as a row's state, and `retested` those that the
    opener's own level tests once more.
    """

    opener: SubLink | RangeItem
    chooser: Query
    call: Call | None
    item: RangeItem
    tested: frozenset[str]
    states: frozenset[str]
    retested: frozenset[str]

    @property
    def opened(self) -> Query:
        """The sub-SELECT that the opener holds, or the body of the WITH query it reads."""
        if isinstance(self.opener, RangeItem) and self.opener.cte is not None:
            return self.opener.cte.query
        assert self.opener.query is not None
        return self.opener.query

    @property
    def limit(self) -> int | Unknown | None:
        """How many rows its LIMIT lets through; None without one."""
        return row_limit(self.chooser)

    @property
    def is_by_group(self) -> bool:
        """Whether rows are chosen from each group of them: DISTINCT ON, PARTITION BY."""
        over = self.call.node.over if self.call is not None else None
        if over is not None:
            return bool(over.partitionClause)
        return self.call is None and self.limit is None

    @property
    def is_random(self) -> bool:
        """Whether each session chooses other rows."""
        return random_sort_key(self.chooser) is not None

    def words(self, statement: Statement) -> str:
        """What chooses, in the statement's words: `LIMIT 3`, `min`, DISTINCT ON."""
        if self.call is None and not is_bounded(self.chooser):
            return "DISTINCT ON"
        if self.call is None:
            return statement.limit_words(self.chooser)
        return statement.words(self.span(statement))

    def span(self, statement: Statement) -> Span:
        """Where the statement says how many: LIMIT, the function's name, or the SELECT."""
        if self.call is not None:
            return statement.function_name(self.call)
        if is_bounded(self.chooser):
            return statement.limit_clause(self.chooser)
        return statement.opening_word(self.chooser)


def unlocked_choices(clause: LockingClause, mark: RowMark) -> Iterator[Choice]:
    """The choices without a lock that decide which rows a clause gets to lock.

    Not where the lock has a LIMIT of its own that takes fewer than were chosen.
    """
    limits = list(lazy_limits(locking_level(mark.level)))
    for item in _seen_as(mark.item, clause.query):
        for choice in choices(item, mark.table):
            if all(_takes_all(limit, choice) for limit in limits):
                yield choice


def _takes_all(limit: int | Unknown, choice: Choice) -> bool:
    """Whether a LIMIT is certain to take every row that was chosen."""
    if not _gives_key(choice):
        return False
    if choice.limit is None:
        return choice.call is not None and choice.call.name in _EXTREMES
    return isinstance(choice.limit, int) and isinstance(limit, int) and choice.limit <= limit


def _gives_key(choice: Choice) -> bool:
    """Whether a choice gives out the table's key, so that one row is meant by each."""
    node, item = choice.opened.node, choice.item
    return item.table is not None and any(
        _is_star(target.val) or names_row(item, name)
        for target in node.targetList or ()
        for name in column_names(target.val) or ("",)
    )


def _is_star(node: ast.Node) -> bool:
    return isinstance(node, ast.ColumnRef) and isinstance(node.fields[-1], ast.A_Star)


def choices(item: RangeItem, table: TableName) -> Iterator[Choice]:
    """The choices among a table's own rows that a level takes them by, without a lock."""
    level = item.holder
    for opener, query in _openers(level, item):
        choice = _choice(opener, query, table, tested_columns(item))
        # What looks at the row itself (the head of its group, say) is no choice beforehand.
        if choice is not None and not choice.chooser.reads_from(level, item):
            yield choice


def _openers(level: Query, item: RangeItem) -> Iterator[tuple[SubLink | RangeItem, Query]]:
    for link in level.sub_links:
        if _picks_rows(link) and (
            link.kind is not SubLinkKind.EXISTS or link.query.reads_from(level, item)
        ):
            yield link, link.query
    for other in level.items:
        if other is item:
            continue
        if other.cte is not None:
            yield other, other.cte.query
        elif other.query is not None and not _is_reached(other):
            yield other, other.query


def _picks_rows(link: SubLink) -> bool:
    """Whether a row counts only if it equals what a sub-link gives (or EXISTS finds it)."""
    standing = link.standing
    if standing.clause not in (Clause.WHERE, Clause.ON) or not standing.conjunct:
        return False
    if standing.negated:
        return False
    match link.kind:
        case SubLinkKind.EXISTS:
            return True
        case SubLinkKind.ANY:
            return not link.node.operName or link.node.operName[-1].sval == "="
        case SubLinkKind.SCALAR | SubLinkKind.ARRAY | SubLinkKind.ROW_COMPARE:
            comparison = standing.comparison
            return comparison is not None and _is_equality(comparison)
    return False


def _is_equality(comparison: ast.A_Expr) -> bool:
    return bool(comparison.name[-1].sval == "=" and comparison.kind != A_Expr_Kind.AEXPR_OP_ALL)


def _choice(
    opener: SubLink | RangeItem, query: Query, table: TableName, outside: set[str]
) -> Choice | None:
    """The topmost level at or below `query` that chooses among a table's rows."""
    levels = list(levels_below(query))
    if any(level.is_write or getattr(level.node, "lockingClause", None) for level in levels):
        return None
    for level in levels:
        call = _extreme(level) or _tested_rank(level.items)
        if level is query and call is None and isinstance(opener, RangeItem):
            call = _tested_rank([opener])
        item = _item_of(table, level)
        if item is None:
            continue
        if call is not None or is_bounded(level) or _is_distinct_on(level, item):
            tested, states = _tests(levels, table)
            retested = (states or tested) & outside
            return Choice(opener, level, call, item, tested, states, retested)
    return None


def _item_of(table: TableName, query: Query) -> RangeItem | None:
    """Where a table stands in FROM, at a level or below it."""
    for level in levels_below(query):
        for item in level.items:
            if item.table is not None and item.table.same_table(table):
                return item
    return None


def _tests(levels: list[Query], table: TableName) -> tuple[frozenset[str], frozenset[str]]:
    """What levels test of a table's rows, but for ranks: all columns, and states alone."""
    tested: set[str] = set()
    states: set[str] = set()
    for level in levels:
        for item in level.items:
            if item.table is None or item.table.same_table(table):
                tested |= unkeyed_columns(item) - set(_ranks(item))
                states |= state_columns(item) - set(_ranks(item))
    return frozenset(tested), frozenset(states)


def _extreme(level: Query) -> Call | None:
    """The min or max that a level gives instead of its rows; one for each group is no choice."""
    if getattr(level.node, "groupClause", None):
        return None
    for call in level.calls:
        if call.is_system and call.name in _EXTREMES and call.standing.clause is Clause.TARGET:
            return None if call.windowed else call
    return None


def _tested_rank(items: list[RangeItem]) -> Call | None:
    """The row_number (or rank) in one of a level's items by which it lets rows through."""
    for item in items:
        ranks = _ranks(item)
        for name in tested_columns(item):
            if name in ranks:
                return ranks[name]
    return None


def _ranks(item: RangeItem) -> dict[str, Call]:
    """The output columns of a sub-SELECT or WITH query that number its rows."""
    query = item.cte.query if item.cte is not None else item.query
    if query is None or query.kind is not QueryKind.SELECT:
        return {}
    calls = {id(call.node): call for call in query.calls if call.windowed and call.name in _RANKS}
    return {
        target.name or target.val.funcname[-1].sval: calls[id(target.val)]
        for target in query.node.targetList or ()
        if id(target.val) in calls
    }


def _is_distinct_on(level: Query, item: RangeItem) -> bool:
    """Whether DISTINCT ON takes one row of several; one for each key of the table is all."""
    keys = [key for key in getattr(level.node, "distinctClause", None) or () if key is not None]
    names = set[str]().union(*map(column_names, keys))
    return bool(keys) and not any(names_row(item, name) for name in names)


def _is_reached(item: RangeItem) -> bool:
    """Whether a locking clause of an item's level, or one pushed into it, covers the item."""
    while True:
        for clause in getattr(item.holder.node, "lockingClause", None) or ():
            names = clause.lockedRels
            if not names or any(name.relname == item.refname for name in names):
                return True
        if not isinstance(item.holder.embedding, RangeItem):
            return False
        item = item.holder.embedding


def _seen_as(item: RangeItem, top: Query) -> Iterator[RangeItem]:
    """A locked table, and the FROM sub-SELECTs around it up to the clause's level."""
    yield item
    while item.holder is not top and isinstance(item.holder.embedding, RangeItem):
        item = item.holder.embedding
        yield item
