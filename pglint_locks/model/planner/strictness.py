"""Which items a condition cannot do without: with all their columns NULL it is not true.

Mirrors `find_nonnullable_rels`, after the planner's simplification of NOT.  Operators
and functions that are not PostgreSQL's own, or not known by name, count as strict:
the answer is then too large, never too small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import reduce

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, BoolTestType, NullTestType, SubLinkType

from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.joins import items_of_column, join_tree
from pglint_locks.model.planner.plan_levels import is_pulled_up
from pglint_locks.model.planner.predicates import conjuncts
from pglint_locks.model.planner.pushdown import parsed, reaching_down
from pglint_locks.model.planner.sub_links import becomes_join
from pglint_locks.model.queries.constants import UNKNOWN, fold_boolean
from pglint_locks.model.queries.functions import (
    is_never_strict,
    is_not_strict,
)
from pglint_locks.model.queries.query import Embedding, Query, RangeItem
from pglint_locks.sql.walk import descendants

Items = frozenset[RangeItem]

_NONE: Items = frozenset()

# Deeper expressions are not looked into: they count as strict in all of their columns.
_MAX_DEPTH = 500


class Place(Enum):
    """Where an expression stands: what follows if it is NULL.

    CONJUNCT: the row is dropped if it is NULL or false, reached through ANDs alone;
    CONDITION: the same, below an OR; ARGUMENT: of something that is NULL if it is.
    """

    CONJUNCT = 1
    CONDITION = 2
    ARGUMENT = 3


def needed_items(condition: ast.Node | None, scope: Query) -> Items:
    """The leaves of `scope`'s join tree (and of levels around it) that a condition needs.

    Those in its sub-SELECTs are among them where the condition is pushed down.
    """
    if is_never_true(condition):
        return _NONE  # folded to a constant: nothing is left to be strict
    return _union(
        reaching_down(part, _needs(part, scope, Place.CONJUNCT, negated=False, depth=0), scope)
        for conjunct in conjuncts(condition)
        for part in parsed(conjunct)
    )


def strict_items(expression: ast.Node, scope: Query) -> Items:
    """The leaves of `scope`'s join tree whose NULLs make an expression NULL."""
    return _needs(expression, scope, Place.ARGUMENT, negated=False, depth=0)


def _needs(node: ast.Node, scope: Query, place: Place, negated: bool, depth: int) -> Items:
    if depth > _MAX_DEPTH:
        return _anything_in(node, scope)
    argument = Place.ARGUMENT

    def of(part: ast.Node, where: Place = argument, negate: bool = False) -> Items:
        return _needs(part, scope, where, negate, depth + 1)

    match node:
        case ast.A_Const() | ast.BoolExpr() | ast.A_Expr() if fold_boolean(node) is not UNKNOWN:
            return _NONE
        case ast.BoolExpr() if node.boolop == BoolExprType.NOT_EXPR:
            return of(node.args[0], place, not negated)
        case ast.BoolExpr():
            is_and = (node.boolop == BoolExprType.AND_EXPR) != negated
            if is_and and place is not argument:
                return _union(of(arm, place, negated) for arm in node.args)
            inner = Place.CONDITION if place is Place.CONJUNCT else place
            return _common([of(arm, inner, negated) for arm in node.args if _can_vary(arm)])
        case ast.NullTest():
            tests_not_null = (node.nulltesttype == NullTestType.IS_NOT_NULL) != negated
            if place is argument or not tests_not_null:
                return _NONE
            row = _row_of(node.arg, scope)
            if row is not None:
                # A sub-SELECT that is pulled up is a row of expressions, each of which is
                # tested; below an outer join it is kept as one (`PlaceHolderVar`).
                if row.query is None or not is_pulled_up(row.query) or _may_be_null(row):
                    return _NONE
                tree = join_tree(row.query, row)
                if row.columns is None:
                    return frozenset(tree.items())
                return _union(frozenset(tree.column_items(column)) for column in row.columns)
            return of(node.arg)
        case ast.BooleanTest():
            return of(node.arg) if place is not argument and _drops_null(node, negated) else _NONE
        case ast.SubLink():
            return _of_sub_link(node, scope, place, negated, depth)
        case ast.A_Expr():
            return _of_operator(node, scope, place, negated, depth)
        case ast.ColumnRef():
            return frozenset(items_of_column(node, scope))
        case ast.TypeCast() | ast.CollateClause():
            return of(node.arg)
        case ast.FuncCall():
            *schema, name = (part.sval for part in node.funcname)
            if is_not_strict(schema[-1] if schema else None, name):
                return _NONE
            return _union(of(part) for part in node.args or ())
        case _ if is_never_strict(node):
            return _NONE
        case ast.CoalesceExpr():
            return of(node.args[0], place)
        case ast.RowExpr():
            return _union(of(part) for part in node.args or ())
        case ast.A_Indirection():
            subscripted = any(isinstance(part, ast.A_Indices) for part in node.indirection)
            return _NONE if subscripted else of(node.arg)
    return _anything_in(node, scope)


def _anything_in(node: ast.Node, scope: Query) -> Items:
    """What an expression might need, whatever is done with its columns."""
    return _union(
        frozenset(items_of_column(part, scope))
        for part in descendants(node)
        if isinstance(part, ast.ColumnRef)
    )


def _union(parts: Iterable[Items]) -> Items:
    return _NONE.union(*parts)


def _common(arms: Sequence[Items]) -> Items:
    """What all arms of an OR need."""
    return reduce(lambda one, other: one & other, arms) if arms else _NONE


def _can_vary(arm: ast.Node) -> bool:
    """Whether an arm of an OR counts: a constant is folded away, and is then not true."""
    return any(isinstance(part, ast.ColumnRef | ast.SubLink) for part in descendants(arm))


def _row_of(node: ast.Node, scope: Query) -> RangeItem | None:
    """The item whose whole row an expression is: IS NOT NULL is not strict for a table's."""
    if not isinstance(node, ast.ColumnRef):
        return None
    names = [part.sval for part in node.fields if isinstance(part, ast.String)]
    if not names or (len(names) > 1 and len(names) == len(node.fields)):
        return None
    return next(
        (item for items in scope.visible() for item in items if item.refname == names[-1]), None
    )


def _may_be_null(item: Embedding) -> bool:
    """Whether an item stands on a side of an outer join, here or where its level is pulled up."""
    while isinstance(item, RangeItem):
        if any(item in join.nullable for join in joins(item.holder)):
            return True
        item = item.holder.embedding if is_pulled_up(item.holder) else None
    return False


def _drops_null(test: ast.BooleanTest, negated: bool) -> bool:
    """Whether a test is not true for NULL: IS TRUE, IS FALSE, IS NOT UNKNOWN."""
    plain = (BoolTestType.IS_TRUE, BoolTestType.IS_FALSE, BoolTestType.IS_NOT_UNKNOWN)
    return (test.booltesttype in plain) != negated


# --- sub-links --------------------------------------------------------------------


def _of_sub_link(node: ast.SubLink, scope: Query, place: Place, negated: bool, depth: int) -> Items:
    if negated or place is Place.ARGUMENT:
        return _NONE
    if node.subLinkType == SubLinkType.ANY_SUBLINK:
        return _needs(node.testexpr, scope, Place.ARGUMENT, False, depth + 1)
    if node.subLinkType == SubLinkType.EXISTS_SUBLINK and place is Place.CONJUNCT:
        link = next((link for link in scope.sub_links if link.node is node), None)
        if link is not None and becomes_join(link):
            return _needs_where(link.query, depth)
    return _NONE


def _needs_where(inner: Query, depth: int) -> Items:
    condition = inner.node.whereClause
    if condition is None:
        return _NONE
    return _needs(condition, inner, Place.CONJUNCT, False, depth + 1)


# --- operators --------------------------------------------------------------------


def _of_operator(node: ast.A_Expr, scope: Query, place: Place, negated: bool, depth: int) -> Items:
    def of(part: object, where: Place = Place.ARGUMENT) -> Items:
        if isinstance(part, ast.Node):
            return _needs(part, scope, where, False, depth + 1)
        return _NONE

    left, right = node.lexpr, node.rexpr
    match node.kind:
        case A_Expr_Kind.AEXPR_OP:
            return _of_plain_operator(node, scope, place, negated, depth)
        case A_Expr_Kind.AEXPR_OP_ANY if not negated:
            return of(left) | of(right)
        case A_Expr_Kind.AEXPR_OP_ANY | A_Expr_Kind.AEXPR_OP_ALL:
            # Strict only over an array that is known not to be empty.
            folds = not any(
                isinstance(part, ast.ColumnRef | ast.SubLink) for part in descendants(right)
            )
            return of(left) if folds else _NONE
        case A_Expr_Kind.AEXPR_DISTINCT | A_Expr_Kind.AEXPR_NOT_DISTINCT:
            tests_not_null = (node.kind == A_Expr_Kind.AEXPR_DISTINCT) != negated
            if place is Place.ARGUMENT or not tests_not_null:
                return _NONE
            if _is_null(right):
                return of(left)
            return of(right) if _is_null(left) else _NONE
        case A_Expr_Kind.AEXPR_NULLIF:
            return _NONE
        case A_Expr_Kind.AEXPR_IN:
            equal = (node.name[-1].sval == "=") != negated
            varying = [element for element in right if _can_vary(left) or _can_vary(element)]
            arms = [_of_pair(left, element, of, equal, place) for element in varying]
            return _common(arms) if equal or place is Place.ARGUMENT else _union(arms)
        case A_Expr_Kind.AEXPR_BETWEEN | A_Expr_Kind.AEXPR_BETWEEN_SYM:
            bounds = [of(left) | of(bound) for bound in right]
            return _common(bounds) if negated or place is Place.ARGUMENT else _union(bounds)
        case A_Expr_Kind.AEXPR_NOT_BETWEEN | A_Expr_Kind.AEXPR_NOT_BETWEEN_SYM:
            bounds = [of(left) | of(bound) for bound in right]
            return _union(bounds) if negated and place is not Place.ARGUMENT else _common(bounds)
    return of(left) | of(right)


def _of_plain_operator(
    node: ast.A_Expr, scope: Query, place: Place, negated: bool, depth: int
) -> Items:
    def of(part: object, where: Place = Place.ARGUMENT, negate: bool = False) -> Items:
        if isinstance(part, ast.Node):
            return _needs(part, scope, where, negate, depth + 1)
        return _NONE

    left, right, operator = node.lexpr, node.rexpr, node.name[-1].sval
    if _is_null(left) or _is_null(right):
        return _NONE  # folded to NULL: nothing is left to be strict
    if operator in ("=", "<>"):
        # `condition = true` is simplified to the condition, `= false` to its negation.
        for one, other in ((left, right), (right, left)):
            value = _boolean(other)
            if value is not None:
                return of(one, place, negated != (value != (operator == "=")))
    if isinstance(left, ast.RowExpr):
        if operator not in ("=", "<>"):
            return _NONE  # a RowCompareExpr
        every = (operator == "=") != negated
        return _of_pair(left, right, of, every, place)
    return of(left) | of(right)


def _of_pair(
    left: object, right: object, of: Callable[[object], Items], every: bool, place: Place
) -> Items:
    """`left = right`, where both may be rows: `every` column must compare, or any."""
    if not isinstance(left, ast.RowExpr):
        return of(left) | of(right)
    others = right.args if isinstance(right, ast.RowExpr) else [None] * len(left.args)
    if not isinstance(right, ast.RowExpr | ast.SubLink):
        return _union([of(left), of(right)])
    parts = [of(one) | of(other) for one, other in zip(left.args, others, strict=False)]
    return _union(parts) if every and place is not Place.ARGUMENT else _common(parts)


def is_never_true(condition: ast.Node | None) -> bool:
    """Whether FALSE or NULL is written as a condition, by itself or beside AND."""
    return any(fold_boolean(part) in (None, False) for part in conjuncts(condition))


def _is_null(node: object) -> bool:
    return isinstance(node, ast.A_Const) and bool(node.isnull)


def _boolean(node: object) -> bool | None:
    """The value of what is TRUE or FALSE; None for everything else."""
    value = fold_boolean(node)
    return value if isinstance(value, bool) else None
