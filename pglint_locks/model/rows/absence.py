"""Tests of whether rows exist, made over rows of which the locked ones were skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglast import ast
from pglast.enums import LockWaitPolicy, NullTestType, SetOperation

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.planner.flow import levels_above, readers
from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.predicates import column_parts, conjuncts
from pglint_locks.model.queries.query import (
    Clause,
    Cte,
    ItemKind,
    Query,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants


class AbsenceTest(NamedTuple):
    """A place where a skipped row counts as one that is not there.

    `link` is the sub-link that tests, if one does; else the rows of `query` are taken off
    by EXCEPT or an anti-join, as `words` say.
    """

    words: str
    link: SubLink | None
    query: Query


def absence_tests(mark: RowMark) -> Iterator[AbsenceTest]:
    """The tests that a mark's rows go into, nearest first.

    Not those over a WITH query that a write of the statement reads as well: they ask what
    was claimed.  Nor EXISTS as the condition of rows of the same table: it is a claim.
    """
    for level in levels_above(mark.level):
        if isinstance(level.embedding, Cte) and _feeds_a_write(level, mark):
            return
        embedding = level.embedding
        if isinstance(embedding, SubLink):
            words = _test_words(embedding)
            if words is not None and not _is_claims_condition(embedding, mark):
                yield AbsenceTest(words, embedding, level)
        elif level.is_arm and _is_taken_off(level):
            yield AbsenceTest("EXCEPT", None, mark.level)
        for item in _items_reading(level):
            if is_anti_joined(item):
                yield AbsenceTest("an outer join with IS NULL", None, mark.level)


def _feeds_a_write(query: Query, mark: RowMark) -> bool:
    """Whether the rows of a WITH query, not just their being there, go into a write."""
    seen = {query}
    front = [query]
    while front:
        level = front.pop()
        above = list(readers(level))
        link = level.embedding
        if isinstance(link, SubLink) and (
            _test_words(link) is None or _is_claims_condition(link, mark)
        ):
            above.append(link.holder)
        for reader in above:
            if reader.is_write:
                return True
            if reader not in seen:
                seen.add(reader)
                front.append(reader)
    return False


def _test_words(link: SubLink) -> str | None:
    """How a sub-link asks whether rows are there; None if it asks for something else."""
    negated = link.standing.negated
    match link.kind:
        case SubLinkKind.EXISTS:
            return "NOT EXISTS" if negated else "EXISTS"
        case SubLinkKind.ANY if negated and _operator(link) == "=":
            return "NOT IN"
        case SubLinkKind.ALL if _operator(link) in ("<>", "!="):
            return "<> ALL"
        case SubLinkKind.SCALAR:
            return _null_test_words(link)
    return None


def _operator(link: SubLink) -> str:
    operator = link.node.operName
    return str(operator[-1].sval) if operator else "="


def _null_test_words(link: SubLink) -> str | None:
    for node in descendants(link.holder.node):
        if isinstance(node, ast.NullTest) and node.arg is link.node:
            is_null = node.nulltesttype == NullTestType.IS_NULL
            return "IS NULL" if is_null else "IS NOT NULL"
    return None


def _is_claims_condition(link: SubLink, mark: RowMark) -> bool:
    """Whether EXISTS is a condition of a claim, which is to pass held rows over.

    That is `IN` spelt otherwise where it lets through rows of the very table that it
    locks, and a try at another table's row where its level skips locked rows itself.
    """
    standing, level = link.standing, link.query
    if link.kind is not SubLinkKind.EXISTS or standing.negated:
        return False
    if any(
        clause.waitPolicy == LockWaitPolicy.LockWaitSkip
        for clause in getattr(link.holder.node, "lockingClause", None) or ()
    ):
        return standing.clause is Clause.WHERE
    if not standing.conjunct:
        return False
    return standing.clause is Clause.WHERE and any(
        item.table is not None
        and item.table.same_table(mark.table)
        and level.reads_from(link.holder, item)
        for item in link.holder.named_items()
    )


def _is_taken_off(arm: Query) -> bool:
    """Whether an arm stands on the right of an EXCEPT."""
    assert arm.parent is not None
    stack = [(arm.parent.node, False)]
    while stack:
        node, taken_off = stack.pop()
        if node is arm.node:
            return taken_off
        if node.larg is not None:
            excepts = node.op == SetOperation.SETOP_EXCEPT
            stack += [(node.larg, taken_off), (node.rarg, taken_off or excepts)]
    return False


def _items_reading(level: Query) -> Iterator[RangeItem]:
    embedding = level.embedding
    if isinstance(embedding, RangeItem):
        yield embedding
    elif embedding is not None and not isinstance(embedding, SubLink):
        yield from embedding.references


def is_anti_joined(item: RangeItem) -> bool:
    """Whether an outer join fills an item up with NULLs and WHERE keeps only those rows."""
    return is_filled_up(item) and any(
        isinstance(node, ast.NullTest)
        and node.nulltesttype == NullTestType.IS_NULL
        and (parts := column_parts(node.arg))
        and item.holder.resolve(parts) is item
        for node in conjuncts(getattr(item.holder.node, "whereClause", None))
    )


def is_filled_up(item: RangeItem) -> bool:
    """Whether an item stands on the nullable side of an outer join."""
    return item.kind is not ItemKind.JOIN and any(
        item in join.nullable for join in joins(item.holder)
    )
