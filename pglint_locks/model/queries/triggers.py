"""Triggers, for the transition tables that they give to the function that they call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pglast import ast

from pglint_locks.schema.names import TableName


class Trigger(NamedTuple):
    """A trigger's function, and the names of its transition tables (REFERENCING)."""

    function: TableName
    transition_tables: frozenset[str]


def trigger_of(node: ast.Node | None) -> Trigger | None:
    """The trigger that a statement makes; None if it makes none."""
    if not isinstance(node, ast.CreateTrigStmt):
        return None
    *schema, name = (part.sval for part in node.funcname)
    tables = frozenset(each.name for each in node.transitionRels or ())
    return Trigger(TableName(schema[-1] if schema else None, name), tables)


def transition_tables(function: TableName, triggers: Iterable[Trigger]) -> frozenset[str]:
    """The transition tables that some trigger gives to a function.

    In its body they hide tables of their names (`parserOpenTable`).
    """
    given = (
        trigger.transition_tables for trigger in triggers if trigger.function.same_table(function)
    )
    return frozenset[str]().union(*given)
