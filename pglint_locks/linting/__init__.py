"""Linting files: their units are split, parsed, modelled and shown to the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pglint_locks.config import Settings
from pglint_locks.findings import Subject
from pglint_locks.linting.definitions import views_defined
from pglint_locks.linting.memory import Memory
from pglint_locks.linting.worklist import FileLint
from pglint_locks.model.queries.views import Views, known_views
from pglint_locks.plugins import known_rules, sparing
from pglint_locks.run import FileError, FileReport
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.text import SourceText, Span

if TYPE_CHECKING:
    from pglint_locks.model.locks.row_marks import LockingClause
    from pglint_locks.model.statements.statement import Statement
    from pglint_locks.sources.units import SqlUnit

T = TypeVar("T")
__all__ = ["clauses_in", "gather_views", "lint_sources"]


def gather_views(work: Sequence[tuple[SourceText, Settings]]) -> Views:
    """The views that files define; what fails in one is told when that is linted."""
    return call_with_deep_stack(
        lambda: known_views(
            view
            for source, settings in work
            for view in _safely(partial(views_defined, source, settings), source, []) or ()
        )
    )


def lint_sources(
    work: Sequence[tuple[SourceText, Settings]],
    views: Views | None = None,
    memory: Memory | None = None,
) -> tuple[list[FileReport], list[FileError]]:
    """Lint files that the first look found worth reading; a failure in one is its own error.

    `views` are those that all files of the run define; `memory` is what is remembered of the
    last time, if there is one file and it was linted before.
    """
    return call_with_deep_stack(lambda: _lint_all(work, views or Views(), memory))


def clauses_in(
    source: SourceText, settings: Settings, views: Views | None = None
) -> list[tuple[Span, LockingClause]]:
    """Every locking clause of a file that is analysed, with its range in the file."""
    from pglint_locks.model.locks.row_marks import locking_clauses

    found: list[tuple[Span, LockingClause]] = []

    def see(unit: SqlUnit, statement: Statement) -> None:
        for clause in locking_clauses(statement):
            if not clause.is_inherited:
                found.append((unit.map.file_span(clause.span), clause))

    lint = FileLint(source, settings, views or Views(), witness=see)
    call_with_deep_stack(lambda: _safely(lint.read, source, []))
    return found


def _lint_all(
    work: Sequence[tuple[SourceText, Settings]], views: Views, memory: Memory | None
) -> tuple[list[FileReport], list[FileError]]:
    errors: list[FileError] = []
    linted: list[FileLint] = []
    for source, settings in work:
        if memory is not None:
            memory.begin(settings, views)
        lint = FileLint(source, settings, views, memory)
        if _safely(lint.read, source, errors):
            linted.append(lint)
    _lint_run(linted)
    reports = [_safely(lint.report, lint.source, errors) for lint in linted]
    return [report for report in reports if report is not None], errors


def _safely(step: Callable[[], T], source: SourceText, errors: list[FileError]) -> T | None:
    """Takes a step of one file's linting; a failure is noted and costs that file alone."""
    try:
        return step()
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"internal error: {error!r} in {where.name}, line {where.lineno}"
        errors.append(FileError(source.name, f"{message}; please report it"))
        return None


def _lint_run(linted: Sequence[FileLint]) -> None:
    """Shows what was noted in all files to the rules over the whole run."""
    ledgers = {lint.source.name: lint.ledger for lint in linted}
    for rule in known_rules():
        notes = [note for lint in linted for note in lint.ledger.notes.get(rule.code, ())]
        if rule.subject is Subject.RUN and rule.visit is not None and notes:
            ordered = sorted(notes, key=lambda note: note.sort_key)
            with sparing(rule, ledgers[ordered[0].filename].failures):
                for found in rule.visit(ordered):
                    ledgers[found.at.filename].add_of_run(rule, found, ledgers)
