"""Routines: functions, procedures and DO blocks, with their bodies as units of SQL."""

from __future__ import annotations

from dataclasses import dataclass

from pglint_locks.sources.literals import literal_unit
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.parse import Parsed
from pglint_locks.sql.routines import RoutineText, routine_text

_READ_LANGUAGES = {"sql", "plpgsql"}


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, procedure or DO block.

    `label` names it in findings: `function app.claim(integer)`, `do block`; types are as
    written.  `body` is its text in SQL or PL/pgSQL, be it a literal or part of the statement
    itself (BEGIN ATOMIC, RETURN), `other_text` that in another language.
    """

    label: str
    language: str
    body: SqlUnit | None
    other_text: SqlUnit | None
    name: str | None
    argument_types: tuple[str, ...]
    volatility: str
    is_procedure: bool
    returns_set: bool
    strict: bool
    security_definer: bool
    has_set_option: bool
    argument_names: tuple[str, ...]
    returns_one_row: bool

    @property
    def may_end_transactions(self) -> bool:
        """Whether COMMIT and ROLLBACK can stand in it: procedures and DO blocks."""
        return self.is_procedure or self.name is None


def read_routine(parsed: Parsed, unit: SqlUnit, start: int) -> Routine | None:
    """The routine that a statement of a unit holds; None for another kind of statement.

    `start` is the unit offset of the statement's first character.  The body's label is
    the routine's own; what holds the unit is for the caller to put before it.
    """
    text = routine_text(parsed)
    if text is None:
        return None
    label = text.kind
    if text.name is not None:
        label = f"{text.kind} {text.name}({', '.join(text.argument_types)})"
    body = _body(text, unit, start)
    if body is not None:
        body = body._replace(label=label)
    is_read = text.language in _READ_LANGUAGES
    return Routine(
        label=label,
        language=text.language,
        body=body if is_read else None,
        other_text=None if is_read else body,
        name=text.name,
        argument_types=text.argument_types,
        volatility=text.volatility,
        is_procedure=text.kind == "procedure",
        returns_set=text.returns_set,
        strict=text.strict,
        security_definer=text.security_definer,
        has_set_option=text.has_set_option,
        argument_names=text.argument_names,
        returns_one_row=text.returns_one_row,
    )


def _body(text: RoutineText, unit: SqlUnit, start: int) -> SqlUnit | None:
    if text.sql_body is not None:
        return unit.part(text.sql_body.span.shifted(start))._replace(text=text.sql_body.text)
    if text.body is not None:
        return literal_unit(unit, text.body.shifted(start))
    return None
