"""Locking clauses and the row marks they make (`transformLockingClause`)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import IntEnum

from pglast import ast
from pglast.enums import LockClauseStrength, LockWaitPolicy

from pglint_locks.model.locks.commands import command_name, plan_levels, planned_levels
from pglint_locks.model.locks.refusals import (
    Refusal,
    refusal_in_function,
    refusal_in_transaction,
    refusal_of_cursor,
    refusal_of_level,
    refusal_of_materialized_view,
    refusal_of_name,
    refusal_of_nullable_side,
    refusal_of_recursion,
    refusal_of_restricted_level,
    refusal_of_scroll_in_body,
    refusal_of_statement,
)
from pglint_locks.model.planner.outer_joins import nullable_items
from pglint_locks.model.planner.pushdown import is_restricted, plan_level
from pglint_locks.model.planner.unread import unread_item
from pglint_locks.model.queries.names import TableName
from pglint_locks.model.queries.query import ItemKind, Query, RangeItem
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.clauses import ClauseText
from pglint_locks.text import Span


class Strength(IntEnum):
    """A row lock's strength; where several clauses meet, the greatest counts."""

    FOR_KEY_SHARE = 1
    FOR_SHARE = 2
    FOR_NO_KEY_UPDATE = 3
    FOR_UPDATE = 4

    @property
    def is_exclusive(self) -> bool:
        """Whether two transactions cannot both hold it on one row."""
        return self >= Strength.FOR_NO_KEY_UPDATE

    def __str__(self) -> str:
        return self.name.replace("_", " ")


class WaitPolicy(IntEnum):
    """What happens at a row that is locked; the greatest of several counts."""

    BLOCK = 0
    SKIP_LOCKED = 1
    NOWAIT = 2


_STRENGTHS = {
    LockClauseStrength.LCS_FORKEYSHARE: Strength.FOR_KEY_SHARE,
    LockClauseStrength.LCS_FORSHARE: Strength.FOR_SHARE,
    LockClauseStrength.LCS_FORNOKEYUPDATE: Strength.FOR_NO_KEY_UPDATE,
    LockClauseStrength.LCS_FORUPDATE: Strength.FOR_UPDATE,
}

_WAIT_POLICIES = {
    LockWaitPolicy.LockWaitBlock: WaitPolicy.BLOCK,
    LockWaitPolicy.LockWaitSkip: WaitPolicy.SKIP_LOCKED,
    LockWaitPolicy.LockWaitError: WaitPolicy.NOWAIT,
}


@dataclass(slots=True, eq=False, repr=False)
class RowMark:
    """A table whose rows are locked, as all clauses that reach it combine.

    `clauses` are those that reach it, in the order in which they do.
    """

    table: TableName
    item: RangeItem
    strength: Strength
    wait_policy: WaitPolicy
    clauses: list[LockingClause] = field(default_factory=list)

    @property
    def level(self) -> Query:
        """The query level whose FROM names the table."""
        return self.item.holder


@dataclass(slots=True, eq=False, repr=False)
class LockingClause:
    """One locking clause of a SELECT, with everything it reaches.

    `items` are the range items of its own level that it names or, without OF, covers;
    `covered` are the tables and sub-SELECTs that it reaches, at any depth, in order.
    `refusals` are what the server says instead of running it, the first one first;
    `unless_inlined` is what it says where a call of the function is not inlined.
    """

    statement: Statement
    query: Query
    node: ast.LockingClause
    text: ClauseText
    strength: Strength
    wait_policy: WaitPolicy
    items: list[RangeItem] = field(default_factory=list)
    marks: list[RowMark] = field(default_factory=list)
    covered: list[RangeItem] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    unless_inlined: Refusal | None = None

    @property
    def refusal(self) -> Refusal | None:
        """The first thing that the server says instead of running the clause, if it does."""
        return self.refusals[0] if self.refusals else None

    @property
    def span(self) -> Span:
        """From FOR to the clause's last word, as unit offsets."""
        return self.statement.unit_span(self.text.span)

    def name_span(self, index: int) -> Span:
        """A name in OF, as unit offsets."""
        return self.statement.unit_span(self.text.names[index])

    @property
    def is_inherited(self) -> bool:
        """Whether it stands in a view that the statement reads: its place is the view's name."""
        return self.query.view_item is not None

    @property
    def names_tables(self) -> bool:
        """Whether it has an OF list."""
        return bool(self.node.lockedRels)

    @property
    def words(self) -> str:
        """The clause's strength in the server's words, such as FOR NO KEY UPDATE."""
        return str(self.strength)


def items_covered(query: Query, strength: Strength) -> list[RangeItem]:
    """What a level's own clauses of at least a strength name or cover, at it and below."""
    items: list[RangeItem] = []
    for node in getattr(query.node, "lockingClause", None) or ():
        if _STRENGTHS[node.strength] >= strength:
            names = {relation.relname for relation in node.lockedRels or ()}
            items += [item for item in query.items if not names or item.refname in names]
    for item in items:
        items += item.query.items if item.query is not None else ()
    return items


def locking_clauses(statement: Statement) -> list[LockingClause]:
    """All locking clauses of a statement with their row marks, in the order of the text.

    Those of the views that it reads are among them.
    """
    marks: dict[RangeItem, RowMark] = {}
    clauses: list[LockingClause] = []
    for query in statement.levels:
        for node, text in zip(
            getattr(query.node, "lockingClause", None) or (),
            statement.clause_texts(query),
            strict=True,
        ):
            clause = LockingClause(
                statement,
                query,
                node,
                text,
                _STRENGTHS[node.strength],
                _WAIT_POLICIES[node.waitPolicy],
            )
            _lock(clause, marks)
            if not (clause.is_inherited and clause.refusals):  # there is no such view
                clauses.append(clause)
    _refuse_later(statement, clauses)
    for clause in clauses:
        if clause.refusal is not None:  # nothing runs, so nothing is locked
            clause.items, clause.marks = [], []
    return sorted(clauses, key=lambda clause: clause.text.span)


def _lock(clause: LockingClause, marks: dict[RangeItem, RowMark]) -> None:
    """Marks what a clause reaches at its own level and below, or notes what refuses it."""
    refusal = refusal_of_recursion(clause.node.lockedRels, clause.query)
    refusal = refusal or refusal_of_statement(clause.query, clause.words)
    if refusal is not None:
        clause.refusals.append(refusal)
        return
    names = clause.node.lockedRels
    if not names:
        clause.items = list(clause.query.items)
        _mark(clause, clause.items, marks)
        return
    for index, relation in enumerate(names):
        refusal = refusal_of_name(relation, index, clause.query, clause.words)
        if refusal is not None:
            clause.refusals.append(refusal)
            continue
        item = clause.query.item_named(relation.relname)
        assert item is not None
        clause.items.append(item)
        _mark(clause, [item], marks)


def _mark(clause: LockingClause, items: list[RangeItem], marks: dict[RangeItem, RowMark]) -> None:
    """Marks items and what is in them, until something in one refuses the clause."""
    for item in items:
        if item.kind is ItemKind.TABLE and item.table is not None:
            mark = marks.get(item)
            if mark is None:
                mark = RowMark(item.table, item, clause.strength, clause.wait_policy)
                marks[item] = mark
            mark.strength = max(mark.strength, clause.strength)
            mark.wait_policy = max(mark.wait_policy, clause.wait_policy)
            mark.clauses.append(clause)
            clause.marks.append(mark)
            clause.covered.append(item)
        elif item.query is not None:
            clause.covered.append(item)
            # What a view reads is marked after parse analysis (`markQueryForLocking`).
            in_text = item.query.view_item is None
            refusal = refusal_of_level(item.query, clause.words) if in_text else None
            if refusal is not None:
                clause.refusals.append(refusal)
                return
            _mark(clause, item.query.items, marks)


# --- refusals that come after parse analysis ----------------------------------------


def _refuse_later(statement: Statement, clauses: list[LockingClause]) -> None:
    """Notes what the server says of clauses that parse analysis has let pass."""
    if any(clause.refusals for clause in clauses):
        return
    covered = _covered(clauses)
    _refuse_in_cursor(statement, clauses, covered)
    for top in statement.queries:
        own = [clause for clause in clauses if clause.query.root is top]
        if own and not any(clause.refusals for clause in own):
            planned = planned_levels(top)
            own = [
                clause
                for clause in own
                if clause.query in planned and unread_item(clause.query) is None
            ]
            _refuse_in_planner(top, own, covered, planned)
            _refuse_when_run(statement, top, own, covered)
            _refuse_unlockable(own)


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
    nullable = nullable_items([top])
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
    if command is None:
        return
    routine, cursor = statement.routine, statement.cursor
    if cursor is not None and not cursor.opened:
        return
    for clause in clauses:
        if not clause.covered:
            continue
        if cursor is not None and cursor.scrolls:
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
            if item.view is not None and item.query is None and not clause.refusals:
                clause.refusals.append(refusal_of_materialized_view(item.view.name.name))


def _touches_permanent(top: Query, clauses: list[LockingClause]) -> bool:
    """Whether a table that is locked or written is no temporary one of this session's."""
    touched = [mark.table for clause in clauses for mark in clause.marks]
    # The lock asks for UPDATE on a view, too, whatever it reads.
    touched += [item.view.name for clause in clauses for item in clause.covered if item.view]
    if top.target is not None and top.target.table is not None:
        touched.append(top.target.table)
    temporary = clauses[0].statement.transaction.temporary
    return any(not table.is_temporary(temporary) for table in touched)
