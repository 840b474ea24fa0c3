"""Which row marks the locking clauses of a statement make (`transformLockingClause`)."""

from __future__ import annotations

from pglint_locks.model.locks.later_refusals import refuse_later
from pglint_locks.model.locks.refusals import (
    refusal_of_level,
    refusal_of_name,
    refusal_of_recursion,
    refusal_of_statement,
)
from pglint_locks.model.locks.row_marks import (
    STRENGTHS,
    WAIT_POLICIES,
    LockingClause,
    RowMark,
)
from pglint_locks.model.queries.query import ItemKind, RangeItem
from pglint_locks.model.statements.statement import Statement


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
                STRENGTHS[node.strength],
                WAIT_POLICIES[node.waitPolicy],
            )
            _lock(clause, marks)
            if not (clause.is_inherited and clause.refusals):  # there is no such view
                clauses.append(clause)
    refuse_later(statement, clauses)
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
            clause.covered.append(item)
            if item.wrapper == "file_fdw":
                continue  # accepted: there is nothing to lock a line of a file by
            mark = marks.get(item)
            if mark is None:
                mark = RowMark(item.table, item, clause.strength, clause.wait_policy)
                marks[item] = mark
            mark.strength = max(mark.strength, clause.strength)
            mark.wait_policy = max(mark.wait_policy, clause.wait_policy)
            mark.clauses.append(clause)
            clause.marks.append(mark)
        elif item.query is not None:
            clause.covered.append(item)
            # What a view reads is marked after parse analysis (`markQueryForLocking`).
            in_text = item.query.view_item is None
            refusal = refusal_of_level(item.query, clause.words) if in_text else None
            if refusal is not None:
                clause.refusals.append(refusal)
                return
            _mark(clause, item.query.items, marks)
