"""Whether an index leads a claim to its rows, as far as the schema tells."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind, NullTestType
from pglast.stream import RawStream

from pglint_locks.model.locks.row_marks import RowMark
from pglint_locks.model.locks.sorting import sort_expressions
from pglint_locks.model.planner.flow import is_bounded, locking_level
from pglint_locks.model.planner.predicates import (
    column_names,
    column_parts,
    conjuncts,
    equalities,
    is_by_key,
)
from pglint_locks.model.queries.keys import knows_keys
from pglint_locks.model.queries.query import Query, RangeItem
from pglint_locks.schema.indexes import Index
from pglint_locks.sql.names import quoted
from pglint_locks.sql.parse import Unparsed, parse

_INDEXABLE = frozenset({"=", "<", "<=", ">", ">=", "@>", "<@", "&&", "?", "?|", "?&", "@@", "~~"})


class Served(Enum):
    """What the indexes of a table do for a claim: they lead to its rows, sort them, or nothing."""

    ROWS = 1
    ORDER = 2
    NOTHING = 3


class ClaimPath(NamedTuple):
    """How a claim comes to its rows.

    `tested` are the columns of WHERE, `sorted_by` those of ORDER BY; `wanted` is what CREATE
    INDEX would say of one that serves it: its columns, and as its condition the tests that are
    the same in each run.
    """

    served: Served
    tested: tuple[str, ...]
    sorted_by: tuple[str, ...]
    wanted: str


def claim_path(mark: RowMark) -> ClaimPath | None:
    """How a bounded claim of one table finds its rows; None where that is not known.

    Not asked of what is found by its key, and of a claim that tests no column, which takes
    whatever rows come first.
    """
    level, item = mark.level, mark.item
    relation = item.relation
    if relation is None or not knows_keys(item) or level is not locking_level(level):
        return None
    if not is_bounded(level) or len(level.items) != 1 or is_by_key(item):
        return None
    tests = list(conjuncts(getattr(level.node, "whereClause", None)))
    tested = dict.fromkeys(name for test in tests for name in sorted(column_names(test)))
    if not tested:
        return None
    order = [_column(each, item, level) for each in sort_expressions(level)]
    sorts = tuple(each for each in order if each is not None)
    return ClaimPath(
        _served(relation.indexes, tests, order[:1], item, level),
        tuple(tested),
        sorts if len(sorts) == len(order) else (),
        _index_for(tests, sorts, level),
    )


def _index_for(tests: list[ast.Node], sorts: tuple[str, ...], level: Query) -> str:
    """Equal columns first, then those of ORDER BY, then the others; states are its condition."""
    states = [test for test in tests if _is_state(test)]
    others = [test for test in tests if test not in states]
    equal = {each.column for each in equalities(level)}
    tested = [name for test in others for name in sorted(column_names(test))]
    first = [name for name in tested if name in equal]
    columns = dict.fromkeys((*first, *sorts, *tested)) or {
        name: None for test in states for name in sorted(column_names(test))
    }
    where = " AND ".join(str(RawStream()(test)) for test in states)
    return f"({', '.join(map(quoted, columns))})" + (f" WHERE {where}" if where else "")


def _is_state(test: ast.Node) -> bool:
    """Whether a test is the same in each run, and by no number."""
    if not _is_constant(test):
        return False
    value = getattr(test, "rexpr", None)
    values = value if isinstance(value, tuple) else (value,)
    return not any(isinstance(getattr(_bare(each), "val", None), ast.Integer) for each in values)


def _served(
    indexes: tuple[Index, ...],
    tests: list[ast.Node],
    first: list[str | None],
    item: RangeItem,
    level: Query,
) -> Served:
    sorts = False
    searched = {name for test in tests for name in _searched(test, item, level)}
    for index in indexes:
        if not index.valid or not index.keys:
            continue
        if index.predicate is not None:
            if not _implies(tests, index.predicate):
                continue
            return Served.ROWS
        key = index.keys[0]
        if key.column is None or key.column in searched:
            return Served.ROWS  # of an expression it is not known what is tested
        sorts = sorts or (key.column in first and index.method == "btree")
    return Served.ORDER if sorts else Served.NOTHING


def _column(node: ast.Node, item: RangeItem, level: Query) -> str | None:
    parts = column_parts(node)
    return parts[-1] if parts and level.resolve(parts) is item else None


def _searched(test: ast.Node, item: RangeItem, level: Query) -> Iterator[str]:
    """The columns by which an index could find the rows of a test; of an OR, any of its arms'."""
    if isinstance(test, ast.BoolExpr):
        for arm in test.args:
            yield from _searched(arm, item, level)
    elif isinstance(test, ast.NullTest):
        yield from filter(None, [_column(test.arg, item, level)])
    elif isinstance(test, ast.ColumnRef):
        yield from filter(None, [_column(test, item, level)])
    elif isinstance(test, ast.SubLink) and test.testexpr is not None:
        yield from filter(None, [_column(test.testexpr, item, level)])
    elif isinstance(test, ast.A_Expr):
        ranges = (A_Expr_Kind.AEXPR_BETWEEN, A_Expr_Kind.AEXPR_LIKE, A_Expr_Kind.AEXPR_IN)
        if test.kind in ranges or test.name[-1].sval in _INDEXABLE:
            for side in (test.lexpr, test.rexpr):
                if isinstance(side, ast.Node):
                    yield from filter(None, [_column(side, item, level)])


def _is_constant(test: ast.Node) -> bool:
    """Whether a test compares a column with constants of the text alone."""
    if isinstance(test, ast.NullTest):
        return bool(column_parts(test.arg))
    if not isinstance(test, ast.A_Expr) or not column_parts(test.lexpr):
        return isinstance(test, ast.ColumnRef)
    values = test.rexpr if isinstance(test.rexpr, tuple) else (test.rexpr,)
    return all(isinstance(_bare(value), ast.A_Const) for value in values)


# --- partial indexes --------------------------------------------------------------


def _implies(tests: list[ast.Node], predicate: str) -> bool:
    """Whether tests may imply an index's predicate (`predicate_implied_by`): in doubt they do."""
    known = {_normal(test) for test in tests}
    return all(
        _normal(part) in known or _may_follow(part, tests) for part in _conditions(predicate)
    )


def _may_follow(part: ast.Node, tests: list[ast.Node]) -> bool:
    """Whether a condition that no test repeats may follow from one all the same."""
    wanted = column_names(part)
    about = [test for test in tests if wanted & column_names(test)]
    if isinstance(part, ast.NullTest) and part.nulltesttype == NullTestType.IS_NOT_NULL:
        return any(not isinstance(test, ast.NullTest) for test in about)
    one = [test for test in about if _is_equality_with_constant(test)]
    if one and _is_equality_with_constant(part):
        return False  # another constant
    return bool(about)


def _is_equality_with_constant(test: ast.Node) -> bool:
    return (
        isinstance(test, ast.A_Expr)
        and test.kind == A_Expr_Kind.AEXPR_OP
        and test.name[-1].sval == "="
        and _is_constant(test)
    )


@lru_cache(maxsize=256)
def _conditions(predicate: str) -> tuple[ast.Node, ...]:
    parsed = parse(f"SELECT 1 WHERE {predicate}")
    return () if isinstance(parsed, Unparsed) else tuple(conjuncts(parsed.node.whereClause))


def _normal(node: ast.Node) -> str:
    """A simple test in a form that casts, qualifiers and the order of IN make no different."""
    if isinstance(node, ast.A_Expr) and isinstance(node.lexpr, ast.Node):
        values = node.rexpr if isinstance(node.rexpr, tuple) else (node.rexpr,)
        operator = node.name[-1].sval
        sides = sorted(_normal(value) for value in values if value is not None)
        return f"{_normal(node.lexpr)} {operator} {', '.join(sides)}"
    if isinstance(node, ast.NullTest):
        return f"{_normal(node.arg)} {node.nulltesttype.name}"
    bare = _bare(node)
    if isinstance(bare, ast.ColumnRef) and column_parts(bare):
        return column_parts(bare)[-1]
    return str(RawStream()(bare))


def _bare(node: ast.Node | None) -> ast.Node | None:
    while isinstance(node, ast.TypeCast):
        node = node.arg
    return node
