"""Findings that rest on other statements, where those may run in transactions of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from pglint_locks.findings import UNSAFE, Hazard
from pglint_locks.model.statements.statement import Statement
from pglint_locks.model.statements.transactions import Frame

T = TypeVar("T")


def hazards(
    visit: Callable[[T], Iterator[Hazard]], subject: T, statement: Statement
) -> Iterator[Hazard]:
    """What a rule says of a statement, or of a clause in it.

    The statements that a function of a host language runs may be one transaction.  What
    the rule would not say of this statement alone weighs one step less there, and names
    the condition.
    """
    found = list(visit(subject))
    others = statement.earlier or statement.later
    if not (found and others) or statement.transaction.frame is not Frame.POSSIBLE:
        yield from found
        return
    alone = _alone(visit, subject, statement)
    for hazard in found:
        yield hazard if hazard in alone else _conditional(hazard)


def _alone(
    visit: Callable[[T], Iterator[Hazard]], subject: T, statement: Statement
) -> list[Hazard]:
    """What the rule says where nothing else is known to run."""
    earlier, later = statement.earlier, statement.later
    statement.earlier = statement.later = ()
    try:
        return list(visit(subject))
    finally:
        statement.earlier, statement.later = earlier, later


def _conditional(hazard: Hazard) -> Hazard:
    return hazard._replace(
        severity=hazard.severity.lighter,
        message=f"{hazard.message}, if these statements run in one transaction",
        fix=hazard.fix and hazard.fix._replace(applicability=UNSAFE),
    )
