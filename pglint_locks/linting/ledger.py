"""What came of linting one file: findings in it, and what was seen, read and left unread."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pglint_locks.config import Settings
from pglint_locks.findings import (
    FiledNote,
    Finding,
    Fix,
    Hazard,
    Note,
    Origin,
    Related,
    Rule,
    RunHazard,
    SuppressedFinding,
)
from pglint_locks.linting.judgement import Judgement, Spoken
from pglint_locks.plugins import known_rules, sparing
from pglint_locks.rules import pgl004_unread_lock
from pglint_locks.run import FileError, FileReport
from pglint_locks.sources.edits import placed
from pglint_locks.sources.kinds import kind_of
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.sql.fingerprint import fingerprint
from pglint_locks.sql.script import ParsedScript, clause_spans
from pglint_locks.sql.split import Comment
from pglint_locks.text import SourceText, Span


@dataclass(slots=True)
class Ledger:
    """What came of a file so far.

    `notes` are what RUN rules remember of it, by their codes.  `statements` are the ranges
    that a suppression may stand above, `run` those of SQL.  What stands once in the file is
    `said` and counted once, be it run in two places: `counted` are clauses, `in_part` those of
    calls of which something is not known.  `plans` has, for the places of statements
    that a server was to plan, why it did not; None where it did.
    `has_subjects`: rules looked at a statement of it.
    """

    source: SourceText
    findings: list[Finding] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    statements: list[Span] = field(default_factory=list)
    run: set[Span] = field(default_factory=set)
    clauses: int = 0
    notes: dict[str, list[FiledNote]] = field(default_factory=dict)
    said: set[tuple[str, Span]] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    counted: set[int] = field(default_factory=set)
    has_subjects: bool = False
    in_part: set[int] = field(default_factory=set)
    plans: dict[int, str | None] = field(default_factory=dict)

    # --- what was seen ----------------------------------------------------------------

    def take_text(self, unit: SqlUnit, script: ParsedScript) -> None:
        """Note the statements and comments of a script."""
        self.take_comments(unit, script.comments)
        spans = [unit.map.file_span(chunk.span) for chunk in script.chunks]
        self.statements += spans
        self.run.update(spans)

    def take_unread(self, not_analysed: Sequence[NotAnalysed]) -> None:
        """Count clauses that a reader saw and could not read, each once."""
        for unread in not_analysed:
            if unread.span.start not in self.counted:
                self.counted.add(unread.span.start)
                self.clauses += 1
                self.not_analysed.append(unread)

    def take_comments(self, unit: SqlUnit, comments: Sequence[Comment]) -> None:
        """Note the comments of a unit."""
        self.comments += [
            Comment(unit.map.file_span(comment.span), comment.text) for comment in comments
        ]

    def leave(self, unit: SqlUnit, script: ParsedScript, index: int, reason: str) -> list[Span]:
        """Count a statement's clauses as not analysed; where they are in the unit."""
        chunk = script.chunks[index]
        spans = [span.shifted(chunk.span.start) for span in clause_spans(chunk)]
        for span in spans:
            if self.count(unit, [span]):
                self.note(unit, reason, span)
        return spans

    def count(self, unit: SqlUnit, spans: Iterable[Span]) -> int:
        """Count clauses, each place in the file once; how many are new."""
        places = {unit.map.file_span(span).start for span in spans} - self.counted
        self.counted |= places
        self.clauses += len(places)
        return len(places)

    def count_in_part(self, unit: SqlUnit, spans: Iterable[Span]) -> None:
        """Note that the calls behind some clauses are not known in full."""
        self.in_part.update(unit.map.file_span(span).start for span in spans)

    def note(self, unit: SqlUnit, reason: str, span: Span) -> None:
        """Note that a clause, counted already, was not analysed."""
        self.not_analysed.append(NotAnalysed(reason, unit.source, unit.map.file_span(span)))

    def take_plan(self, unit: SqlUnit, start: int, why_not: str | None) -> None:
        """Note that a statement, which starts there in its unit, was to be planned."""
        self.plans[unit.map.file_span(Span(start, start)).start] = why_not

    # --- from unit to file ------------------------------------------------------------

    def take(self, unit: SqlUnit, judgement: Judgement) -> None:
        """File what the rules say of a statement of a unit."""
        self.count(unit, judgement.clauses)
        self.failures = {**judgement.failures, **self.failures}
        spoken = judgement.spoken
        if spoken is None:
            return
        for rule, hazard in judgement.hazards:
            with sparing(rule, self.failures):
                self.add(unit, rule, hazard, spoken)
        for rule, note in judgement.notes:
            with sparing(rule, self.failures):
                self._remember(unit, rule, note, spoken)

    def _remember(self, unit: SqlUnit, rule: Rule, note: Note, spoken: Spoken) -> None:
        """Keep what a RUN rule wants to know of this file."""
        span, origin = unit.map.file_span(note.span), _origin(unit, spoken)
        filed = FiledNote(unit.source.name, span, unit.label, origin, note.fact)
        self.notes.setdefault(rule.code, []).append(filed)

    def add(self, unit: SqlUnit, rule: Rule, hazard: Hazard, spoken: Spoken | None = None) -> None:
        """Add what a rule found in a unit, each place in the file once."""
        span = unit.map.file_span(hazard.span)
        if (rule.code, span) in self.said:
            return  # two clauses over one table, or one text that is run twice: said once
        self.said.add((rule.code, span))
        names = [unit.label, spoken and spoken.holder]
        related = [
            Related(place.message, unit.source, unit.map.file_span(place.span))
            for place in hazard.places
        ]
        label = " > ".join(name for name in names if name) or None
        origin = _origin(unit, spoken) if spoken else self._origin_at(span)
        found = self._finding(rule, hazard, span, origin, label, related)
        self.findings.append(found._replace(fix=_placed(hazard, unit, spoken)))

    def add_of_run(self, rule: Rule, found: RunHazard, ledgers: Mapping[str, Ledger]) -> None:
        """Add what a RUN rule found at one of this file's notes; `ledgers` are all, by name."""
        related = [
            Related(message, ledgers[note.filename].source, note.span)
            for note, message in found.others
        ]
        at = found.at
        self.findings.append(
            self._finding(rule, found.hazard, at.span, at.origin, at.unit, related)
        )

    def _origin_at(self, span: Span) -> Origin:
        """The innermost statement at a place; the place itself where there is none."""
        around = [each for each in self.statements if each.touches(span)]
        place = min(around, key=lambda each: each.end - each.start, default=span)
        return Origin(place, fingerprint(self.source.text[place.start : place.end]))

    def _finding(
        self,
        rule: Rule,
        hazard: Hazard,
        span: Span,
        origin: Origin,
        unit: str | None,
        related: Sequence[Related],
    ) -> Finding:
        return Finding(
            rule=rule,
            severity=hazard.severity,
            source=self.source,
            span=span,
            origin=origin,
            message=hazard.message,
            advice=hazard.advice,
            label=hazard.label,
            evidence=hazard.evidence,
            table=hazard.table,
            unit=unit,
            sqlstate=hazard.sqlstate,
            related=tuple(related),
        )

    # --- a ledger of a part -----------------------------------------------------------

    @property
    def speaks(self) -> bool:
        """Whether it has more to tell than statements and comments."""
        return bool(
            self.findings or self.notes or self.clauses or self.not_analysed or self.failures
        )

    def take_part(
        self, part: Ledger, by: int, with_fixes: bool, heard: Container[str] | None = None
    ) -> None:
        """Take over what came of a part of the file, `by` characters behind its start.

        `heard` are the codes of the rules whose findings matter, if not all of them do.
        """
        source = self.source
        if part.findings:
            self.findings += [
                found.shifted(by, source, with_fixes)
                for found in part.findings
                if heard is None or found.rule.code in heard
            ]
        if part.not_analysed:
            self.not_analysed += [
                each._replace(source=source, span=each.span.shifted(by))
                for each in part.not_analysed
            ]
        if part.comments:
            self.comments += [Comment(each.span.shifted(by), each.text) for each in part.comments]
        if part.failures:
            self.failures = {**part.failures, **self.failures}
        self.statements += [Span(start + by, end + by) for start, end in part.statements]
        self.run.update([Span(start + by, end + by) for start, end in part.run])
        self.clauses += part.clauses
        for code, notes in part.notes.items():
            self.notes.setdefault(code, []).extend(note.shifted(by) for note in notes)

    # --- the report -------------------------------------------------------------------

    def report(self, settings: Settings) -> FileReport:
        """What came of it all, after suppressions and severity settings."""
        for unread in self.not_analysed:
            whole = SqlUnit.whole_file(self.source)
            hazard = pgl004_unread_lock.hazard(unread.reason, unread.span)
            self.add(whole, pgl004_unread_lock.RULE, hazard)
        kept, suppressed = self._judged(settings)
        return FileReport(
            findings=tuple(_weighed(kept, settings)),
            statements=len(self.run),
            clauses=self.clauses,
            not_analysed=tuple(self.not_analysed),
            kind=kind_of(self.source.name).name,
            places=tuple(self.statements),
            suppressed=tuple(suppressed),
            failures=tuple(FileError(self.source.name, why) for why in self.failures.values()),
            in_part=len(self.in_part),
            planned=sum(why is None for why in self.plans.values()),
            unplanned=tuple(
                f"{self.source.name}:{self.source.position(at).row}: no plan: {why}"
                for at, why in sorted(self.plans.items())
                if why is not None
            ),
        )

    def _judged(self, settings: Settings) -> tuple[list[Finding], list[SuppressedFinding]]:
        """The findings that no comment suppresses, with those about comments; and the others."""
        if not any("pglint" in comment.text.lower() for comment in self.comments):
            return self.findings, []
        from pglint_locks import suppressions

        comments = list(dict.fromkeys(self.comments))  # a script's has those of its SQL bodies
        read = suppressions.read(self.source, comments, self.statements, known_rules())
        unread = [item.span for item in self.not_analysed]
        off = {code for code, severity in settings.severity.items() if severity is None}
        enabled = settings.enabled - off
        silenced = [
            each._replace(finding=finding)
            for each in suppressions.suppressed(self.findings, read, enabled)
            for finding in _weighed([each.finding], settings)
        ]
        return suppressions.apply(self.findings, read, enabled, unread), silenced


def _weighed(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    """The findings of enabled rules, with the severities that the settings give."""
    for finding in findings:
        code = finding.rule.code
        severity = settings.severity.get(code, finding.severity)
        if code in settings.enabled and severity is not None:
            yield finding._replace(severity=severity)


def _origin(unit: SqlUnit, spoken: Spoken) -> Origin:
    """A statement's place in its file, and its fingerprint."""
    return Origin(unit.map.file_span(spoken.span), spoken.fingerprint)


def _placed(hazard: Hazard, unit: SqlUnit, spoken: Spoken | None) -> Fix | None:
    """A hazard's fix in its file; none where psql sends less than the text of the statement."""
    if hazard.fix is None or spoken is None:
        return None
    span = spoken.span
    sent = spoken.text == unit.text[span.start : span.end]
    return placed(hazard.fix, unit) if sent else None
