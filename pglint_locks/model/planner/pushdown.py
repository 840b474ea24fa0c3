"""Which conditions reach into a FROM sub-SELECT that is planned on its own (`subquery_push_qual`).

Only what restricts that sub-SELECT alone is pushed down.  A join's condition is not, but an
equality with a constant is carried on to what else is equal (`generate_base_implied_equalities`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, SubLinkType

from pglint_locks.model.planner.equalities import equalities, pairs_of
from pglint_locks.model.planner.joins import Branch
from pglint_locks.model.planner.members import (
    UNSEEN,
    Member,
    columns_in,
    leaf_at,
    member_in,
    member_of,
)
from pglint_locks.model.planner.plan_levels import plan_level
from pglint_locks.model.queries.constants import UNKNOWN, fold_boolean
from pglint_locks.model.queries.query import (
    Query,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants

Items = frozenset[RangeItem]


def reaching_down(conjunct: ast.Node, items: Items, scope: Query) -> Items:
    """What a conjunct needs, of `items`: those in sub-SELECTs only if it is pushed down."""
    level = plan_level(scope)
    if isinstance(conjunct, ast.SubLink):
        # EXISTS becomes a join, whose own conditions may be pushed down each for itself.
        if conjunct.subLinkType != SubLinkType.ANY_SUBLINK:
            return items
        return _of_restricted(items, level, _sides(conjunct.testexpr, scope))
    if has_sub_plan(conjunct, scope):
        return _of_level(items, level)
    if isinstance(conjunct, ast.BoolExpr):
        leaves = _tested_alone(conjunct, scope, negated=False)
        return items if UNSEEN in leaves else _in_leaves(items, level, leaves)
    if not _is_of_join(conjunct, scope):
        return items
    pairs = pairs_of(conjunct, scope, equalities(level).levels)
    return _of_restricted(items, level, (member for pair in pairs for member in pair))


def reaching_down_by_using(join: Branch) -> Items:
    """What USING needs: the leaves whose columns it compares; all of them with NATURAL."""
    if join.using is None:
        return frozenset(join.items())
    level = plan_level(join.query)
    levels = equalities(level).levels
    found: set[RangeItem] = set()
    for column in join.using:
        for side in (join.left, join.right):
            items = frozenset(side.column_items(column))
            found |= _of_restricted(items, level, [member_in(side, column, levels)])
    return frozenset(found)


def reaching_down_as(value: ast.Node, items: Items, scope: Query) -> Items:
    """What a column that IN compares needs, of `items`: see `reaching_down`."""
    return _of_restricted(items, plan_level(scope), _sides(value, scope))


def _sides(tested: ast.Node, scope: Query) -> list[Member]:
    sides = tested.args if isinstance(tested, ast.RowExpr) else (tested,)
    return [member_of(side, scope, equalities(scope).levels) for side in sides]


def _of_restricted(items: Items, level: Query, compared: Iterable[Member]) -> Items:
    """The items of a level, and those in its sub-SELECTs that an equality is carried into."""
    classes = equalities(level)
    members = list(compared)
    if UNSEEN in members:
        return items
    open_leaves = {
        leaf
        for each in members
        if len(each.leaves) == 1 and classes.restrict(each)
        for leaf in each.leaves
    }
    return _in_leaves(items, level, open_leaves)


def _in_leaves(items: Items, level: Query, leaves: Container[object]) -> Items:
    """The items of a level, and those in some of its sub-SELECTs."""
    return frozenset(
        item for item in items if plan_level(item.holder) is level or leaf_at(item, level) in leaves
    )


def _of_level(items: Items, level: Query) -> Items:
    return frozenset(item for item in items if plan_level(item.holder) is level)


def _is_of_join(conjunct: ast.Node, scope: Query) -> bool:
    """Whether a condition certainly tests columns of more than one item."""
    own = frozenset((plan_level(scope),))
    named = [member_of(each, scope, own).leaves for each in columns_in(conjunct)]
    return len(frozenset().union(*named)) > 1


def _tested_alone(condition: ast.Node, scope: Query, negated: bool) -> frozenset[object]:
    """The leaves that a condition tests alone: of an OR, those that each of its arms does.

    See `extract_restriction_or_clauses`.  UNSEEN stands for any.
    """
    if isinstance(condition, ast.BoolExpr):
        flips = condition.boolop == BoolExprType.NOT_EXPR
        arms = [
            _tested_alone(arm, scope, negated != flips)
            for arm in condition.args
            if fold_boolean(arm) is UNKNOWN
        ]
        is_and = flips or (condition.boolop == BoolExprType.AND_EXPR) != negated
        if is_and or not arms:
            return frozenset().union(*arms)
        known = [arm for arm in arms if UNSEEN not in arm]
        return known[0].intersection(*known) if known else arms[0]
    own = frozenset((plan_level(scope),))
    members = [member_of(each, scope, own) for each in columns_in(condition)]
    leaves: frozenset[object] = frozenset().union(*(each.leaves for each in members))
    if UNSEEN in members:
        return frozenset((UNSEEN,))
    return leaves if len(leaves) == 1 else frozenset()


def parsed(conjunct: ast.Node) -> list[ast.Node]:
    """The conditions that the parser makes of one: BETWEEN, NOT IN and rows are several."""
    if not isinstance(conjunct, ast.A_Expr):
        return [conjunct]
    left, right = conjunct.lexpr, conjunct.rexpr
    operator = conjunct.name[-1].sval
    match conjunct.kind:
        case A_Expr_Kind.AEXPR_BETWEEN:
            bounds = zip((">=", "<="), right, strict=True)
            return [_compared(left, operator, bound) for operator, bound in bounds]
        case A_Expr_Kind.AEXPR_IN if operator == "<>":
            return [_compared(left, "<>", element) for element in right]
        case A_Expr_Kind.AEXPR_OP if (
            operator == "=" and isinstance(left, ast.RowExpr) and isinstance(right, ast.RowExpr)
        ):
            pairs = zip(left.args, right.args, strict=False)
            return [_compared(one, "=", other) for one, other in pairs]
    return [conjunct]


def _compared(left: ast.Node, operator: str, right: ast.Node) -> ast.A_Expr:
    name = (ast.String(sval=operator),)
    return ast.A_Expr(kind=A_Expr_Kind.AEXPR_OP, name=name, lexpr=left, rexpr=right)


def has_sub_plan(conjunct: ast.Node, scope: Query) -> bool:
    """Whether a condition holds a sub-SELECT that is no mere constant (`qual_is_pushdown_safe`)."""
    return any(
        not _is_value(link)
        for node in descendants(conjunct)
        for link in scope.sub_links
        if link.node is node
    )


def _is_value(link: SubLink) -> bool:
    kinds = (SubLinkKind.SCALAR, SubLinkKind.ARRAY)
    return link.kind in kinds and not link.query.reads_outside(link.query)
