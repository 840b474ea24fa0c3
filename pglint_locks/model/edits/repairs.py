"""Edits of a locking clause: its strength, its OF list, its wait policy, its ORDER BY.

Each replaces words that stand in the statement, and no comment; where that cannot be done
there are no edits.
"""

from __future__ import annotations

from pglint_locks.model.edits.words import Edits, appended, like, prepended, removed, replaced
from pglint_locks.model.locks.row_marks import LockingClause, RowMark, Strength
from pglint_locks.model.locks.ties import tie_breaker
from pglint_locks.model.planner.flow import locking_level
from pglint_locks.model.queries.keys import is_key
from pglint_locks.model.queries.query import Cte, ItemKind, Query, RangeItem
from pglint_locks.sql.names import quoted

_NO_EDITS: Edits = ()
_WORDS = {Strength.FOR_UPDATE: 1, Strength.FOR_SHARE: 1, Strength.FOR_KEY_SHARE: 2}


def with_strength(clause: LockingClause, strength: Strength) -> Edits:
    """The clause with another strength."""
    if clause.is_inherited or clause.strength not in _WORDS:
        return _NO_EDITS
    first = _first(clause) + 1
    last = first + _WORDS[clause.strength] - 1
    words = str(strength).split()[1:]
    return replaced(clause.statement, first, last, _like(clause, " ".join(words)))


def with_skip_locked(clause: LockingClause) -> Edits:
    """The clause, which waits, with SKIP LOCKED."""
    if clause.is_inherited:
        return _NO_EDITS
    tokens = clause.statement.tokens
    last = tokens.index_at(clause.text.span.end - 1)
    return (appended(clause.statement, last, _like(clause, " SKIP LOCKED")),)


def with_names(clause: LockingClause, names: list[str]) -> Edits:
    """The clause with an OF list of these names; a list that it has is taken for theirs."""
    if clause.is_inherited or not names or _stand_for_others(clause, names):
        return _NO_EDITS
    listed = ", ".join(quoted(name) for name in names)
    tokens, statement = clause.statement.tokens, clause.statement
    if clause.text.names:
        first = tokens.index_at(clause.text.names[0].start)
        last = tokens.index_at(clause.text.names[-1].end - 1)
        return replaced(statement, first, last, listed)
    strength_words = len(str(clause.strength).split())
    last = _first(clause) + strength_words - 1
    return (appended(statement, last, f"{_like(clause, ' OF ')}{listed}"),)


def ordered_by_key(clause: LockingClause, mark: RowMark) -> Edits:
    """ORDER BY the key of a mark's table at the level of the clause, which has no ORDER BY.

    The key is the primary key that the schema tells of, or else a column that the level names
    and that reads as a key.
    """
    level = clause.query
    item = mark.item
    if clause.is_inherited or level is not mark.level or level is not locking_level(level):
        return _NO_EDITS
    key = _key_of(level, item)
    if level.node.sortClause or not key or item.refname is None:
        return _NO_EDITS
    if _stand_for_others(clause, [*key, item.refname]):
        return _NO_EDITS
    at = _first_tail_word(clause)
    listed = ", ".join(_qualified(level, item.refname, column) for column in key)
    return (prepended(clause.statement, at, f"{_like(clause, 'ORDER BY ')}{listed} "),)


def ordered_without_ties(clause: LockingClause, mark: RowMark) -> Edits:
    """A unique key of a mark's table at the end of the ORDER BY of its level."""
    level, item = mark.level, mark.item
    key = tie_breaker(mark)
    if clause.is_inherited or clause.query is not level or not key or item.refname is None:
        return _NO_EDITS
    if _stand_for_others(clause, [*key, item.refname]):
        return _NO_EDITS
    statement = clause.statement
    order = statement.order_clause(level)
    last = statement.tokens.index_from(order.end - statement.start) - 1
    listed = ", ".join(_qualified(level, item.refname, column) for column in key)
    return (appended(statement, last, f", {listed}"),)


def _key_of(level: Query, item: RangeItem) -> tuple[str, ...]:
    """The columns of a table's key; none where that is not known, or not which of several."""
    if item.relation is not None and item.relation.primary_key:
        return item.relation.primary_key
    named: set[str] = {
        column.parts[-1]
        for column in level.columns
        if level.resolve(column.parts) is item and is_key(item, column.parts[-1])
    }
    return tuple(named) if len(named) == 1 else ()


def _qualified(level: Query, refname: str, column: str) -> str:
    """A column as ORDER BY can name it: an output column of its name would come first."""
    alone = len(level.items) == 1 and not any(each.name for each in level.node.targetList or ())
    return quoted(column) if alone else f"{quoted(refname)}.{quoted(column)}"


def _first_tail_word(clause: LockingClause) -> int:
    """Index of the first of LIMIT, OFFSET, FETCH and FOR at the clause's level."""
    statement, level = clause.statement, clause.query
    tokens = statement.tokens
    starts = [clause.text.span.start]
    if level.node.limitCount is not None:
        starts.append(statement.limit_clause(level).start - statement.start)
    if level.node.limitOffset is not None:
        starts.append(statement.offset_clause(level).start - statement.start)
    return tokens.index_at(min(starts))


def moved_into(clause: LockingClause, cte: Cte) -> Edits:
    """The clause at the end of a WITH query that reads a table, and no longer in its place."""
    statement = clause.statement
    tokens = statement.tokens
    if clause.is_inherited or not _reads_table(cte.query):
        return _NO_EDITS
    first = _first(clause)
    last = tokens.index_at(clause.text.span.end - 1)
    taken_out = removed(statement, first, last)
    body_end = tokens.closing(tokens.body_of_with_query(cte.location)) - 1
    if taken_out is None or clause.names_tables:
        return _NO_EDITS
    words = tokens.words(clause.text.span)
    return (appended(statement, body_end, f" {words}"), taken_out)


def _reads_table(query: Query) -> bool:
    return any(item.kind is ItemKind.TABLE for item in query.items)


def _stand_for_others(clause: LockingClause, names: list[str]) -> bool:
    """Whether a name stands for one that is not known, or for a value from outside."""
    return any(name in clause.statement.parameters for name in names)


def _first(clause: LockingClause) -> int:
    return clause.statement.tokens.index_at(clause.text.span.start)


def _like(clause: LockingClause, words: str) -> str:
    """Keywords in the letters that the clause's own are written in."""
    return like(clause.statement.tokens, _first(clause), words)
