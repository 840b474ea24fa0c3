"""What the rules say of one statement, so that it can be filed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.findings import Hazard, Note, Rule
from pglint_locks.text import Span


class Spoken(NamedTuple):
    """The statement that is spoken of: its range in the unit, and its text as it is sent.

    `holder` is the view, rule or policy that it defines.
    """

    span: Span
    text: str
    fingerprint: str
    holder: str | None


class Judgement(NamedTuple):
    """What the rules say of a statement; all places are ranges of the unit.

    `clauses` are where its locking clauses stand; without hazards and notes nobody is
    `spoken` of.  `failures` tell why rules of plug-ins failed, by their codes.
    """

    clauses: tuple[Span, ...] = ()
    spoken: Spoken | None = None
    hazards: tuple[tuple[Rule, Hazard], ...] = ()
    notes: tuple[tuple[Rule, Note], ...] = ()
    failures: Mapping[str, str] = MappingProxyType({})
