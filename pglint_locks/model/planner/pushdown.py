"""Which conditions reach into a FROM sub-SELECT that is planned on its own (`subquery_push_qual`).

Only what restricts that sub-SELECT alone is pushed down.  A join's condition is not, but an
equality with a constant is carried on to what else is equal (`generate_base_implied_equalities`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from pglast import ast
from pglast.enums import A_Expr_Kind, JoinType, SubLinkType

from pglint_locks.model.planner.joins import (
    Branch,
    JoinTree,
    Leaf,
    is_fenced,
    is_pulled_up,
    join_tree,
    value_of,
)
from pglint_locks.model.planner.predicates import column_parts, conjuncts, equal_sides
from pglint_locks.model.queries.constants import UNKNOWN, fold_boolean
from pglint_locks.model.queries.query import (
    ItemKind,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants, textual_children

Items = frozenset[RangeItem]


def plan_level(query: Query) -> Query:
    """The level of the plan that a level's items belong to, after pull-up."""
    while isinstance(query.embedding, RangeItem) and is_pulled_up(query):
        query = query.embedding.holder
    return query


def reaching_down(conjunct: ast.Node, items: Items, scope: Query) -> Items:
    """What a conjunct needs, of `items`: those in sub-SELECTs only if it is pushed down."""
    if isinstance(conjunct, ast.SubLink):
        # EXISTS becomes a join, whose own conditions may be pushed down each for itself.
        stays = conjunct.subLinkType == SubLinkType.ANY_SUBLINK
        return _of_level(items, plan_level(scope)) if stays else items
    if _has_sub_plan(conjunct, scope):
        return _of_level(items, plan_level(scope))
    return at_plan_level(items, scope) if _is_of_join(conjunct, scope) else items


def at_plan_level(items: Items, scope: Query) -> Items:
    """The items that are no sub-SELECT's own, unless what they equal may be a constant."""
    level = plan_level(scope)
    return items if may_equal_constant(level) else _of_level(items, level)


def _of_level(items: Items, level: Query) -> Items:
    return frozenset(item for item in items if plan_level(item.holder) is level)


def is_restricted(item: RangeItem) -> bool:
    """Whether a condition that tests this sub-SELECT's columns alone is pushed down into it."""
    below = item
    while below.query is not None and not is_fenced(below.query):
        level = plan_level(below.holder)
        if _is_restricted_at(level, below, item):
            return True
        if not isinstance(level.embedding, RangeItem):
            return False
        below = level.embedding
    return False


def _is_restricted_at(level: Query, leaf: RangeItem, item: RangeItem) -> bool:
    """Whether a level's conditions restrict an item that is, or stands in, one of its leaves."""
    trees: list[JoinTree] = [join_tree(level)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Leaf):
            continue
        trees += (tree.left, tree.right) if isinstance(tree, Branch) else tree.children
        keeps = isinstance(tree, Branch) and leaf in _preserved(tree)
        if not keeps and any(
            _tests_only(item, conjunct, tree.query) for conjunct in conjuncts(tree.condition)
        ):
            return True
    return False


def _preserved(join: Branch) -> Items:
    """The items of which an outer join drops no row, whatever its condition says."""
    kept: list[RangeItem] = []
    if join.kind in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL):
        kept += join.left.items()
    if join.kind in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
        kept += join.right.items()
    return frozenset(kept)


def _tests_only(item: RangeItem, conjunct: ast.Node, scope: Query) -> bool:
    """Whether a conjunct, or a condition that it is made of, tests one item's columns."""
    if _has_sub_plan(conjunct, scope) or fold_boolean(conjunct) is not UNKNOWN:
        return False
    return any(_leaves(part, scope, item) == {item} for part in _parts(conjunct))


def _is_of_join(conjunct: ast.Node, scope: Query) -> bool:
    """Whether a conjunct certainly tests more than one item's columns, in each of its parts."""
    if isinstance(conjunct, ast.BoolExpr):
        return False
    level = plan_level(scope)
    for part in _parts(conjunct):
        leaves = _leaves(part, scope)
        if sum(leaf is not None and plan_level(leaf.holder) is level for leaf in leaves) < 2:
            return False
    return True


def _parts(conjunct: ast.Node) -> list[tuple[ast.Node, ...]]:
    """The conditions that the parser makes of one: BETWEEN, NOT IN and rows are several."""
    if not isinstance(conjunct, ast.A_Expr):
        return [(conjunct,)]
    left, right = conjunct.lexpr, conjunct.rexpr
    operator = conjunct.name[-1].sval
    match conjunct.kind:
        case A_Expr_Kind.AEXPR_BETWEEN:
            return [(left, bound) for bound in right]
        case A_Expr_Kind.AEXPR_IN if operator == "<>":
            return [(left, element) for element in right]
        case A_Expr_Kind.AEXPR_OP if (
            operator == "=" and isinstance(left, ast.RowExpr) and isinstance(right, ast.RowExpr)
        ):
            return list(zip(left.args, right.args, strict=False))
    return [(conjunct,)]


def _has_sub_plan(conjunct: ast.Node, scope: Query) -> bool:
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


def _leaves(
    nodes: Iterable[ast.Node], scope: Query, inside: RangeItem | None = None
) -> set[RangeItem | None]:
    """The items that expressions are made of, after pull-up; None stands for what is not plain.

    Where one stands `inside` a sub-SELECT of a leaf, it is looked for down to that item.
    """
    found: set[RangeItem | None] = set()
    stack = [(column, scope) for node in nodes for column in _columns(node)]
    while stack:
        column, level = stack.pop()
        parts = tuple(getattr(part, "sval", "*") for part in column.fields)
        item = _holder_of(parts, level)
        if item is None or item.kind is ItemKind.JOIN:
            found.add(None)
        elif item is inside or item.query is None or _stays(item.query, inside is not None):
            found.add(item)
        else:
            value = value_of(item, parts[-1])
            if value is None:
                found.add(None)
            else:
                stack += [(each, item.query) for each in _columns(value)]
    return found


def _stays(query: Query, goes_down: bool) -> bool:
    """Whether a FROM sub-SELECT's own columns count, and not what it makes them of."""
    if query.kind is QueryKind.VALUES:
        return not _gives_constants(query)
    return not is_pulled_up(query) and not (goes_down and not is_fenced(query))


def _holder_of(parts: tuple[str, ...], scope: Query) -> RangeItem | None:
    """The item that a column reference certainly means."""
    item = scope.resolve(parts)
    if item is None or len(parts) > 1:
        return item
    is_alone = len(scope.named_items()) == 1 and parts[0] in (item.columns or ())
    return item if is_alone and item.holder is scope else None


@lru_cache(maxsize=1024)
def may_equal_constant(level: Query, around: frozenset[Query] = frozenset()) -> bool:
    """Whether anything at a level of the plan may be equal to a constant, or to its neighbour.

    The conditions of a sub-SELECT in an expression count: the levels `around` may be joined
    to it.
    """
    joined = around | {level}
    trees: list[JoinTree] = [join_tree(level)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Leaf):
            continue
        if isinstance(tree, Branch):
            trees += [tree.left, tree.right]
            if tree.using != () and any(map(_holds_constants, (tree.left, tree.right))):
                return True  # USING and NATURAL may compare them
        else:
            trees += tree.children
            if any(may_equal_constant(link.query, joined) for link in tree.query.sub_links):
                return True
        for node in _outside_sub_links(tree.condition) if tree.condition is not None else ():
            if _equates_constant(node, tree.query, joined):
                return True
    return any(len({parts[:-1] for parts in same}) < len(same) for same in equal_columns(level))


def equal_columns(level: Query) -> list[set[tuple[str, ...]]]:
    """Sets of columns, as written, that a level's conditions may make equal.

    See `process_equivalence`; what stands beside OR or NOT counts too.
    """
    equal: list[set[tuple[str, ...]]] = []
    trees: list[JoinTree] = [join_tree(level)]
    while trees:
        tree = trees.pop()
        if isinstance(tree, Leaf):
            continue
        trees += (tree.left, tree.right) if isinstance(tree, Branch) else tree.children
        for node in _outside_sub_links(tree.condition) if tree.condition is not None else ():
            for one, other in equal_sides(node):
                pair = {column_parts(one), column_parts(other)}
                if () not in pair and len(pair) == 2:
                    met = [same for same in equal if same & pair]
                    equal = [same for same in equal if not same & pair]
                    equal.append(pair.union(*met))
    return equal


def _holds_constants(tree: JoinTree) -> bool:
    """Whether a sub-SELECT that was pulled up gives a constant for a column."""
    if isinstance(tree, Branch):
        return _holds_constants(tree.left) or _holds_constants(tree.right)
    if isinstance(tree, Leaf):
        query = tree.item.query
        return query is not None and is_pulled_up(query) and _gives_constants(query)
    return _gives_constants(tree.query) or any(map(_holds_constants, tree.children))


def _gives_constants(query: Query) -> bool:
    if query.kind is QueryKind.VALUES:
        return len(query.node.valuesLists) == 1
    return any(not any(_columns(target.val)) for target in query.node.targetList or ())


def _equates_constant(node: ast.Node, scope: Query, joined: frozenset[Query]) -> bool:
    """Whether it is `a = b` with a column on one side only, as far as is seen."""
    if not isinstance(node, ast.A_Expr) or node.name[-1].sval != "=":
        return False
    if node.kind == A_Expr_Kind.AEXPR_IN:
        return len(node.rexpr) == 1
    if node.kind != A_Expr_Kind.AEXPR_OP:
        return False
    if isinstance(fold_boolean(node.lexpr), bool) or isinstance(fold_boolean(node.rexpr), bool):
        return False  # `condition = true` is the condition itself
    left, right = (
        any(_is_column(column, scope, joined) for column in _columns(side))
        for side in (node.lexpr, node.rexpr)
    )
    return left != right


def _is_column(column: ast.ColumnRef, scope: Query, joined: frozenset[Query]) -> bool:
    """Whether it is a column of these levels, and not one for which a sub-SELECT has a constant."""
    parts = tuple(getattr(part, "sval", "*") for part in column.fields)
    item = scope.resolve(parts)
    if item is None or plan_level(item.holder) not in joined:
        return False
    if item.query is None or not is_pulled_up(item.query):
        return True
    if item.query.kind is QueryKind.VALUES:
        return not _gives_constants(item.query)
    value = value_of(item, parts[-1])
    if value is None:
        return not _holds_constants(join_tree(item.query, item))
    return any(_is_column(inner, item.query, joined) for inner in _columns(value))


def _outside_sub_links(node: ast.Node) -> Iterator[ast.Node]:
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, ast.SubLink):
            stack += textual_children(part)


def _columns(node: ast.Node) -> Iterator[ast.ColumnRef]:
    return (part for part in _outside_sub_links(node) if isinstance(part, ast.ColumnRef))
