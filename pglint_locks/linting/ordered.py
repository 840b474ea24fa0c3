"""Statements that run in an order that is known: those of a routine's body, or a function's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.model.queries.routines import BodyCursor
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sources.bodies.body import Body
from pglint_locks.sources.bodies.script import BodyScript, Facts
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.script import ParsedScript


class Ordered(NamedTuple):
    """Statements with the indexes of those that may run before and after each one.

    `names` stand for what comes from outside; `facts` and `may_change` are as in
    `BodyScript`, and None where all is in the SQL.
    """

    unit: SqlUnit
    script: ParsedScript
    earlier: Callable[[int], Iterable[int]]
    later: Callable[[int], Iterable[int]]
    facts: Callable[[int], Facts | None]
    may_change: Callable[[int, str, int], bool] | None = None
    names: Mapping[str, str] = MappingProxyType({})

    def tell(self, index: int, modelled: Mapping[int, Statement]) -> None:
        """Tell a statement what the code around it says."""
        facts, statement = self.facts(index), modelled[index]
        if self.may_change is not None:
            statement.may_change = partial(_changes, self.may_change, index, modelled)
        if facts is None:
            return
        statement.targets = facts.targets
        statement.catches = facts.catches
        statement.fetches_one = facts.fetches_one
        statement.call = facts.call
        statement.is_open |= facts.is_open
        if facts.cursor is not None:
            statement.cursor = BodyCursor(*facts.cursor)

    def place(self, index: int, modelled: Mapping[int, Statement]) -> None:
        """Tell a statement which others may run before and after it."""
        modelled[index].earlier = tuple(_known(modelled, self.earlier(index)))
        modelled[index].later = tuple(_known(modelled, self.later(index)))


def sql_body(unit: SqlUnit, *, returns_one_row: bool) -> Ordered:
    """The statements of a body in SQL, one after the other."""
    script = ParsedScript.of_text(unit.text)
    count = len(script.chunks)

    def facts(index: int) -> Facts | None:
        is_last = index == count - 1
        return Facts(fetches_one=returns_one_row and is_last, escape=unit.escape)

    return Ordered(unit, script, range, lambda index: range(index + 1, count), facts)


def body_in_order(body: Body, joined: BodyScript) -> Ordered:
    """The statements of a body, in the order of its control flow."""
    return Ordered(
        joined.unit,
        ParsedScript(joined.script),
        joined.earlier,
        joined.later,
        joined.facts,
        joined.may_change,
        {name: name for name in body.variables} | joined.spliced_names,
    )


def _changes(
    may_change: Callable[[int, str, int], bool],
    first: int,
    modelled: Mapping[int, Statement],
    value: str,
    later: Statement,
) -> bool:
    """What `Statement.may_change` asks, put to a body's script."""
    return any(may_change(first, value, i) for i, each in modelled.items() if each is later)


def _known(modelled: Mapping[int, Statement], indexes: Iterable[int]) -> Iterator[Statement]:
    return (modelled[index] for index in indexes if index in modelled)
