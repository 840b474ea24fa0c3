"""Plans in fixtures: `-- plan:` lines hold one as EXPLAIN prints it, costs or none."""

from __future__ import annotations

import re
from typing import NamedTuple

from pglint_locks.schema.plans import PlanNode
from pglint_locks.testing.holds import ensure

_LINES = re.compile(r"^(?:--|#|//) plan: (.+?)\r?$", re.MULTILINE)
_NODE = re.compile(
    r"(?P<indent> *)(?:->  )?(?P<kind>[A-Z][\w ]*?)"
    r"(?: using \S+)?(?: on (?P<relation>[\w\"*]+)(?: \w+)?)?"
    r"(?:  \(cost=[\d.]+\.\.(?P<cost>[\d.]+) .*\))?"
)
_SUB_PLAN = re.compile(r" *(InitPlan|SubPlan|CTE) .*")
_CONDITION = re.compile(r" *([A-Z][\w -]*: .*)")
# What the text of EXPLAIN says in one word.
_STRATEGIES = {
    "HashAggregate": ("Aggregate", "Hashed"),
    "GroupAggregate": ("Aggregate", "Sorted"),
    "HashSetOp": ("SetOp", "Hashed"),
}
_WRITES = ("Update", "Delete", "Merge", "Insert")
_NO_TABLES = ("Subquery Scan", "CTE Scan", "Function Scan", "Values Scan")
_LOOPS = re.compile(r"Nested Loop.*|(?:Hash|Merge)(?: \w+)? Join")


class PlanGiven(NamedTuple):
    """A planner that knows one plan; `name` as messages have it."""

    given: PlanNode
    name: str = "the fixture"

    def plan(self, sql: str) -> PlanNode | str:
        """The plan, whatever the statement."""
        return self.given if sql else "there is no statement"


def plan_lines(text: str) -> list[str]:
    """The lines of the plan in a fixture."""
    return _LINES.findall(text)


def planner_of(text: str) -> PlanGiven | None:
    """A planner that gives the plan in a fixture, if there is one."""
    lines = plan_lines(text)
    return PlanGiven(read_plan(lines)) if lines else None


def read_plan(lines: list[str]) -> PlanNode:
    """A plan out of the lines that EXPLAIN prints."""
    node, rest = _read(lines, "")
    ensure(not rest, f"a line of the plan is not understood: {rest[:1]}")
    return node


def _read(lines: list[str], relationship: str) -> tuple[PlanNode, list[str]]:
    """The node that the first line names, with all that is indented below it; and the rest."""
    found = _NODE.fullmatch(lines[0])
    ensure(found is not None, f"a line of the plan is not understood: {lines[0]}")
    assert found is not None
    depth, rest = len(found["indent"]), lines[1:]
    conditions: list[str] = []
    children: list[PlanNode] = []
    kind, strategy = _STRATEGIES.get(found["kind"], (found["kind"], ""))
    sides = ["Outer", "Inner"] if _LOOPS.fullmatch(kind) else ["Outer"]
    sub_plan = ("", "")
    while rest and len(rest[0]) - len(rest[0].lstrip()) > depth:
        line = rest[0]
        if named := _SUB_PLAN.fullmatch(line):
            what = "SubPlan" if named[1] == "SubPlan" else "InitPlan"
            sub_plan, rest = (what, line.strip().split("  (")[0]), rest[1:]
        elif "->" not in line and (said := _CONDITION.fullmatch(line)):
            conditions.append(said[1])
            rest = rest[1:]
        else:
            side = sub_plan[0] or (sides.pop(0) if sides else "Member")
            child, rest = _read(rest, side)
            children.append(child._replace(sub_plan=sub_plan[1]))
            sub_plan = ("", "")
    if kind in _WRITES:
        kind = "ModifyTable"
    if kind.startswith("Nested Loop"):
        kind = "Nested Loop"
    relation = None if kind in _NO_TABLES else found["relation"]
    cost = float(found["cost"] or 0)
    node = PlanNode(
        kind, relationship, relation, strategy, tuple(conditions), "", cost, tuple(children)
    )
    return node, rest
