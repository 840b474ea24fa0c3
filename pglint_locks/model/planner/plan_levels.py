"""Which query levels the planner plans each for itself, and which it pulls up into another."""

from __future__ import annotations

from pglast.enums import CTEMaterialize, SetOperation

from pglint_locks.model.planner.flow import is_simple, is_union_all, set_operations
from pglint_locks.model.planner.laterals import refers_out_of_join
from pglint_locks.model.planner.sub_links import becomes_join
from pglint_locks.model.queries.query import (
    Cte,
    Query,
    QueryKind,
    RangeItem,
    SubLink,
    SubLinkKind,
)


def is_pulled_up(query: Query) -> bool:
    """Whether a FROM sub-SELECT, or a VALUES list in its place, is no level of the plan."""
    if query.kind is QueryKind.VALUES:
        node = query.node
        return not (node.sortClause or node.limitCount or node.limitOffset or node.withClause)
    return is_simple(query) and not refers_out_of_join(query)


def is_flattened(link: SubLink) -> bool:
    """Whether what a sub-link's query reads is joined itself to the level around."""
    is_own = link.kind is SubLinkKind.ANY and not (
        link.query.kind is QueryKind.SELECT and is_pulled_up(link.query)
    )
    return not is_own and becomes_join(link)


def is_fenced(query: Query) -> bool:
    """Whether no condition from above is pushed down into a FROM sub-SELECT.

    Any LIMIT or OFFSET keeps them out, LIMIT ALL and OFFSET 0 too (`subquery_is_pushdown_safe`).
    """
    if query.node.limitCount is not None or query.node.limitOffset is not None:
        return True
    if query.kind is not QueryKind.SET_OPERATION or is_flattened_union(query):
        return False
    return any(each.op == SetOperation.SETOP_EXCEPT for each in set_operations(query)) or any(
        arm.kind is QueryKind.SET_OPERATION or is_fenced(arm) for arm in query.arms
    )


def is_flattened_union(query: Query) -> bool:
    """Whether the arms of a UNION ALL are read by the level around (`is_simple_union_all`)."""
    node = query.node
    own = node.sortClause or node.limitCount or node.limitOffset or node.withClause
    return not own and is_union_all(query)


def is_inlined(cte: Cte) -> bool:
    """Whether a WITH query is read as a FROM sub-SELECT where it is named (`inline_cte`)."""
    how = next(
        node.ctematerialized
        for node in cte.holder.node.withClause.ctes
        if node.location == cte.location
    )
    return (
        how != CTEMaterialize.CTEMaterializeAlways
        and (how == CTEMaterialize.CTEMaterializeNever or len(cte.references) == 1)
        and not any(
            level.is_write or getattr(level.node, "lockingClause", None)
            for level in cte.query.levels()
        )
    )


def plan_level(query: Query) -> Query:
    """The level of the plan that a level's items belong to, after pull-up."""
    while isinstance(query.embedding, RangeItem) and is_pulled_up(query):
        query = query.embedding.holder
    return query
