"""What a run gives: findings, counts, and what could not be looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.findings import Finding, SuppressedFinding
from pglint_locks.schema.origins import Origin
from pglint_locks.sources.kinds import KINDS
from pglint_locks.sources.units import NotAnalysed
from pglint_locks.text import Span


class FileError(NamedTuple):
    """A file that could not be linted, and why; the run's exit status becomes 2."""

    filename: str
    message: str


class FileReport(NamedTuple):
    """What linting one file gave; `clauses` counts the locking clauses seen in it.

    `kind` is the kind of file, `places` the statements that a suppression may stand above.
    `failures` are rules of plug-ins that failed: all other rules have had their say.
    `in_part` counts the clauses of calls of which something is not known.  A server `planned`
    so many statements; `unplanned` are lines about others that it was to plan.
    """

    findings: tuple[Finding, ...] = ()
    statements: int = 0
    clauses: int = 0
    not_analysed: tuple[NotAnalysed, ...] = ()
    kind: str = "SQL"
    places: tuple[Span, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    failures: tuple[FileError, ...] = ()
    in_part: int = 0
    planned: int = 0
    unplanned: tuple[str, ...] = ()


class Run(NamedTuple):
    """What a whole run gave.  Findings are sorted and without suppressed ones.

    `files` counts those that were read, `errors` has also those that could not be.
    `schema_unread` are the places of schema files that are not understood.
    `remarks` are lines for who wants to know more of how it went.
    """

    findings: tuple[Finding, ...]
    files: int
    statements: int
    clauses: int
    not_analysed: tuple[NotAnalysed, ...]
    errors: tuple[FileError, ...]
    clauses_by_kind: Mapping[str, int] = MappingProxyType({})
    suppressed: tuple[SuppressedFinding, ...] = ()
    in_part: int = 0
    schema_unread: tuple[Origin, ...] = ()
    remarks: tuple[str, ...] = ()
    planned: int = 0
    unplanned: tuple[str, ...] = ()

    @property
    def analysed(self) -> int:
        """How many locking clauses were analysed."""
        return self.clauses - len(self.not_analysed)

    @property
    def missing_extras(self) -> tuple[str, ...]:
        """The extras without which clauses were not read."""
        extras = {kind.extra for kind in KINDS if self.reasons[kind.missing]}
        return tuple(sorted(extra for extra in extras if extra))

    @property
    def reasons(self) -> Counter[str]:
        """How many clauses were not analysed, for each reason."""
        return Counter(item.reason for item in self.not_analysed)
