"""LATERAL references that keep a sub-SELECT from being pulled up.

Mirrors `jointree_contains_lateral_outer_refs`: a condition in or below an outer join of the
sub-SELECT, or a semi-join, may not name the level around.
"""

from __future__ import annotations

from collections.abc import Iterator

from pglast.enums import JoinType

from pglint_locks.model.planner.join_sides import Join, joins
from pglint_locks.model.planner.sub_links import becomes_join, columns_named
from pglint_locks.model.queries.query import Query, RangeItem, SubLink, SubLinkKind


def refers_out_of_join(query: Query) -> bool:
    """Whether a sub-SELECT's outer and semi-joins refer to the level around it."""
    around = _level_around(query)
    if around is None or not query.reads_from(around):
        return False
    named = (item for parts in _in_joins(query) if (item := query.resolve(parts)) is not None)
    return any(item.holder is around for item in named) or any(
        link.query.reads_from(around) for link in query.sub_links if _is_exists_join(link)
    )


def _level_around(query: Query) -> Query | None:
    match query.embedding:
        case RangeItem(lateral=True, holder=holder) | SubLink(holder=holder):
            return holder
    return None


def _is_exists_join(link: SubLink) -> bool:
    return link.kind is SubLinkKind.EXISTS and becomes_join(link)


def _in_joins(query: Query) -> Iterator[tuple[str, ...]]:
    """The columns that conditions in or below outer and semi-joins name."""
    links = [link for link in query.sub_links if becomes_join(link)]
    for link in links:
        if link.kind is SubLinkKind.ANY:
            yield from columns_named(link.node.testexpr)
    found = list(joins(query))
    for join in found:
        if links or any(_is_outer(each) and _is_within(join, each) for each in found):
            yield from columns_named(join.condition)


def _is_outer(join: Join) -> bool:
    return join.kind is not JoinType.JOIN_INNER


def _is_within(join: Join, other: Join) -> bool:
    return join is other or join.item in (*other.left, *other.right)
