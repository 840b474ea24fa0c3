"""What the rules say of one statement, so that it can be filed: now, or where it stands later."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.findings import Edit, Hazard, Note, Rule
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

    def shifted(self, by: int) -> Judgement:
        """The same of a statement that stands `by` code points further on."""
        if by == 0:
            return self
        return Judgement(
            tuple(span.shifted(by) for span in self.clauses),
            self.spoken and self.spoken._replace(span=self.spoken.span.shifted(by)),
            tuple((rule, _shifted(hazard, by)) for rule, hazard in self.hazards),
            tuple((rule, note._replace(span=note.span.shifted(by))) for rule, note in self.notes),
            self.failures,
        )


def _shifted(hazard: Hazard, by: int) -> Hazard:
    fix = hazard.fix
    if fix is not None:
        edits = tuple(Edit(edit.span.shifted(by), edit.content) for edit in fix.edits)
        fix = fix._replace(edits=edits)
    places = tuple(place._replace(span=place.span.shifted(by)) for place in hazard.places)
    return hazard._replace(span=hazard.span.shifted(by), places=places, fix=fix)
