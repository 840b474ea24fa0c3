"""Which columns of the plan's levels are equal, to one another and to constants.

Mirrors `process_equivalence`, and `generate_base_implied_equalities` of what is equal to a
constant or to a neighbour.  What outer joins may keep apart counts as equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, JoinType

from pglint_locks.model.planner.flow import is_simple
from pglint_locks.model.planner.joins import Branch, JoinTree, Leaf, join_tree
from pglint_locks.model.planner.members import (
    CONSTANT,
    UNSEEN,
    Levels,
    Member,
    member_in,
    member_of,
)
from pglint_locks.model.planner.outputs import is_pushed_to, output_at, values_of
from pglint_locks.model.planner.plan_levels import is_fenced, is_flattened, is_inlined, plan_level
from pglint_locks.model.planner.standing_joins import stays_outer
from pglint_locks.model.planner.sub_links import becomes_join
from pglint_locks.model.queries.constants import UNKNOWN, fold_boolean
from pglint_locks.model.queries.query import Query, RangeItem, SubLink, SubLinkKind

Pair = frozenset[Member]


class Equalities:
    """The equivalence classes of levels of the plan that are joined to one another."""

    def __init__(self, levels: Levels, pairs: Sequence[Pair], is_natural: bool) -> None:
        self.levels = levels
        # A column that does not show may be any, and make any two equal.
        self.is_in_doubt = is_natural or any(UNSEEN in pair for pair in pairs)
        self._classes: dict[Member, frozenset[Member]] = {}
        for pair in pairs:
            # What equals one constant need not equal what equals another.
            merged = pair.union(*(self._classes.get(each, ()) for each in pair if each.leaves))
            self._classes |= {each: merged for each in merged if each.leaves}

    def restrict(self, member: Member) -> bool:
        """Whether a condition on a member's leaves alone follows from what it is equal to."""
        return self.is_in_doubt or any(self._conditions(member))

    def may_be_constant(self, member: Member) -> bool:
        """Whether a member equals a constant, or a column that may be one.

        Two expressions over the same leaves may be the same one.
        """
        equal = self._classes.get(member, frozenset())
        if isinstance(member.key, tuple):
            alike = (each for each in self._classes if each.leaves == member.leaves)
            equal = equal.union(*(self._classes[each] for each in alike))
        return self.is_in_doubt or any(not other.leaves for other in equal)

    def restricted(self, leaf: RangeItem | Query) -> Iterator[tuple[Member, Member]]:
        """The conditions that follow for a leaf: its columns, each with what it equals."""
        for member in self._classes:
            if member.leaves == {leaf}:
                yield from ((member, other) for other in self._conditions(member))

    def _conditions(self, member: Member) -> Iterator[Member]:
        """What a member is compared with where its leaf is read: constants, and neighbours."""
        if _is_pushed(member):
            for other in self._classes.get(member, ()):
                is_neighbour = other != member and other.leaves == member.leaves
                if not other.leaves or (is_neighbour and _is_pushed(other)):
                    yield other


def _is_pushed(member: Member) -> bool:
    """Whether conditions on a member are pushed down into what it is made of."""
    key = member.key
    return isinstance(key, tuple) or all(is_pushed_to(leaf, key) for leaf in member.leaves)


def equalities(level: Query, besides: RangeItem | None = None) -> Equalities:
    """The equivalence classes of a level, and of all that the plan joins to it.

    What the join `besides` compares itself does not count.
    """
    level = plan_level(level)
    while isinstance(level.embedding, SubLink) and is_flattened(level.embedding):
        level = plan_level(level.embedding.holder)
    return _equalities(level, besides)


@lru_cache(maxsize=1024)
def _equalities(top: Query, besides: RangeItem | None) -> Equalities:
    trees = list(_joined(top))
    levels = frozenset(plan_level(tree.query) for tree in trees if not isinstance(tree, Leaf))
    pairs: list[Pair] = list(_from_above(top, levels))
    is_natural = False
    for tree in trees:
        if isinstance(tree, Leaf):
            pairs += _of_cte(tree.item)
            continue
        if not isinstance(tree, Branch):
            pairs += pairs_of(tree.condition, tree.query, levels)
        elif tree.item is not besides:
            pairs += (pair for pair in pairs_of_join(tree, levels) if not _is_apart(pair, tree))
            is_natural |= tree.using is None
    for query in {tree.query for tree in trees if not isinstance(tree, Leaf)}:
        for link in query.sub_links:
            if is_equated(link):
                pairs += _of_link(link, levels)
    return Equalities(levels, pairs, is_natural)


def _is_apart(pair: Pair, join: Branch) -> bool:
    """Whether nothing follows from a pair, as it only says which rows an outer join extends."""
    match join.kind:
        case JoinType.JOIN_LEFT:
            kept = frozenset(join.left.items())
        case JoinType.JOIN_RIGHT:
            kept = frozenset(join.right.items())
        case _:
            return False
    is_of_kept = UNSEEN not in pair and all(member.leaves <= kept for member in pair)
    return is_of_kept and stays_outer(join)


def _joined(top: Query) -> Iterator[JoinTree]:
    """The parts of a level's FROM, and of the levels that become joins of it."""
    stack: list[JoinTree] = [join_tree(top)]
    while stack:
        tree = stack.pop()
        yield tree
        if isinstance(tree, Branch):
            stack += [tree.left, tree.right]
        elif not isinstance(tree, Leaf):
            stack += tree.children
            stack += [join_tree(link.query) for link in tree.query.sub_links if is_flattened(link)]


def is_equated(link: SubLink) -> bool:
    """Whether a sub-link is an IN that becomes a join: what it tests equals what it gives."""
    operator = link.node.operName
    is_equal = operator is None or operator[-1].sval == "="
    return link.kind is SubLinkKind.ANY and is_equal and becomes_join(link)


def _of_link(link: SubLink, levels: Levels) -> Iterator[Pair]:
    """What IN tests equals what its sub-SELECT gives."""
    tested = link.node.testexpr
    sides = tested.args if isinstance(tested, ast.RowExpr) else (tested,)
    for place, side in enumerate(sides):
        yield frozenset((member_of(side, link.holder, levels), _output(link, place, levels)))


def _output(link: SubLink, place: int, levels: Levels) -> Member:
    """The column of a sub-SELECT of IN: its own, or what it makes it of where it is flattened."""
    if not is_flattened(link):
        return Member(frozenset((link.query,)), place)
    targets = link.query.node.targetList or ()
    return member_of(targets[place].val, link.query, levels) if place < len(targets) else UNSEEN


def _of_cte(item: RangeItem) -> Iterator[Pair]:
    """The columns that a WITH query makes constant, where it is pulled up (`inline_cte`)."""
    if item.cte is None or not is_inlined(item.cte) or not is_simple(item.cte.query):
        return
    query = item.cte.query
    classes = equalities(query)
    for place, column in enumerate(item.columns or ()):
        value = output_at(query, place)
        member = UNSEEN if value is None else member_of(value, query, classes.levels)
        if not member.leaves or classes.restrict(member):
            yield frozenset((Member(frozenset((item,)), column), CONSTANT))


def _from_above(top: Query, levels: Levels) -> Iterator[Pair]:
    """The conditions that are pushed down into a sub-SELECT from what its columns equal."""
    whole = top
    while whole.is_arm and whole.parent is not None:
        whole = whole.parent
    leaf = whole.embedding if isinstance(whole.embedding, RangeItem) else whole
    holder = whole.embedding.holder if isinstance(whole.embedding, RangeItem | SubLink) else None
    if holder is None or is_fenced(whole):
        return
    around = equalities(holder)
    if around.is_in_doubt:
        yield frozenset((UNSEEN,))
    for one, other in around.restricted(leaf):
        sides = (_inside(each, leaf, top, levels) for each in (one, other))
        yield frozenset(sides)


def _inside(member: Member, leaf: RangeItem | Query, level: Query, levels: Levels) -> Member:
    """What a level, which gives a leaf's rows, makes of a column of it."""
    if not member.leaves:
        return member
    if isinstance(member.key, tuple):
        return UNSEEN
    for query, value in values_of(leaf, member.key):
        if query is level and value is not None:
            return member_of(value, level, levels)
    return UNSEEN


# --- conditions -------------------------------------------------------------------


def pairs_of(
    condition: ast.Node | None, scope: Query, levels: Levels, negated: bool = False
) -> set[Pair]:
    """What a condition makes equal, where it must be true (or false, if `negated`).

    Of the arms of an OR, what all have in common (`find_duplicate_ors`).
    """
    if condition is None or fold_boolean(condition) is not UNKNOWN:
        return set()
    if isinstance(condition, ast.BoolExpr):
        if condition.boolop == BoolExprType.NOT_EXPR:
            return pairs_of(condition.args[0], scope, levels, not negated)
        arms = [
            pairs_of(arm, scope, levels, negated)
            for arm in condition.args
            if fold_boolean(arm) is UNKNOWN
        ]
        is_and = (condition.boolop == BoolExprType.AND_EXPR) != negated
        return set().union(*arms) if is_and else arms[0].intersection(*arms)
    if not isinstance(condition, ast.A_Expr):
        return set()
    return {
        frozenset(member_of(side, scope, levels) for side in sides)
        for sides in _equated(condition, negated)
        if not any(isinstance(fold_boolean(side), bool) for side in sides)
    }.union(*(pairs_of(part, scope, levels, nots) for part, nots in _tested(condition, negated)))


def pairs_of_join(join: Branch, levels: Levels) -> set[Pair]:
    """What a join's ON or USING makes equal; of NATURAL that does not show."""
    sides = (join.left, join.right)
    return pairs_of(join.condition, join.query, levels) | {
        frozenset(member_in(side, column, levels) for side in sides) for column in join.using or ()
    }


def _equated(node: ast.A_Expr, negated: bool) -> Iterator[tuple[ast.Node, ast.Node]]:
    """The sides of `a = b`, or of `a <> b` below a NOT; rows column by column."""
    left, right = node.lexpr, node.rexpr
    if node.name[-1].sval != ("<>" if negated else "=") or left is None:
        return
    if node.kind == A_Expr_Kind.AEXPR_IN and len(right) == 1:
        right = right[0]
    elif node.kind != A_Expr_Kind.AEXPR_OP:
        return
    if isinstance(left, ast.RowExpr):
        others = right.args if isinstance(right, ast.RowExpr) else [right] * len(left.args)
        yield from zip(left.args, others, strict=False)
    else:
        yield left, right


def _tested(node: ast.A_Expr, negated: bool) -> Iterator[tuple[ast.Node, bool]]:
    """The condition in `condition = true`, and whether it must be false."""
    operator = node.name[-1].sval
    if node.kind != A_Expr_Kind.AEXPR_OP or operator not in ("=", "<>"):
        return
    for one, other in ((node.lexpr, node.rexpr), (node.rexpr, node.lexpr)):
        value = fold_boolean(other) if one is not None else None
        if isinstance(value, bool):
            yield one, negated != (value != (operator == "="))
