"""Sub-links that become joins (`pull_up_sublinks`)."""

from __future__ import annotations

from collections.abc import Iterator

from pglast import ast
from pglast.enums import BoolExprType, JoinType

from pglint_locks.model.planner.flow import has_own_marks, row_limit
from pglint_locks.model.planner.join_sides import joins
from pglint_locks.model.planner.predicates import conjuncts
from pglint_locks.model.queries.functions import is_aggregate, is_random, is_set_returning
from pglint_locks.model.queries.query import (
    Clause,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)
from pglint_locks.sql.walk import descendants, textual_children


def becomes_join(link: SubLink) -> bool:
    """Whether a sub-link becomes a semi-join, or with NOT EXISTS an anti-join.

    It must stand in WHERE or ON by itself and test columns of that level; in the ON of an
    outer join, of the nullable side alone.
    """
    tested = frozenset(_columns_tested(link))
    if not tested or not _can_be_join(link):
        return False
    for condition, available in _conditions(link.holder):
        if any(_is_link(link, node) for node in conjuncts(condition)):
            return available is None or tested - {None} <= available
    return False


def parts_of(condition: ast.Node | None) -> Iterator[ast.Node]:
    """A condition and all that stands in it."""
    if condition is not None:
        yield condition
        yield from descendants(condition)


def columns_named(condition: ast.Node | None) -> Iterator[tuple[str, ...]]:
    """The columns that a condition names, as written; what IN tests, but no sub-SELECT's."""
    stack = [condition] if condition is not None else []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ColumnRef):
            yield tuple(getattr(part, "sval", "*") for part in node.fields)
        elif not isinstance(node, ast.SubLink):
            stack += textual_children(node)
        elif node.testexpr is not None:
            stack.append(node.testexpr)


def _conditions(
    level: Query,
) -> Iterator[tuple[ast.Node | None, frozenset[RangeItem] | None]]:
    """A level's WHERE and ONs, and the items that a sub-link in one may test; None for any."""
    yield getattr(level.node, "whereClause", None), None
    for join in joins(level):
        inner = join.kind is JoinType.JOIN_INNER
        full = join.kind is JoinType.JOIN_FULL
        yield join.condition, frozenset(() if full else join.nullable) if not inner else None


def _is_link(link: SubLink, conjunct: ast.Node) -> bool:
    if isinstance(conjunct, ast.BoolExpr) and conjunct.boolop == BoolExprType.NOT_EXPR:
        return link.kind is SubLinkKind.EXISTS and conjunct.args[0] is link.node
    return conjunct is link.node


def _columns_tested(link: SubLink) -> Iterator[RangeItem | None]:
    """The items of the level around that IN, or the query in EXISTS, refers to.

    None stands for a name without a table's, which may be a column of any.
    """
    for parts, scope in _columns_of(link):
        item = scope.resolve(parts)
        if item is not None and holder_of(parts, scope) is None:
            yield None
        elif item is not None and item.holder is link.holder:
            yield item


def _columns_of(link: SubLink) -> Iterator[tuple[tuple[str, ...], Query]]:
    if link.kind is SubLinkKind.ANY:
        yield from ((parts, link.holder) for parts in columns_named(link.node.testexpr))
        return
    for level in link.query.levels():
        yield from ((column.parts, level) for column in level.columns)


def holder_of(parts: tuple[str, ...], scope: Query) -> RangeItem | None:
    """The item that a column reference certainly means."""
    item = scope.resolve(parts)
    if item is None or len(parts) > 1:
        return item
    is_alone = len(scope.named_items()) == 1 and parts[0] in (item.columns or ())
    return item if is_alone and item.holder is scope else None


def _can_be_join(link: SubLink) -> bool:
    query = link.query
    if link.kind is SubLinkKind.ANY:
        return True
    return (
        link.kind is SubLinkKind.EXISTS
        and is_simplified(query)
        and not query.ctes
        and not any(
            is_random(call.schema, call.name) and call.standing.clause is Clause.WHERE
            for call in query.calls
        )
    )


def is_simplified(level: Query) -> bool:
    """Whether a query in EXISTS is left with its FROM and WHERE (`simplify_EXISTS_query`)."""
    node, limit = level.node, row_limit(level)
    return (
        level.kind is QueryKind.SELECT
        and not has_own_marks(level)
        and not node.havingClause
        and node.limitOffset is None
        and (limit is None or (isinstance(limit, int) and limit > 0))
        and not any(cte.query.is_write for cte in level.ctes)
        and not any(call.windowed or is_aggregate(call) for call in level.calls)
        and not any(
            is_set_returning(call) and call.standing.clause is Clause.TARGET for call in level.calls
        )
    )
