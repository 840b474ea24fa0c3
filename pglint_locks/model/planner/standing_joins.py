"""Outer joins that certainly stay outer ones, whatever else is known of a statement."""

from __future__ import annotations

from collections import Counter

from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.joins import Branch
from pglint_locks.model.planner.reads import is_for_nothing
from pglint_locks.model.planner.sub_links import columns_named
from pglint_locks.model.queries.query import Clause, Column, Query


def stays_outer(branch: Branch) -> bool:
    """Whether nothing but its own ON may test what an outer join extends with NULLs.

    `reduce_outer_joins` needs such a test, here or from above.
    """
    join = next(join for join in joins(branch.query) if join.item is branch.item)
    own = Counter(columns_named(join.condition))
    for level in branch.query.root.levels():
        if any(each.using or each.is_natural for each in joins(level)):
            return False
        for column in level.columns:
            if level is branch.query and column.standing.clause is Clause.ON and own[column.parts]:
                own[column.parts] -= 1
            elif _may_test(column, level, join):
                return False
    return True


def _may_test(column: Column, level: Query, join: Join) -> bool:
    """Whether a column reference may be one to what a join extends, and a condition reads it."""
    item = level.resolve(column.parts)
    if len(column.parts) > 1 and item is not None and item not in (*join.nullable, join.item):
        return False
    is_target = column.standing.clause is Clause.TARGET
    return not (is_target and level.parent is None) and not is_for_nothing(level, column)
