"""Showing a statement to the rules, and what is kept of what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pglint_locks.findings import Hazard, Note, Rule, Subject
from pglint_locks.linting.judgement import Judgement, Spoken
from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.locks.row_marks import LockingClause
from pglint_locks.model.planner.flow import is_never_run
from pglint_locks.model.statements.possible import hazards
from pglint_locks.model.statements.statement import Statement
from pglint_locks.plugins import known_rules, sparing
from pglint_locks.sql.standins import as_written
from pglint_locks.text import Span


def judge(statement: Statement, clauses: tuple[Span, ...]) -> Judgement:
    """What the rules say of a statement whose locking `clauses` stand at these places."""
    failures: dict[str, str] = {}
    judged = _judged_clauses(statement)
    found = tuple(_hazards(statement, judged, failures))
    notes = tuple(_notes(statement, judged, failures))
    if not (found or notes):
        return Judgement(clauses, failures=failures)
    holder = statement.holder
    spoken = Spoken(
        statement.span,
        statement.text,
        statement.fingerprint,
        None if holder is None else str(holder),
    )
    return Judgement(clauses, spoken, found, notes, failures)


def _hazards(
    statement: Statement, judged: Sequence[LockingClause], failures: dict[str, str]
) -> Iterator[tuple[Rule, Hazard]]:
    for rule in known_rules():
        if rule.subject is Subject.STATEMENT and rule.visit is not None:
            with sparing(rule, failures):
                for hazard in hazards(rule.visit, statement, statement):
                    unsure = _is_unsure(rule, hazard, statement)
                    if not unsure and hazard.span not in statement.view_names:
                        yield rule, _worded(rule, hazard, statement)
    for clause in judged:
        for rule in known_rules():
            if rule.subject is Subject.CLAUSE and rule.visit is not None:
                with sparing(rule, failures):
                    for hazard in hazards(rule.visit, clause, statement):
                        unsure = _is_unsure(rule, hazard, statement)
                        if not unsure and not _is_the_views(hazard, clause):
                            yield rule, _worded(rule, hazard, statement)


def _notes(
    statement: Statement, judged: Sequence[LockingClause], failures: dict[str, str]
) -> Iterator[tuple[Rule, Note]]:
    """What RUN rules want to know of the statement's own clauses."""
    for clause in judged:
        for rule in known_rules():
            if rule.gather is None or clause.is_inherited:
                continue
            if not (rule.about_missing and statement.is_open):
                with sparing(rule, failures):
                    yield from ((rule, note) for note in rule.gather(clause))


def _judged_clauses(statement: Statement) -> list[LockingClause]:
    """The clauses that are run; where one is refused, the whole statement is not."""
    clauses = locking_clauses(statement)
    refused = any(clause.refusal is not None for clause in clauses)
    return [
        clause
        for clause in clauses
        if clause.refusal is not None or not (refused or is_never_run(clause.query))
    ]


def _is_the_views(hazard: Hazard, clause: LockingClause) -> bool:
    """Whether a hazard of a clause in a view is told where the view is defined.

    Not one that its reader brings about, and not a refusal: that meets the reader.
    """
    if hazard.by_reader or hazard.sqlstate is not None:
        return False
    return clause.is_inherited and hazard.span == clause.span


def _is_unsure(rule: Rule, hazard: Hazard, statement: Statement) -> bool:
    """Whether what a rule says need not be so.

    A rule about other sessions may speak of a temporary table, which none of them sees; a
    rule about what is missing, of a statement into which more is put.
    """
    if rule.about_missing and statement.is_open:
        return True
    return rule.about_others and hazard.table in statement.transaction.temporary


def _worded(rule: Rule, hazard: Hazard, statement: Statement) -> Hazard:
    """The hazard in the words of who wrote the statement: of an ORM, where that sends it."""
    written = _as_written(hazard, statement)
    if statement.call is None:
        return written
    sent = _shortened(as_written(statement.call.text.rstrip(), statement.parameters))
    unknown = " and ".join(statement.call.unknown)
    if unknown:
        sent += f"; not known: {unknown}"
    return written._replace(
        severity=hazard.severity.lighter if unknown else hazard.severity,
        message=f"{written.message} (sends: {sent})",
        advice=statement.call.advice.get(rule.code, written.advice),
    )


def _shortened(sql: str) -> str:
    return sql if len(sql) <= _LONGEST_SHOWN else f"{sql[: _LONGEST_SHOWN - 1]}…"


_LONGEST_SHOWN = 160


def _as_written(hazard: Hazard, statement: Statement) -> Hazard:
    """The hazard with what is written in place of names that stand for it."""

    def written(text: str | None) -> str | None:
        return text and as_written(text, statement.parameters)

    return hazard._replace(
        message=as_written(hazard.message, statement.parameters),
        advice=written(hazard.advice),
        label=as_written(hazard.label, statement.parameters),
        table=written(hazard.table),
        places=tuple(
            place._replace(message=as_written(place.message, statement.parameters))
            for place in hazard.places
        ),
        fix=hazard.fix
        and hazard.fix._replace(message=as_written(hazard.fix.message, statement.parameters)),
    )
