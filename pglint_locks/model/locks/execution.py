"""Queries that are never run, or read only in part (`SS_process_ctes`, `ExecCteScan`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pglint_locks.model.locks.row_marks import LockingClause
from pglint_locks.model.planner.flow import is_bounded, reads_whole_input, row_limit
from pglint_locks.model.planner.unread import unread_item
from pglint_locks.model.queries.constants import UNKNOWN, Unknown
from pglint_locks.model.queries.query import (
    Cte,
    Query,
    RangeItem,
    SubLink,
    SubLinkKind,
)


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
    if unread_item(query) is not None:
        return False
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
