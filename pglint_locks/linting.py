"""Linting one file: its units are split, parsed, modelled and shown to the rules."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pglint_locks.config import Settings
from pglint_locks.findings import Finding, Hazard, Related, Rule, Subject
from pglint_locks.model.flow import is_never_run
from pglint_locks.model.locks import locking_clauses
from pglint_locks.model.statements import ClauseMismatchError, Statement
from pglint_locks.model.transactions import join_in_order, transaction_blocks
from pglint_locks.rules import RULES, pgl001_syntax_error
from pglint_locks.run import FileError, FileReport
from pglint_locks.sources.dialect import is_foreign_sql, names_other_database
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.bodies import body_clause_spans
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.sql.parse import Unparsed
from pglint_locks.sql.script import ParsedScript, clause_spans
from pglint_locks.sql.split import Comment
from pglint_locks.text import SourceText, Span


def lint_sources(
    work: Sequence[tuple[SourceText, Settings]],
) -> tuple[list[FileReport], list[FileError]]:
    """Lint files that hold lock words or directives; a failure in one is its own error."""
    return call_with_deep_stack(lambda: _lint_all(work))


def _lint_all(
    work: Sequence[tuple[SourceText, Settings]],
) -> tuple[list[FileReport], list[FileError]]:
    reports: list[FileReport] = []
    errors: list[FileError] = []
    for source, settings in work:
        try:
            reports.append(_FileLint(source, settings).run())
        except Exception as error:
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            message = f"internal error: {error!r} in {where.name}, line {where.lineno}"
            errors.append(FileError(source.name, f"{message}; please report it"))
    return reports, errors


@dataclass(slots=True)
class _FileLint:
    """The worklist of one file, and what came of it so far."""

    source: SourceText
    settings: Settings
    findings: list[Finding] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    statements: list[Span] = field(default_factory=list)
    clauses: int = 0

    def run(self) -> FileReport:
        units = deque([SqlUnit.whole_file(self.source)])
        while units:
            units.extend(self._lint_unit(units.popleft()))
        kept = self._unsuppressed()
        return FileReport(
            findings=tuple(self._weighed(kept)),
            statements=len(self.statements),
            clauses=self.clauses,
            not_analysed=tuple(self.not_analysed),
        )

    def _unsuppressed(self) -> list[Finding]:
        """The findings that no comment suppresses, and those that speak of such comments."""
        if not any("pglint" in comment.text.lower() for comment in self.comments):
            return self.findings
        from pglint_locks import suppressions

        read = suppressions.read(self.source, self.comments, self.statements, RULES)
        unread = [item.span for item in self.not_analysed]
        return suppressions.apply(self.findings, read, self.settings.enabled, unread)

    def _weighed(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        """The findings of enabled rules, with the severities that the settings give."""
        for finding in findings:
            code = finding.rule.code
            severity = self.settings.severity.get(code, finding.severity)
            if code in self.settings.enabled and severity is not None:
                yield replace(finding, severity=severity)

    # --- one unit -----------------------------------------------------------------

    def _lint_unit(self, unit: SqlUnit) -> Iterator[SqlUnit]:
        """Lint a unit's statements; the units found inside them go back on the list."""
        script = ParsedScript(unit.text)
        self.comments += [
            Comment(unit.map.file_span(comment.span), comment.text) for comment in script.comments
        ]
        self.statements += [unit.map.file_span(chunk.span) for chunk in script.chunks]
        if self._is_foreign(unit, script):
            for index in script.locking:
                self._leave(unit, script, index, "another database's SQL")
            return
        modelled = self._model(unit, script)
        for block in transaction_blocks(script.chunks):
            join_in_order([modelled[index] for index in block if index in modelled])
        for index in script.locking:
            if index in modelled:
                self._show_to_rules(unit, modelled[index])
        yield from ()

    def _is_foreign(self, unit: SqlUnit, script: ParsedScript) -> bool:
        if names_other_database(unit.source.name, self.settings.dialect_paths):
            return True
        return is_foreign_sql(unit.text, (chunk.text for chunk in script.chunks))

    def _model(self, unit: SqlUnit, script: ParsedScript) -> dict[int, Statement]:
        """The statements that hold a lock, and all others of their transactions."""
        locking = set(script.locking)
        wanted = set(locking)
        for block in transaction_blocks(script.chunks):
            if not locking.isdisjoint(block):
                wanted.update(block)
        modelled: dict[int, Statement] = {}
        for index in sorted(wanted):
            result = script.result(index)
            if isinstance(result, Unparsed):
                if index in locking:
                    self._refuse(unit, script, index, result)
                continue
            start = script.chunks[index].span.start
            self.clauses += len(result.clauses)
            try:
                modelled[index] = Statement(result, start)
            except ClauseMismatchError:
                for clause in result.clauses:
                    self._note(unit, "its place was not found", clause.span.shifted(start))
            for body in body_clause_spans(result):
                self.clauses += 1
                self._note(unit, "function body", body.shifted(start))
        return modelled

    def _show_to_rules(self, unit: SqlUnit, statement: Statement) -> None:
        for clause in locking_clauses(statement):
            if clause.refusal is None and is_never_run(clause.query):
                continue
            for rule in RULES:
                if rule.subject is Subject.CLAUSE and rule.visit is not None:
                    for hazard in rule.visit(clause):
                        self._add(unit, rule, hazard)

    # --- what could not be read ---------------------------------------------------

    def _refuse(self, unit: SqlUnit, script: ParsedScript, index: int, why: Unparsed) -> None:
        """Report a statement that holds a locking clause and does not parse."""
        spans = self._leave(unit, script, index, "too large" if why.too_large else "syntax error")
        if spans:
            stopped = why.span.shifted(script.chunks[index].span.start)
            at = spans[0] if why.too_large else stopped
            self._add(unit, pgl001_syntax_error.RULE, pgl001_syntax_error.hazard(why.message, at))

    def _leave(self, unit: SqlUnit, script: ParsedScript, index: int, reason: str) -> list[Span]:
        """Count a statement's clauses as not analysed; where they are in the unit."""
        chunk = script.chunks[index]
        spans = [span.shifted(chunk.span.start) for span in clause_spans(chunk.text)]
        self.clauses += len(spans)
        for span in spans:
            self._note(unit, reason, span)
        return spans

    def _note(self, unit: SqlUnit, reason: str, span: Span) -> None:
        self.not_analysed.append(NotAnalysed(reason, unit.source, unit.map.file_span(span)))

    # --- from unit to file --------------------------------------------------------

    def _add(self, unit: SqlUnit, rule: Rule, hazard: Hazard) -> None:
        related = tuple(
            Related(place.message, unit.source, unit.map.file_span(place.span))
            for place in hazard.places
        )
        self.findings.append(
            Finding(
                rule=rule,
                severity=hazard.severity,
                source=unit.source,
                span=unit.map.file_span(hazard.span),
                message=hazard.message,
                advice=hazard.advice,
                label=hazard.label,
                evidence=hazard.evidence,
                table=hazard.table,
                unit=unit.label,
                sqlstate=hazard.sqlstate,
                related=related,
            )
        )
