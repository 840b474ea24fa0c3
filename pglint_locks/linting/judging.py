"""Showing a statement to the rules, and what is kept of what they say."""

from __future__ import annotations

from pglint_locks.findings import Hazard, Rule, Subject
from pglint_locks.linting.ledger import Ledger
from pglint_locks.model.locks.row_marks import LockingClause, locking_clauses
from pglint_locks.model.planner.flow import is_never_run
from pglint_locks.model.statements.possible import hazards
from pglint_locks.model.statements.statement import Statement
from pglint_locks.rules import RULES
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.standins import as_written


def show_to_rules(ledger: Ledger, unit: SqlUnit, statement: Statement) -> None:
    """Add what the rules find in a statement and its clauses, and what RUN rules note."""
    for rule in RULES:
        if rule.subject is Subject.STATEMENT and rule.visit is not None:
            for hazard in hazards(rule.visit, statement, statement):
                unsure = _is_unsure(rule, hazard, statement)
                if unsure or hazard.span in statement.view_names:
                    continue
                ledger.add(unit, rule, _worded(rule, hazard, statement), statement)
    clauses = locking_clauses(statement)
    refused = any(clause.refusal is not None for clause in clauses)
    for clause in clauses:
        # Where one clause is refused, the whole statement is never run.
        if clause.refusal is None and (refused or is_never_run(clause.query)):
            continue
        for rule in RULES:
            if rule.subject is Subject.CLAUSE and rule.visit is not None:
                for hazard in hazards(rule.visit, clause, statement):
                    unsure = _is_unsure(rule, hazard, statement)
                    if not unsure and not _is_the_views(hazard, clause):
                        ledger.add(unit, rule, _worded(rule, hazard, statement), statement)
            if rule.gather is None or clause.is_inherited:
                continue
            if rule.about_missing and statement.is_open:
                continue
            for note in rule.gather(clause):
                ledger.remember(unit, rule, note, statement)


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
    return written._replace(
        message=f"{written.message} (sends: {_shortened(statement.call.text)})",
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
