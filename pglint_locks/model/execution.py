"""Queries that are never run, or read only in part (`SS_process_ctes`, `ExecCteScan`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.constants import UNKNOWN, Unknown
from pglint_locks.model.flow import is_bounded, reads_whole_input, row_limit
from pglint_locks.model.join_sides import Join, joins
from pglint_locks.model.locks import LockingClause
from pglint_locks.model.predicates import column_parts, conjuncts, equal_sides
from pglint_locks.model.queries import (
    Clause,
    Column,
    Cte,
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants


def unread_cte(query: Query) -> Cte | None:
    """The innermost WITH query around a level that is never run; None if all of them are."""
    level: Query | None = query
    while level is not None:
        if isinstance(level.embedding, Cte) and not _is_run(level.embedding, frozenset()):
            return level.embedding
        level = level.parent
    return None


def _is_run(cte: Cte, asked: frozenset[Cte]) -> bool:
    """Whether a WITH query is run: it writes, or something reads it that is itself run."""
    if cte.query.is_write:
        return True
    asked |= {cte}
    return any(_is_level_run(item.holder, asked) for item in cte.references)


def _is_level_run(query: Query, asked: frozenset[Cte]) -> bool:
    level: Query | None = query
    while level is not None:
        cte = level.embedding
        if isinstance(cte, Cte) and (cte in asked or not _is_run(cte, asked)):
            return False
        level = level.parent
    return True


def is_run(clause: LockingClause) -> bool:
    """Whether the statement runs a clause's level, as far as the text tells."""
    query = clause.query
    return unread_cte(query) is None and unread_item(query) is None


# --- what the planner leaves out of FROM ------------------------------------------


def unread_item(query: Query) -> RangeItem | None:
    """The FROM sub-SELECT because of which a level around or below is never run.

    Nobody reads the output column that the level is computed for
    (`remove_unused_subquery_outputs`), or the whole join is removed (`join_is_removable`).
    """
    level: Query | None = query
    while level is not None:
        embedding = level.embedding
        if isinstance(embedding, SubLink) and embedding.standing.clause is Clause.TARGET:
            item = embedding.holder.embedding
            if isinstance(item, RangeItem) and _is_column_unread(item, embedding):
                return item
        elif isinstance(embedding, RangeItem) and _is_join_removed(embedding):
            return embedding
        level = level.parent
    return None


def _is_column_unread(item: RangeItem, link: SubLink) -> bool:
    node = link.holder.node
    if link.holder.kind is not QueryKind.SELECT or item.columns is None:
        return False
    if node.distinctClause or node.sortClause or node.groupClause or link.holder.is_arm:
        return False
    targets = node.targetList or ()
    for name, target in zip(item.columns, targets, strict=False):
        if any(node is link.node for node in descendants(target)):
            return not _is_read(item, name)
    return False


def _is_read(item: RangeItem, column: str) -> bool:
    """Whether an item's column is named at its level or below."""
    return any(
        reference.parts[-1] in (column, "*", item.refname) and _may_mean(item, level, reference)
        for level in item.holder.levels()
        for reference in level.columns
    )


def _may_mean(item: RangeItem, level: Query, reference: Column) -> bool:
    """Whether a column reference is one to an item; a lone `*` and a join's name are too."""
    if reference.parts == ("*",):
        return level is item.holder
    found = level.resolve(reference.parts)
    return found is item or (found is not None and found.kind is ItemKind.JOIN)


def _is_join_removed(item: RangeItem) -> bool:
    """Whether a LEFT JOIN to a sub-SELECT of distinct rows gives nothing that is read."""
    if item.query is None or item.columns is None:
        return False
    node = item.query.node
    if not (getattr(node, "distinctClause", None) or getattr(node, "groupClause", None)):
        return False
    own = [join for join in joins(item.holder) if item in (*join.left, *join.right)]
    if len(own) != 1 or own[0].nullable != (item,):
        return False
    is_read = any(
        reference.standing.clause is not Clause.ON and _may_mean(item, level, reference)
        for level in item.holder.levels()
        for reference in level.columns
    )
    return not is_read and _matches_one_row(own[0], item)


def _matches_one_row(join: Join, item: RangeItem) -> bool:
    """Whether ON holds all the columns equal that a sub-SELECT's rows differ in."""
    assert item.query is not None
    assert item.columns is not None
    grouped = item.query.node.groupClause or ()
    distinct = set(item.columns[: len(grouped)] if grouped else item.columns)
    held: set[str] = set()
    for node in conjuncts(join.condition):
        for side, _ in equal_sides(node):
            parts = column_parts(side)
            if parts and item.holder.resolve(parts) is item:
                held.add(parts[-1])
    return distinct <= held


# --- what is read in part ---------------------------------------------------------


class PartialRead(NamedTuple):
    """A WITH query is read only until `rows` rows of it are fetched.

    `reader` is the level that stops: it has a LIMIT, or it stands in an EXISTS.
    """

    cte: Cte
    reader: Query
    rows: int | Unknown


def partial_read(query: Query) -> PartialRead | None:
    """How a WITH query around a level is read, where each reading of it stops early.

    None where something reads it whole, or where it gives no more than is fetched.
    """
    cte = _cte_fed_by(query)
    if cte is None or cte.query.is_write:
        return None
    found: list[PartialRead] = []
    for item in cte.references:
        if _is_level_run(item.holder, frozenset()):
            read = _partial(cte, item, frozenset())
            if not read:
                return None
            found += read
    return found[0] if found else None


def _cte_fed_by(query: Query) -> Cte | None:
    """The WITH query that gives a level's rows one by one, all of them."""
    level = query
    while not is_bounded(level) and not (level is not query and reads_whole_input(level)):
        match level.embedding:
            case RangeItem() as item if len(item.holder.items) == 1:
                level = item.holder
            case Cte() as cte:
                return cte
            case _:
                return None
    return None


def _partial(cte: Cte, item: RangeItem, passed: frozenset[Query]) -> list[PartialRead]:
    """The readings that stop early, of the rows that come through an item; [] if one does not.

    A join may take all rows before it gives its first: then nothing is said.
    """
    level = item.holder
    if level.is_write or level in passed or len(level.items) > 1:
        return []
    return list(_stops(cte, level, passed | {level}))


def _stops(cte: Cte, level: Query, passed: frozenset[Query]) -> Iterator[PartialRead]:
    if reads_whole_input(level):
        return
    if is_bounded(level):
        limit = row_limit(level)
        yield PartialRead(cte, level, UNKNOWN if limit is None else limit)
        return
    match level.embedding:
        case SubLink(kind=SubLinkKind.EXISTS) if not level.reads_outside(level):
            yield PartialRead(cte, level, 1)
        case RangeItem() as item:
            yield from _partial(cte, item, passed)
        case Cte(references=references):
            found = [_partial(cte, item, passed) for item in references]
            if all(found):
                yield from (read for reads in found for read in reads)


def cte_readers(cte: Cte) -> Iterator[Cte]:
    """The WITH queries whose bodies read a WITH query."""
    for item in cte.references:
        level: Query | None = item.holder
        while level is not None:
            if isinstance(level.embedding, Cte) and level.embedding is not cte:
                yield level.embedding
                break
            level = level.parent
