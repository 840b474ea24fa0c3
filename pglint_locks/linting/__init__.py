"""Linting files: their units are split, parsed, modelled and shown to the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pglint_locks.config import Settings
from pglint_locks.errors import UsageError
from pglint_locks.findings import FiledNote, Rule, Subject
from pglint_locks.linting.definitions import models_defined, views_defined
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.meanings import NO_OTHERS, Defines, Others
from pglint_locks.linting.schemas import Schemas, drafted, may_tell, runs, words_of
from pglint_locks.linting.sections import Sections
from pglint_locks.linting.worklist import FileLint
from pglint_locks.model.queries.known import NOTHING_KNOWN, Known
from pglint_locks.model.queries.views import View
from pglint_locks.plugins import known_rules, sparing
from pglint_locks.run import FileError, FileReport
from pglint_locks.schema.catalog import Catalog
from pglint_locks.schema.ddl.linted import catalog_of_linted
from pglint_locks.sources.orm.models import Models
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.model.locks.row_marks import LockingClause
    from pglint_locks.model.statements.statement import Statement
    from pglint_locks.sources.units import SqlUnit

T = TypeVar("T")
__all__ = [
    "NO_OTHERS",
    "Defines",
    "KnownFor",
    "Others",
    "Schemas",
    "Sections",
    "Seen",
    "clauses_at",
    "gather_tables",
    "gather_views",
    "lint_again",
    "lint_sources",
    "models_defined",
]


def gather_views(work: Sequence[tuple[SourceText, Settings]]) -> list[View]:
    """The views that files define; what fails in one is told when that is linted."""
    return call_with_deep_stack(
        lambda: [
            view
            for source, settings in work
            for view in _safely(partial(views_defined, source, settings), source, []) or ()
        ]
    )


def gather_tables(
    sources: Sequence[tuple[SourceText, Settings]], named_in: Iterable[str] | None = None
) -> Catalog:
    """What files make of tables; what fails in one is told when that is linted.

    Those are passed over that make no table which is named in some texts.
    """
    words = words_of(named_in) if named_in is not None else None
    work = [each for each in sources if words is None or may_tell(each[0], words)]

    def gather() -> Catalog:
        found = (_safely(partial(drafted, files), files[0][0], []) for files in runs(work))
        return catalog_of_linted(draft for draft in found if draft is not None)

    return call_with_deep_stack(gather)


KnownFor = Callable[[Settings], Known]
"""What is known of relations in files with some settings."""


def lint_sources(
    work: Sequence[tuple[SourceText, Settings]],
    known_for: KnownFor | None = None,
    models: Models | None = None,
) -> tuple[list[FileReport], list[FileError]]:
    """Lint files that the first look found worth reading; a failure in one is its own error.

    `known_for` tells what the run and the schema define, `models` are those of ORMs that
    other files define.
    """
    return call_with_deep_stack(lambda: _lint_all(work, known_for, models))


def lint_again(
    source: SourceText, sections: Sections, defines: Defines, with_fixes: bool
) -> FileReport:
    """Lint a file of which `sections` remember what came of it the last time."""

    def lint() -> FileReport:
        ledger = sections.ledger(source, defines, with_fixes)
        _visit_own_notes(ledger, sections.meanings.others.ledgers)
        return ledger.report(sections.settings)

    return call_with_deep_stack(lint)


class Seen(NamedTuple):
    """A locking clause of a file, where it stands there, and where a range of its unit does."""

    clause: LockingClause
    span: Span
    place: Callable[[Span], Span]


def clauses_at(source: SourceText, place: Span, sections: Sections) -> list[Seen]:
    """The locking clauses that a place touches, of a text linted before, in order."""
    from pglint_locks.model.locks.locking import locking_clauses

    found: dict[Span, Seen] = {}

    def see(by: int, unit: SqlUnit, statement: Statement) -> None:
        def placed(span: Span) -> Span:
            return unit.map.file_span(span).shifted(by)

        for clause in locking_clauses(statement):
            span = placed(clause.span)
            if not clause.is_inherited and span.touches(place):
                found.setdefault(span, Seen(clause, span, placed))

    def read() -> None:
        for by, part in sections.parts(source, place):
            models = sections.meanings.models(part)
            lint = FileLint(part, sections.settings, sections.known, models, partial(see, by))
            lint.read()

    call_with_deep_stack(read)
    return [found[span] for span in sorted(found)]


def _lint_all(
    work: Sequence[tuple[SourceText, Settings]], known_for: KnownFor | None, models: Models | None
) -> tuple[list[FileReport], list[FileError]]:
    errors: list[FileError] = []
    linted: list[FileLint] = []
    for source, settings in work:
        known = known_for(settings) if known_for is not None else NOTHING_KNOWN
        lint = FileLint(source, settings, known, models)
        if _safely(lint.read, source, errors):
            linted.append(lint)
    _visit_notes({lint.source.name: lint.ledger for lint in linted})
    reports = [_safely(lint.report, lint.source, errors) for lint in linted]
    return [report for report in reports if report is not None], errors


def _safely(step: Callable[[], T], source: SourceText, errors: list[FileError]) -> T | None:
    """Takes a step of one file's linting; a failure is noted and costs that file alone."""
    try:
        return step()
    except UsageError:
        raise
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"internal error: {error!r} in {where.name}, line {where.lineno}"
        errors.append(FileError(source.name, f"{message}; please report it"))
        return None


def _visit_notes(ledgers: Mapping[str, Ledger]) -> None:
    """Shows what was noted in all files to the rules over the whole run."""
    for rule in known_rules():
        _visit(rule, [note for each in ledgers.values() for note in _notes(each, rule)], ledgers)


def _visit_own_notes(own: Ledger, others: Mapping[str, Ledger]) -> None:
    """The same of one file beside others; what rules say of those is not kept.

    Of the others only notes matter that may speak of the same tables.
    """
    ledgers = {**others, own.source.name: own}
    for rule in known_rules():
        notes = _notes(own, rule)
        if notes:
            tables = {_table(note) for note in notes}
            for name, each in others.items():
                if name != own.source.name:
                    notes = notes + [
                        note for note in _notes(each, rule) if _table(note) in {*tables, None}
                    ]
            _visit(rule, notes, ledgers, own.source.name)


def _notes(ledger: Ledger, rule: Rule) -> list[FiledNote]:
    return ledger.notes.get(rule.code, [])


def _table(note: FiledNote) -> str | None:
    """The name of the table that a note is about, without schema, if it says so."""
    table = getattr(note.fact, "table", None)
    return getattr(table, "name", None)


def _visit(
    rule: Rule, notes: Sequence[FiledNote], ledgers: Mapping[str, Ledger], wanted: str | None = None
) -> None:
    if rule.subject is not Subject.RUN or rule.visit is None or not notes:
        return
    ordered = sorted(notes, key=lambda note: note.sort_key)
    with sparing(rule, ledgers[ordered[0].filename].failures):
        for found in rule.visit(ordered):
            if wanted in (None, found.at.filename):
                ledgers[found.at.filename].add_of_run(rule, found, ledgers)
