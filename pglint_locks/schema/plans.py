"""Plans of statements, as EXPLAIN shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

LOCK_ROWS = "LockRows"
# What keeps the rows it took: a nested loop may begin anew, and what is below is not run again.
_KEEPS = frozenset({"Materialize", "Sort", "Hash"})
_NO_TABLES = frozenset(
    {
        *("Subquery Scan", "CTE Scan", "Function Scan", "Table Function Scan", "Values Scan"),
        *("WorkTable Scan", "Named Tuplestore Scan"),
    }
)
_INNER, _INIT_PLAN, _SUB_PLAN = "Inner", "InitPlan", "SubPlan"


class PlanNode(NamedTuple):
    """A node of a plan; `kind` and `relationship` are in EXPLAIN's words.

    `relation` is the name of the table that it scans, `strategy` that of an aggregate, and
    `conditions` the texts of its filters and join conditions.  `sub_plan` is what an expression
    calls it by (`SubPlan 1`).  `cost` is what the planner takes it to cost in all.
    """

    kind: str
    relationship: str = ""
    relation: str | None = None
    strategy: str = ""
    conditions: tuple[str, ...] = ()
    sub_plan: str = ""
    cost: float = 0.0
    children: tuple[PlanNode, ...] = ()

    def nodes(self) -> Iterator[PlanNode]:
        """The node and all below it, from above."""
        yield self
        for child in self.children:
            yield from child.nodes()

    @property
    def has_filter(self) -> bool:
        """Whether it throws rows away that it has read."""
        return any(each.startswith("Filter") for each in self.conditions)

    @property
    def keeps_rows(self) -> bool:
        """Whether it gives the same rows again without asking for them below."""
        is_hashed = self.kind in ("Aggregate", "SetOp") and self.strategy == "Hashed"
        return self.kind in _KEEPS or is_hashed

    def calls(self, sub_plan: str) -> bool:
        """Whether it runs a sub-plan for each row, not once to hash what it gives."""
        name = rf"\b{re.escape(sub_plan)}\b"
        texts = [each for each in self.conditions if re.search(name, each)]
        return bool(texts) and not any(f"hashed {sub_plan}" in each for each in texts)


class Lock(NamedTuple):
    """A LockRows node of a plan, and the nodes above it, from the top."""

    node: PlanNode
    above: tuple[PlanNode, ...]

    @property
    def tables(self) -> frozenset[str]:
        """The names of the tables that are scanned for it; a partition goes by its own."""
        return frozenset(each.relation for each in self.scans() if each.relation is not None)

    def scans(self) -> Iterator[PlanNode]:
        """The nodes below it, but for those of sub-plans, of sub-SELECTs and of other locks.

        The rows of a sub-SELECT that was not pulled up are locked inside it, or not at all.
        """
        stack = list(self.node.children)
        while stack:
            node = stack.pop(0)
            if node.kind != LOCK_ROWS and node.relationship not in (_INIT_PLAN, _SUB_PLAN):
                yield node
                stack += node.children if node.kind != "Subquery Scan" else ()

    @property
    def is_empty(self) -> bool:
        """Whether it locks nothing: its rows are those of sub-SELECTs, functions and the like."""
        return not self.tables and any(each.kind in _NO_TABLES for each in self.scans())

    @property
    def is_sorted(self) -> bool:
        """Whether what it locks is sorted first."""
        return any(node.kind == "Sort" for node in self.scans())

    @property
    def rescan(self) -> Rescan | None:
        """What may run it again for each row: a nested loop, or who calls a sub-plan.

        None where something between runs once for the statement, or keeps the rows it took.
        """
        way = (*self.above, self.node)
        for place in range(len(way) - 1, 0, -1):
            above, node = way[place - 1], way[place]
            if node.keeps_rows or node.relationship == _INIT_PLAN:
                return None
            is_inner = above.kind == "Nested Loop" and node.relationship == _INNER
            if is_inner or (node.relationship == _SUB_PLAN and above.calls(node.sub_plan)):
                limits = [each for each in way[place:] if each.kind == "Limit"]
                return Rescan(above, bool(limits), way[:place])
        return None


class Rescan(NamedTuple):
    """That a node runs a lock again for each of its rows; `above` are the nodes down to it.

    `is_bounded`: each time as many rows are locked as a Limit lets through.
    """

    by: PlanNode
    is_bounded: bool
    above: tuple[PlanNode, ...]

    @property
    def is_loop(self) -> bool:
        """Whether that is a nested loop, and not an expression's sub-plan."""
        return self.by.kind == "Nested Loop"

    @property
    def written(self) -> frozenset[str]:
        """The tables that the statement writes by the rows."""
        return frozenset(
            node.relation
            for node in self.above
            if node.kind == "ModifyTable" and node.relation is not None
        )


def locks_of(plan: PlanNode) -> tuple[Lock, ...]:
    """The LockRows nodes of a plan, but for those that lock nothing."""

    def below(node: PlanNode, above: tuple[PlanNode, ...]) -> Iterator[Lock]:
        if node.kind == LOCK_ROWS:
            yield Lock(node, above)
        for child in node.children:
            yield from below(child, (*above, node))

    return tuple(lock for lock in below(plan, ()) if not lock.is_empty)


def plan_of(told: Mapping[str, Any]) -> PlanNode:
    """A plan as EXPLAIN (FORMAT JSON) tells it."""
    conditions = tuple(
        f"{key}: {value}"
        for key, value in told.items()
        if isinstance(value, str) and key.endswith(("Filter", "Cond", "Output"))
    )
    return PlanNode(
        told["Node Type"],
        told.get("Parent Relationship", ""),
        told.get("Relation Name"),
        told.get("Strategy", ""),
        conditions,
        told.get("Subplan Name", ""),
        float(told.get("Total Cost", 0.0)),
        tuple(plan_of(child) for child in told.get("Plans", ())),
    )
