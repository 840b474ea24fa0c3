"""What the server refuses, in its own words and order.

Parse analysis first (`checkWellFormedRecursion`, `CheckSelectLocking`,
`transformLockingClause`), then the cursor's options (`transformDeclareCursorStmt`), the
planner (`make_outerjoininfo`), and what is only tested when the command runs
(`CommandIsReadOnly`, `ExecCheckXactReadOnly`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from pglast import ast

from pglint_locks.model.locks.recursion import misplaced_reference, refuses_lock_atop
from pglint_locks.model.queries.functions import is_aggregate, is_set_returning
from pglint_locks.model.queries.query import Call, Clause, ItemKind, Query, QueryKind
from pglint_locks.schema.catalog import RelationKind
from pglint_locks.sql.standins import is_stand_in
from pglint_locks.sql.walk import textual_children


class RefusalKind(Enum):
    """Which of the server's tests refuses a clause."""

    GROUPING = "grouping"
    NAME = "name"
    NULLABLE_SIDE = "nullable side"
    NONVOLATILE = "non-volatile function"
    READ_ONLY = "read-only transaction"
    CURSOR = "cursor"
    UNLOCKABLE = "unlockable"


class Refusal(NamedTuple):
    """A clause that the server refuses: its message and SQLSTATE.

    `name` is the index of the OF name that it speaks of, where it does.
    """

    kind: RefusalKind
    message: str
    sqlstate: str
    name: int | None = None


_FEATURE_NOT_SUPPORTED = "0A000"
_SYNTAX_ERROR = "42601"
_UNDEFINED_TABLE = "42P01"
_INVALID_CURSOR_DEFINITION = "42P11"
_READ_ONLY_SQL_TRANSACTION = "25006"
_INVALID_RECURSION = "42P19"
_WRONG_OBJECT_TYPE = "42809"


# Parse analysis adds the expressions of these clauses to the target list.
_TARGET_CLAUSES = {Clause.TARGET, Clause.ORDER, Clause.DISTINCT}

# `parsenodes.h`; pglast has no enum of them.
_CURSOR_OPT_SCROLL = 0x0002
_CURSOR_OPT_INSENSITIVE = 0x0008
_CURSOR_OPT_HOLD = 0x0020

_CANNOT_LOCK = {
    ItemKind.JOIN: "a join",
    ItemKind.FUNCTION: "a function",
    ItemKind.TABLE_FUNCTION: "a table function",
    ItemKind.CTE: "a WITH query",
    ItemKind.TRANSITION_TABLE: "a named tuplestore",
}


def refusal_of_statement(query: Query, words: str) -> Refusal | None:
    """Why a clause may not stand at a level at all, before its tables are looked at."""
    if refuses_lock_atop(query):
        message = "FOR UPDATE/SHARE in a recursive query is not implemented"
        return Refusal(RefusalKind.GROUPING, message, _FEATURE_NOT_SUPPORTED)
    if query.kind is QueryKind.VALUES:
        message = f"{words} cannot be applied to VALUES"
        return Refusal(RefusalKind.NAME, message, _FEATURE_NOT_SUPPORTED)
    if query.is_arm and query.parent is not None:
        return refusal_of_level(query.parent, words)
    return refusal_of_level(query, words)


def refusal_of_recursion(names: Sequence[ast.RangeVar] | None, query: Query) -> Refusal | None:
    """Why a name in OF is refused before anything else is looked at: see `recursion`."""
    for index, relation in enumerate(names or ()):
        message = misplaced_reference(relation, query)
        if message is not None:
            return Refusal(RefusalKind.NAME, message, _INVALID_RECURSION, index)
    return None


def refusal_of_name(relation: ast.RangeVar, index: int, query: Query, words: str) -> Refusal | None:
    """Why a name in OF is refused; `index` is its place in the list."""
    if relation.schemaname or relation.catalogname:
        message = f"{words} must specify unqualified relation names"
        return Refusal(RefusalKind.NAME, message, _SYNTAX_ERROR, index)
    item = query.item_named(relation.relname)
    if item is None:
        names = (relation.relname, *(each.refname or "" for each in query.items))
        if any(is_stand_in(name) for name in names):
            return None  # either may stand for the other
        message = f'relation "{relation.relname}" in {words} clause not found in FROM clause'
        return Refusal(RefusalKind.NAME, message, _UNDEFINED_TABLE, index)
    if item.kind in _CANNOT_LOCK:
        message = f"{words} cannot be applied to {_CANNOT_LOCK[item.kind]}"
        return Refusal(RefusalKind.NAME, message, _FEATURE_NOT_SUPPORTED, index)
    return None


def refusal_of_level(query: Query, words: str) -> Refusal | None:
    """Why a clause may not lock the rows of a level, directly or pushed down into it."""
    node = query.node
    if query.kind is QueryKind.SET_OPERATION:
        what = "UNION/INTERSECT/EXCEPT"
    elif node.distinctClause:
        what = "DISTINCT clause"
    elif node.groupClause:
        what = "GROUP BY clause"
    elif node.havingClause:
        what = "HAVING clause"
    elif _has_aggregates(query):
        what = "aggregate functions"
    elif any(call.windowed for call in query.calls):
        what = "window functions"
    elif _has_target_srfs(query):
        what = "set-returning functions in the target list"
    else:
        return None
    message = f"{words} is not allowed with {what}"
    return Refusal(RefusalKind.GROUPING, message, _FEATURE_NOT_SUPPORTED)


def refusal_of_restricted_level(query: Query, words: str) -> Refusal | None:
    """The same of a level that a condition from above is pushed down into.

    Beside aggregates it becomes a HAVING clause (`subquery_push_qual`), which is told first.
    """
    refusal = refusal_of_level(query, words)
    if refusal is not None and refusal.message.endswith("aggregate functions"):
        return refusal._replace(message=f"{words} is not allowed with HAVING clause")
    return refusal


def _has_aggregates(query: Query) -> bool:
    """Whether an aggregate belongs to a level (`check_agg_arguments`).

    One of its own does, and one in a sub-link below all of whose columns are this level's.
    """
    return any(
        is_aggregate(call) and _aggregate_level(call, level) is query
        for level in query.levels()
        for call in level.calls
    )


def _aggregate_level(call: Call, stands_in: Query) -> Query:
    """The level that an aggregate belongs to: the innermost of its columns' levels."""
    columns = _argument_columns(call.node)
    levels = [item.holder for parts in columns if (item := stands_in.resolve(parts)) is not None]
    if len(levels) < len(columns) or not levels:
        return stands_in
    return max(levels, key=_nesting)


def _nesting(query: Query) -> int:
    depth = 0
    while query.parent is not None:
        query = query.parent
        depth += 1
    return depth


def _argument_columns(call: ast.Node) -> list[tuple[str, ...]]:
    columns: list[tuple[str, ...]] = []
    stack = list(textual_children(call))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ColumnRef):
            columns.append(
                tuple(part.sval if isinstance(part, ast.String) else "*" for part in node.fields)
            )
        elif not isinstance(node, ast.SubLink | ast.WindowDef):
            stack.extend(textual_children(node))
    return columns


def _has_target_srfs(query: Query) -> bool:
    """Whether a set-returning function stands in the target list."""
    return any(
        is_set_returning(call) and call.standing.clause in _TARGET_CLAUSES for call in query.calls
    )


# --- after parse analysis ---------------------------------------------------------


def refusal_of_cursor(declared: ast.DeclareCursorStmt, words: str) -> Refusal | None:
    """Why a cursor may not have a locking clause at its query's own level."""
    options = declared.options
    if options & _CURSOR_OPT_HOLD:
        message = f"DECLARE CURSOR WITH HOLD ... {words} is not supported"
    elif options & _CURSOR_OPT_SCROLL:
        message = f"DECLARE SCROLL CURSOR ... {words} is not supported"
    elif options & _CURSOR_OPT_INSENSITIVE:
        message = f"DECLARE INSENSITIVE CURSOR ... {words} is not valid"
        return Refusal(RefusalKind.CURSOR, message, _INVALID_CURSOR_DEFINITION)
    else:
        return None
    return Refusal(RefusalKind.CURSOR, message, _FEATURE_NOT_SUPPORTED)


def refusal_of_scroll_in_body() -> Refusal:
    """Why a PL/pgSQL cursor may not scroll over a query that locks (`SPI_cursor_open`)."""
    message = "DECLARE SCROLL CURSOR ... FOR UPDATE/SHARE is not supported"
    return Refusal(RefusalKind.CURSOR, message, _FEATURE_NOT_SUPPORTED)


def refusal_of_nullable_side(words: str) -> Refusal:
    """A row that an outer join makes up of NULLs cannot be locked."""
    message = f"{words} cannot be applied to the nullable side of an outer join"
    return Refusal(RefusalKind.NULLABLE_SIDE, message, _FEATURE_NOT_SUPPORTED)


def refusal_of_relation(kind: RelationKind, name: str) -> Refusal:
    """Why rows of a materialized view or a sequence cannot be locked (`CheckValidRowMarkRel`)."""
    message = f'cannot lock rows in {kind.value} "{name}"'
    return Refusal(RefusalKind.UNLOCKABLE, message, _WRONG_OBJECT_TYPE)


def refusal_in_function(command: str) -> Refusal:
    """What a STABLE or IMMUTABLE function may not run; `command` as `command_name` has it."""
    message = f"{command} is not allowed in a non-volatile function"
    return Refusal(RefusalKind.NONVOLATILE, message, _FEATURE_NOT_SUPPORTED)


def refusal_in_transaction(command: str) -> Refusal:
    """What a READ ONLY transaction may not run."""
    message = f"cannot execute {command} in a read-only transaction"
    return Refusal(RefusalKind.READ_ONLY, message, _READ_ONLY_SQL_TRANSACTION)
