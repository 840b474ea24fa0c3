"""Guards of a claim: tests of other rows of the same table, which nobody locks.

`NOT EXISTS (… same key AND status = 'running')`, `key NOT IN (SELECT … running)`, LEFT JOIN
… IS NULL, `(SELECT count(*) … running) < n`, `LIMIT (SELECT n - count(*) …)`: two sessions
see the same free place, and both take it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind

from pglint_locks.model.locks.row_marks import LockingClause, RowMark
from pglint_locks.model.planner.aggregates import is_lone_aggregate
from pglint_locks.model.planner.flow import consumers, levels_below
from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.predicates import column_parts, conjuncts, equalities
from pglint_locks.model.queries.functions import is_aggregate
from pglint_locks.model.queries.names import is_state_like
from pglint_locks.model.queries.query import (
    Clause,
    ItemKind,
    Query,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.model.rows.absence import is_anti_joined
from pglint_locks.model.rows.exclusion import is_serialized
from pglint_locks.model.rows.same_rows import value_text
from pglint_locks.model.rows.states import required_value, starts_to_hold, tested_column
from pglint_locks.model.rows.uses import RowUse, row_uses

_ORDER_OPERATORS = frozenset({"<", "<=", ">", ">="})


class Guard(NamedTuple):
    """A test of unlocked rows of the claimed table.

    `opener` is the sub-link that tests, or the item that an anti-join takes off; `item` is
    the table read there.  `changes` are the columns by which it tests a row's state and
    which the claim itself changes, so that the claim makes the test's answer wrong for
    others; empty where no such write is seen.
    """

    mark: RowMark
    opener: SubLink | RangeItem
    item: RangeItem
    changes: tuple[str, ...]

    @property
    def limits(self) -> bool:
        """Whether it stands in LIMIT, as a number of free places."""
        return isinstance(self.opener, SubLink) and (self.opener.standing.clause is Clause.LIMIT)


def unlocked_guards(clause: LockingClause, mark: RowMark) -> Iterator[Guard]:
    """The guards of a claim whose answer the claim changes, or may change in a write not seen.

    None where the sessions that could meet are kept apart otherwise, by a lock on a row of
    another table (the key's own row) or by an advisory lock, see `is_serialized`.
    """
    if is_serialized(clause, mark):
        return
    uses = row_uses(clause, mark)
    found: list[Guard] = []
    for level in (mark.level, *consumers(mark.level)):
        for opener, item in _tests(level, mark):
            if _is_claimants_own(uses, item):
                continue
            changes = tuple(_changes(uses, mark, item))
            if not _looks_ahead(item, level) and (changes or not uses):
                found.append(Guard(mark, opener, item, changes))
    yield from sorted(found, key=lambda guard: not guard.changes)


# --- the forms of a guard ---------------------------------------------------------


def _tests(level: Query, mark: RowMark) -> Iterator[tuple[SubLink | RangeItem, RangeItem]]:
    """What tests rows of the mark's table at a level, and the table there."""
    for link in level.sub_links:
        if _is_guard(link):
            item = _unlocked_table(link.query, mark)
            if item is not None:
                yield link, item
    for item in level.items:
        if is_anti_joined(item):
            query = _query_of(item)
            below = item if query is None else _unlocked_table(query, mark)
            if below is not None and _is_of_table(below, mark):
                yield item, below
        elif _is_compared_aggregate(item):
            below = _unlocked_table(_query_of(item), mark)
            if below is not None:
                yield item, below


def _query_of(item: RangeItem) -> Query | None:
    return item.cte.query if item.cte is not None else item.query


def _is_compared_aggregate(item: RangeItem) -> bool:
    """Whether an item is one row of aggregates, which WHERE compares with something."""
    query = _query_of(item)
    return (
        query is not None
        and is_lone_aggregate(query)
        and any(
            isinstance(condition, ast.A_Expr)
            and condition.kind == A_Expr_Kind.AEXPR_OP
            and item in [_item_of(side, item.holder) for side in (condition.lexpr, condition.rexpr)]
            for condition in conjuncts(getattr(item.holder.node, "whereClause", None))
        )
    )


def _item_of(node: object, level: Query) -> RangeItem | None:
    parts = column_parts(node) if isinstance(node, ast.Node) else ()
    return level.resolve(parts) if parts else None


def _is_guard(link: SubLink) -> bool:
    standing = link.standing
    if standing.clause is Clause.LIMIT:
        return link.kind is SubLinkKind.SCALAR
    if standing.clause not in (Clause.WHERE, Clause.ON) or not standing.conjunct:
        return False
    operator = link.node.operName[-1].sval if link.node.operName else "="
    match link.kind:
        case SubLinkKind.EXISTS:
            return standing.negated
        case SubLinkKind.ANY:
            return standing.negated and operator == "="
        case SubLinkKind.ALL:
            return operator in ("<>", "!=")
        case SubLinkKind.SCALAR:
            return (
                standing.comparison is not None
                and not _picks_rows(standing.comparison)
                and any(
                    is_aggregate(call) for below in levels_below(link.query) for call in below.calls
                )
            )
    return False


def _picks_rows(comparison: ast.A_Expr) -> bool:
    """Whether a scalar picks rows (`id = (SELECT max(id) …)`) rather than guards them."""
    sides = (comparison.lexpr, comparison.rexpr)
    return comparison.name[-1].sval == "=" and any(
        isinstance(side, ast.ColumnRef) for side in sides
    )


def _unlocked_table(query: Query | None, mark: RowMark) -> RangeItem | None:
    for level in () if query is None else levels_below(query):
        if level.is_write or getattr(level.node, "lockingClause", None):
            return None
        for item in level.items:
            if _is_of_table(item, mark):
                return item
    return None


def _is_of_table(item: RangeItem, mark: RowMark) -> bool:
    return (
        item.kind is ItemKind.TABLE
        and item is not mark.item
        and item.table is not None
        and item.table.same_table(mark.table)
    )


def _looks_ahead(item: RangeItem, level: Query) -> bool:
    """Whether a guard lets only the first row of its key through: `e.id < j.id`.

    Each row then waits for those before it, whichever session has them.
    """
    for condition in _conditions(item):
        if not isinstance(condition, ast.A_Expr) or condition.kind != A_Expr_Kind.AEXPR_OP:
            continue
        if condition.name[-1].sval not in _ORDER_OPERATORS:
            continue
        sides = [_item_of(side, item.holder) for side in (condition.lexpr, condition.rexpr)]
        if item in sides and any(
            other is not None and other is not item and other.holder in (level, item.holder)
            for other in sides
        ):
            return True
    return False


def _changes(uses: list[RowUse], mark: RowMark, item: RangeItem) -> Iterator[str]:
    """The columns by which a claimed row comes to be one that the guard finds."""
    written = _written(uses)
    for condition in _conditions(item):
        column = tested_column(condition, item)
        if column in written and starts_to_hold(
            condition, before=required_value(mark.item, column), after=written[column]
        ):
            yield column


def _written(uses: list[RowUse]) -> dict[str, ast.Node | None]:
    """What the claimed rows' columns are set to; None for what does not show."""
    written: dict[str, ast.Node | None] = {}
    for use in uses:
        written.update(dict.fromkeys(use.write.columns))
        for target in getattr(use.write.query.node, "targetList", None) or ():
            if target.name in written:
                written[target.name] = target.val
    return written


def _is_claimants_own(uses: list[RowUse], item: RangeItem) -> bool:
    """Whether a guard looks at the rows of its own session alone: `worker = $1`, as is written.

    Another session has another name for itself, and is not kept from anything by that.
    """
    written = _written(uses)
    for equal in equalities(item.holder):
        if equal.item is item and not is_state_like(equal.column):
            value = written.get(equal.column)
            text = None if value is None else value_text(value)
            if text is not None and text[0] != "=" and text == value_text(equal.value):
                return True
    return False


def _conditions(item: RangeItem) -> Iterator[ast.Node]:
    """What must hold for a row that a guard finds: WHERE, ON, FILTER of its count."""
    level = item.holder
    if not is_anti_joined(item):
        yield from conjuncts(getattr(level.node, "whereClause", None))
    for join in joins(level):
        if join.restricts(item):
            yield from conjuncts(join.condition)
    for call in level.calls:
        yield from conjuncts(getattr(call.node, "agg_filter", None))
