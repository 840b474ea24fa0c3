"""What rules say of statements whose plans a live server makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from proofs.harness import Lab
from psycopg.conninfo import make_conninfo

from pglint_locks import engine
from pglint_locks.config import Settings
from pglint_locks.findings import Finding
from pglint_locks.schema.planner import Planner
from pglint_locks.schema.plans import PlanNode
from pglint_locks.testing.fixtures import schema_of
from pglint_locks.testing.plans import plan_lines, read_plan


def dsn_of(lab: Lab) -> str:
    """The connection string by which a lab's tables are found without their schema."""
    return make_conninfo(lab.dsn, options=f"-c search_path={lab.schema},public")


@contextmanager
def planner(lab: Lab) -> Iterator[Planner]:
    """A planner over a lab's tables."""
    made = Planner(dsn_of(lab))
    try:
        yield made
    finally:
        made.close()


def findings_on(lab: Lab, text: str) -> tuple[Finding, ...]:
    """What is found in a text whose statements the server plans, and not by the page's own plan."""
    with planner(lab) as asked:
        run = engine.lint_text(text, "page.sql", Settings(), schema_of(text), asked)
    assert (run.planned, run.unplanned, run.errors) == (1, (), ())
    return run.findings


def codes_on(lab: Lab, text: str) -> list[str]:
    """The codes of what is found, notes aside."""
    return [each.rule.code for each in findings_on(lab, text) if each.severity.weight > 0]


def shape(node: PlanNode) -> tuple[object, ...]:
    """What of a plan is the same on every server: its nodes and the tables that they read."""
    return (node.kind, node.relation, tuple(shape(child) for child in node.children))


def plan_of_page(text: str) -> PlanNode:
    """The plan that an example of a page shows."""
    return read_plan(plan_lines(text))
