"""What the server refuses of locking clauses that parse analysis has let pass."""

from __future__ import annotations

import sys

from pglast import ast

from pglint_locks.model.locks.commands import (
    checked_levels,
    command_name,
    plan_levels,
    planned_levels,
)
from pglint_locks.model.locks.refusals import (
    Refusal,
    refusal_in_function,
    refusal_in_transaction,
    refusal_of_cursor,
    refusal_of_level,
    refusal_of_nullable_side,
    refusal_of_relation,
    refusal_of_restricted_level,
    refusal_of_scroll_in_body,
)
from pglint_locks.model.locks.row_marks import LockingClause, Strength
from pglint_locks.model.planner.outer_joins import reduced
from pglint_locks.model.planner.plan_levels import plan_level
from pglint_locks.model.planner.restrictions import is_restricted
from pglint_locks.model.planner.unread import is_left_out
from pglint_locks.model.queries.query import ItemKind, Query, RangeItem
from pglint_locks.model.statements.statement import Statement
from pglint_locks.schema.catalog import RelationKind


def refuse_later(statement: Statement, clauses: list[LockingClause]) -> None:
    """Notes what the server says of clauses that parse analysis has let pass."""
    if any(clause.refusals for clause in clauses):
        return
    covered = _covered(clauses)
    _refuse_in_cursor(statement, clauses, covered)
    for top in statement.queries:
        own = [clause for clause in clauses if clause.query.root is top]
        if own and not any(clause.refusals for clause in own):
            own = [clause for clause in own if not is_left_out(clause.query)]
            planned, checked = planned_levels(top), checked_levels(top)
            in_plan = [clause for clause in own if clause.query in planned]
            _refuse_in_planner(top, in_plan, covered, planned)
            _refuse_when_run(
                statement, top, [clause for clause in own if clause.query in checked], covered
            )
            _refuse_unlockable(in_plan)


def _covered(clauses: list[LockingClause]) -> dict[RangeItem, Strength]:
    """The tables and sub-SELECTs that clauses cover, with the strength as they combine."""
    covered: dict[RangeItem, Strength] = {}
    for clause in sorted(clauses, key=lambda clause: clause.text.span):
        for item in clause.covered:
            covered[item] = max(covered.get(item, clause.strength), clause.strength)
    return covered


def _refuse_in_cursor(
    statement: Statement, clauses: list[LockingClause], covered: dict[RangeItem, Strength]
) -> None:
    if not isinstance(statement.node, ast.DeclareCursorStmt):
        return
    own = [item for item in covered if item.holder.parent is None]
    if own:
        refusal = refusal_of_cursor(statement.node, str(covered[own[0]]))
        for clause in clauses:
            if refusal is not None and clause.query.parent is None:
                clause.refusals.append(refusal)


def _refuse_in_planner(
    top: Query,
    clauses: list[LockingClause],
    covered: dict[RangeItem, Strength],
    planned: set[Query],
) -> None:
    nullable = reduced(top).nullable
    levels = {level: place for place, level in enumerate(plan_levels(top))}
    for clause in clauses:
        # A level is looked at before those that it holds, first for grouping, then for joins.
        found: list[tuple[tuple[int, int], Refusal]] = []
        for item in clause.covered:
            words = str(covered[item])
            if (item.query or item.holder) not in planned:
                continue
            refusal = _refusal_in_view(item, words)
            if refusal is not None and item.query is not None:
                found.append(((levels[item.query], -sys.maxsize), refusal))
            if item in nullable:
                place = levels[plan_level(item.holder)], nullable[item]
                found.append((place, refusal_of_nullable_side(words)))
        clause.refusals += (refusal for _, refusal in sorted(found, key=lambda each: each[0]))


def _refusal_in_view(item: RangeItem, words: str) -> Refusal | None:
    """Why a level of a view cannot have the marks that it got (`preprocess_rowmarks`)."""
    level = item.query
    if level is None or level.view_item is None:
        return None
    marked = any(below.kind in (ItemKind.TABLE, ItemKind.SUBQUERY) for below in level.items)
    if not marked:
        return None
    if is_restricted(item):
        return refusal_of_restricted_level(level, words)
    return refusal_of_level(level, words)


def _refuse_when_run(
    statement: Statement,
    top: Query,
    clauses: list[LockingClause],
    covered: dict[RangeItem, Strength],
) -> None:
    if any(clause.refusals for clause in clauses):
        return
    command = command_name(statement.node, top, {item: str(covered[item]) for item in covered})
    routine, cursor = statement.routine, statement.cursor
    if cursor is not None and not cursor.opened:
        return
    for clause in clauses:
        if not clause.covered:
            continue
        if command is None:  # none is in the plan, but permissions are asked for all the same
            if statement.read_only is not None and _touches_permanent(top, clauses):
                clause.refusals.append(refusal_in_transaction("SELECT"))
        elif cursor is not None and cursor.scrolls:
            clause.refusals.append(refusal_of_scroll_in_body())
        elif routine is not None and not routine.is_volatile:
            refusal = refusal_in_function(command)
            if routine.may_be_inlined and isinstance(top.node, ast.SelectStmt):
                clause.unless_inlined = refusal
            else:
                clause.refusals.append(refusal)
        elif statement.read_only is not None and _touches_permanent(top, clauses):
            clause.refusals.append(refusal_in_transaction(command))


def _refuse_unlockable(clauses: list[LockingClause]) -> None:
    for clause in clauses:
        for item in clause.covered:
            kind = _kind_without_rows_to_lock(item)
            if kind is not None and item.table is not None and not clause.refusals:
                clause.refusals.append(refusal_of_relation(kind, item.table.name))


def _kind_without_rows_to_lock(item: RangeItem) -> RelationKind | None:
    """What a relation is, if its rows cannot be locked."""
    if item.view is not None and item.query is None:
        return RelationKind.MATERIALIZED_VIEW
    kind = item.relation.kind if item.relation is not None else None
    unlockable = (RelationKind.MATERIALIZED_VIEW, RelationKind.SEQUENCE)
    return kind if kind in unlockable else None


def _touches_permanent(top: Query, clauses: list[LockingClause]) -> bool:
    """Whether a table that is locked or written is no temporary one of this session's."""
    touched = [mark.table for clause in clauses for mark in clause.marks]
    # The lock asks for UPDATE on a view, too, whatever it reads.
    touched += [item.view.name for clause in clauses for item in clause.covered if item.view]
    if top.target is not None and top.target.table is not None:
        touched.append(top.target.table)
    temporary = clauses[0].statement.transaction.temporary
    return any(not table.is_temporary(temporary) for table in touched)
