"""Linting one file: its units are split, parsed, modelled and shown to the rules."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pglint_locks.config import Settings
from pglint_locks.findings import FiledNote, Finding, Fix, Hazard, Related, Rule, RunHazard, Subject
from pglint_locks.model.context import Context
from pglint_locks.model.flow import is_never_run
from pglint_locks.model.locks import LockingClause, locking_clauses
from pglint_locks.model.possible import hazards
from pglint_locks.model.routines import BodyCursor, Routine, altered
from pglint_locks.model.statements import ClauseMismatchError, Statement
from pglint_locks.model.transactions import Frame, Timeline, Transaction, read_timeline
from pglint_locks.model.triggers import Trigger, transition_tables, trigger_of
from pglint_locks.model.views import View, Views, known_views, tables_created, view_defined
from pglint_locks.rules import RULES, pgl001_syntax_error, pgl004_unread_lock
from pglint_locks.run import FileError, FileReport
from pglint_locks.sources.bodies.body import Body
from pglint_locks.sources.content import HostBody, read_content
from pglint_locks.sources.dialect import is_foreign_sql, names_other_database
from pglint_locks.sources.edits import placed
from pglint_locks.sources.kinds import SQL, kind_of
from pglint_locks.sources.units import Escape, NotAnalysed, SqlUnit
from pglint_locks.sql.deepstack import call_with_deep_stack
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.parse import Unparsed
from pglint_locks.sql.script import ParsedScript, clause_spans
from pglint_locks.sql.split import Comment
from pglint_locks.sql.standins import as_written
from pglint_locks.text import SourceText, Span

T = TypeVar("T")


def gather_views(work: Sequence[tuple[SourceText, Settings]]) -> Views:
    """The views that files define; what fails in one is told when that is linted."""
    return call_with_deep_stack(
        lambda: known_views(
            view
            for source, settings in work
            for view in _safely(partial(_views_defined, source, settings), source, []) or ()
        )
    )


def _views_defined(source: SourceText, settings: Settings) -> list[View]:
    views: list[View] = []
    for unit in read_content(source).scripts:
        script = ParsedScript.of_text(unit.text)
        if _is_foreign(source.name, unit.text, script, settings):
            continue
        for index, chunk in enumerate(script.chunks):
            words = chunk.first_words
            if words[:1] == ("create",) and not _MADE_BEFORE_VIEW.isdisjoint(words):
                parsed = script.result(index)
                if not isinstance(parsed, Unparsed):
                    view = view_defined(parsed.node, parsed.parameters)
                    views += [view] if view is not None else []
    return views


def lint_sources(
    work: Sequence[tuple[SourceText, Settings]], views: Views | None = None
) -> tuple[list[FileReport], list[FileError]]:
    """Lint files that the first look found worth reading; a failure in one is its own error.

    `views` are those that all files of the run define.
    """
    return call_with_deep_stack(lambda: _lint_all(work, views or Views()))


def _lint_all(
    work: Sequence[tuple[SourceText, Settings]], views: Views
) -> tuple[list[FileReport], list[FileError]]:
    errors: list[FileError] = []
    linted: list[_FileLint] = []
    for source, settings in work:
        lint = _FileLint(source, settings, views)
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


def _lint_run(linted: Sequence[_FileLint]) -> None:
    """Shows what was noted in all files to the rules over the whole run."""
    by_name = {lint.source.name: lint for lint in linted}
    for rule in RULES:
        notes = [note for lint in linted for note in lint.notes.get(rule.code, ())]
        if rule.subject is Subject.RUN and rule.visit is not None and notes:
            for found in rule.visit(sorted(notes, key=lambda note: note.sort_key)):
                by_name[found.at.filename].add_of_run(rule, found, by_name)


class _RoutineBody(NamedTuple):
    """A routine's body that is yet to be linted.

    `names` are of its arguments; `made` is what the model knows of the routine.
    """

    unit: SqlUnit
    language: str
    names: tuple[str, ...]
    returns_one_row: bool
    made: Routine | None
    transaction: Transaction


class _Ordered(NamedTuple):
    """Statements that run in an order: which of them before and after each one.

    `names` stand for what comes from outside; `cursors`, `fetched_once` and `escapes` are as
    in `BodyScript`, without `escapes` all are the unit's.
    """

    unit: SqlUnit
    script: ParsedScript
    earlier: Callable[[int], Iterable[int]]
    later: Callable[[int], Iterable[int]]
    names: Mapping[str, str] = MappingProxyType({})
    cursors: Mapping[int, tuple[bool, bool]] = MappingProxyType({})
    escapes: tuple[Escape | None, ...] | None = None
    fetched_once: frozenset[int] = frozenset()


@dataclass(slots=True)
class _FileLint:
    """The worklist of one file, and what came of it so far.

    `notes` are what RUN rules remember of it, by their codes.  `statements` are the ranges
    that a suppression may stand above, `run` those of SQL.  What stands once in the file is
    `said` and counted once, be it run in two places: `counted` are clauses.  `triggers` are those
    that it makes with transition tables.
    """

    source: SourceText
    settings: Settings
    views: Views
    findings: list[Finding] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    statements: list[Span] = field(default_factory=list)
    run: set[Span] = field(default_factory=set)
    clauses: int = 0
    notes: dict[str, list[FiledNote]] = field(default_factory=dict)
    said: set[tuple[str, Span]] = field(default_factory=set)
    counted: set[int] = field(default_factory=set)
    triggers: list[Trigger] = field(default_factory=list)

    def read(self) -> bool:
        """Lint the file's units; what RUN rules say of them comes later.  True when done."""
        content = read_content(self.source)
        self.comments += content.comments
        self.statements += content.statements
        bodies: deque[_RoutineBody] = deque()
        for script in content.scripts:
            bodies.extend(self._lint_script(script))
        for host in content.bodies:
            bodies.extend(self._lint_host_body(host))
        self._take_unread(content.not_analysed)
        while bodies:
            bodies.extend(self._lint_body(bodies.popleft()))
        return True

    def report(self) -> FileReport:
        """What came of it all, after suppressions and severity settings."""
        for unread in self.not_analysed:
            whole = SqlUnit.whole_file(self.source)
            hazard = pgl004_unread_lock.hazard(unread.reason, unread.span)
            self._add(whole, pgl004_unread_lock.RULE, hazard)
        kept = self._unsuppressed()
        return FileReport(
            findings=tuple(self._weighed(kept)),
            statements=len(self.run),
            clauses=self.clauses,
            not_analysed=tuple(self.not_analysed),
        )

    def _unsuppressed(self) -> list[Finding]:
        """The findings that no comment suppresses, and those that speak of such comments."""
        if not any("pglint" in comment.text.lower() for comment in self.comments):
            return self.findings
        from pglint_locks import suppressions

        comments = list(dict.fromkeys(self.comments))  # a script's has those of its SQL bodies
        read = suppressions.read(self.source, comments, self.statements, RULES)
        unread = [item.span for item in self.not_analysed]
        off = {code for code, severity in self.settings.severity.items() if severity is None}
        return suppressions.apply(self.findings, read, self.settings.enabled - off, unread)

    def _weighed(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        """The findings of enabled rules, with the severities that the settings give."""
        for finding in findings:
            code = finding.rule.code
            severity = self.settings.severity.get(code, finding.severity)
            if code in self.settings.enabled and severity is not None:
                yield finding._replace(severity=severity)

    @property
    def context(self) -> Context:
        """The settings that rules may read."""
        return Context(
            self.settings.queue_tables, self.settings.isolation_level, self.settings.strict_no_key
        )

    # --- scripts and bodies -------------------------------------------------------

    def _lint_script(self, unit: SqlUnit) -> Iterator[_RoutineBody]:
        """Lint a script's statements; the bodies of the routines in it are yet to be linted."""
        script = ParsedScript.of_text(unit.text)
        self._take_text(unit, script)
        if _is_foreign(unit.source.name, unit.text, script, self.settings):
            for index in script.locking:
                self._leave(unit, script, index, "another database's SQL")
            return
        for span in script.unread:
            self.clauses += 1
            self._note(unit, "another branch of a template", span)
        subjects = self._subjects(script)
        timeline = self._timeline(script, subjects)
        wanted = set(subjects)
        for block in timeline.blocks:
            if not subjects.isdisjoint(block.indexes):
                wanted.update(block.indexes)
        modelled = self._model(unit, script, wanted)
        timeline.join(modelled)
        self._alter_routines(script, modelled)
        if any(each.routine is not None for each in modelled.values()):
            self._take_triggers(script)
        yield from self._show(unit, script, subjects, modelled)

    def _lint_body(self, body: _RoutineBody) -> Iterator[_RoutineBody]:
        """Lint the statements of a routine's body: a transaction of unknown outer shape."""
        unit, made = body.unit, body.made
        if body.language == "plpgsql":
            from pglint_locks.sources.plpgsql import read_body

            ordered = self._joined(unit, read_body(unit))
        else:
            script = ParsedScript.of_text(unit.text)
            count = len(script.chunks)
            if made is not None:
                made = made._replace(statements=count)
            ordered = _Ordered(
                unit,
                script,
                range,
                lambda index: range(index + 1, count),
                fetched_once=frozenset({count - 1} if body.returns_one_row else ()),
            )
        names = {**{name: name for name in body.names}, **ordered.names}
        yield from self._lint_ordered(ordered._replace(names=names), body.transaction, made)

    def _lint_host_body(self, host: HostBody) -> Iterator[_RoutineBody]:
        """Lint the SQL that a function of a host language runs: one transaction, maybe."""
        before = len(self.findings)
        ordered = self._joined(host.unit, self._without_foreign(host.body))
        yield from self._lint_ordered(ordered, Transaction(Frame.POSSIBLE))
        for index in range(before, len(self.findings)):
            found = self.findings[index]
            if found.unit == host.unit.label:
                self.findings[index] = found._replace(unit=host.label_at(found.span))

    def _without_foreign(self, body: Body) -> Body:
        """A body without the statements that are another database's SQL; those are counted."""
        kept = []
        for statement in body.statements:
            unit = statement.unit
            script = ParsedScript.of_text(unit.text)
            if _is_foreign(unit.source.name, unit.text, script, self.settings):
                for index in script.locking:
                    self._leave(unit, script, index, "another database's SQL")
            else:
                kept.append(statement)
        return replace(body, statements=tuple(kept))

    def _joined(self, unit: SqlUnit, body: Body) -> _Ordered:
        """The statements of a body as one script, in the order of its control flow."""
        from pglint_locks.sources.bodies.script import body_script

        joined = body_script(body, unit)
        self._take_unread(body.not_analysed)
        self._take_comments(unit, body.comments)
        return _Ordered(
            joined.unit,
            ParsedScript(joined.script),
            joined.earlier,
            joined.later,
            {name: name for name in body.variables} | joined.spliced_names,
            joined.cursors,
            joined.escapes,
            joined.fetched_once,
        )

    def _lint_ordered(
        self, ordered: _Ordered, transaction: Transaction, made: Routine | None = None
    ) -> Iterator[_RoutineBody]:
        """Lint statements that run in an order; `made` is the routine whose body they are."""
        unit, script = ordered.unit, ordered.script
        self._take_text(unit, script)
        subjects = self._subjects(script)
        wanted = range(len(script.chunks)) if subjects else ()
        transition_tables = self._transition_tables(made)
        modelled = self._model(unit, script, set(wanted), ordered.names, transition_tables)
        for index, statement in modelled.items():
            statement.transaction = transaction
            statement.routine = statement.routine or made
            statement.fetches_one = index in ordered.fetched_once
            if index in ordered.cursors:
                statement.cursor = BodyCursor(*ordered.cursors[index])
            if index in subjects:
                statement.earlier = tuple(_known(modelled, ordered.earlier(index)))
                statement.later = tuple(_known(modelled, ordered.later(index)))
        yield from self._show(unit, script, subjects, modelled, ordered.escapes)

    def _show(
        self,
        unit: SqlUnit,
        script: ParsedScript,
        subjects: set[int],
        modelled: Mapping[int, Statement],
        escapes: tuple[Escape | None, ...] | None = None,
    ) -> Iterator[_RoutineBody]:
        """Show the statements that hold something to the rules; gives the bodies in them."""
        for index in sorted(subjects):
            if index not in modelled:
                continue
            parsed = script.result(index)
            if isinstance(parsed, Unparsed):
                continue
            if escapes is not None:
                unit = unit._replace(escape=escapes[index])
            chunk = script.chunks[index]
            if chunk.first_words[:1] not in _MAKE_ROUTINES:
                self._show_to_rules(unit, modelled[index])
                continue
            from pglint_locks.sources.routines import read_routine

            routine = read_routine(parsed, unit, chunk.span.start)
            if routine is None:
                self._show_to_rules(unit, modelled[index])
                continue
            label = " > ".join(name for name in (unit.label, routine.label) if name)
            self._show_to_rules(unit._replace(label=label), modelled[index])
            if routine.other_text is not None:
                for span in lock_word_spans(routine.other_text.text):
                    self._count(routine.other_text, [span])
                    self._note(routine.other_text, f"{routine.language} function body", span)
            if routine.body is not None:
                yield _RoutineBody(
                    routine.body._replace(label=label),
                    routine.language,
                    routine.argument_names,
                    routine.returns_one_row,
                    modelled[index].routine,
                    modelled[index].transaction.of_body(),
                )

    def _take_text(self, unit: SqlUnit, script: ParsedScript) -> None:
        self._take_comments(unit, script.comments)
        spans = [unit.map.file_span(chunk.span) for chunk in script.chunks]
        self.statements += spans
        self.run.update(spans)

    def _take_unread(self, not_analysed: Sequence[NotAnalysed]) -> None:
        for unread in not_analysed:
            if unread.span.start not in self.counted:
                self.counted.add(unread.span.start)
                self.clauses += 1
                self.not_analysed.append(unread)

    def _take_comments(self, unit: SqlUnit, comments: Sequence[Comment]) -> None:
        self.comments += [
            Comment(unit.map.file_span(comment.span), comment.text) for comment in comments
        ]

    def _subjects(self, script: ParsedScript) -> set[int]:
        """Indexes of the statements that rules look at, be it for the views that they read."""
        reading = {i for i, chunk in enumerate(script.chunks) if self.views.may_lock(chunk.text)}
        return reading.union(script.locking, script.unlocked)

    def _timeline(self, script: ParsedScript, subjects: set[int]) -> Timeline:
        """The transactions of a script; there are none to know of where nothing locks."""
        chunks = script.chunks if subjects else ()
        inside = self.settings.assume_in_transaction
        return read_timeline(chunks, lambda index: _node(script, index), inside)

    def _alter_routines(self, script: ParsedScript, modelled: dict[int, Statement]) -> None:
        """Takes ALTER FUNCTION into account for the routines that a script makes before it."""
        made = {index: each for index, each in modelled.items() if each.routine is not None}
        if not made:
            return
        alters = [
            index
            for index, chunk in enumerate(script.chunks)
            if chunk.first_words[:1] == ("alter",) and chunk.first_words[1:2] in _ROUTINES
        ]
        for index, statement in made.items():
            assert statement.routine is not None
            later = (_node(script, alter) for alter in alters if alter > index)
            statement.routine = altered(statement.routine, later)

    def _take_triggers(self, script: ParsedScript) -> None:
        """Remembers the triggers with transition tables that a script makes."""
        made = (
            trigger_of(_node(script, index))
            for index, chunk in enumerate(script.chunks)
            if "trigger" in chunk.first_words and "referencing" in chunk.text.lower()
        )
        self.triggers += [trigger for trigger in made if trigger is not None]

    def _transition_tables(self, made: Routine | None) -> frozenset[str]:
        """What a routine's body sees beside tables.

        A name that the file has a table of as well may mean that in another trigger's call.
        """
        seen = transition_tables(made.name, self.triggers) if made is not None else frozenset()
        return seen - tables_created(self.source.text) if seen else seen

    def _model(
        self,
        unit: SqlUnit,
        script: ParsedScript,
        wanted: set[int],
        names: Mapping[str, str] = MappingProxyType({}),
        transition_tables: frozenset[str] = frozenset(),
    ) -> dict[int, Statement]:
        """Statements as rules see them; `names` stand for what comes from outside."""
        modelled: dict[int, Statement] = {}
        for index in sorted(wanted):
            result = script.result(index)
            if isinstance(result, Unparsed):
                if index in script.locking:
                    self._refuse(unit, script, index, result)
                continue
            start = script.chunks[index].span.start
            self._count(unit, [clause.span.shifted(start) for clause in result.clauses])
            parsed = result._replace(parameters={**names, **result.parameters})
            try:
                modelled[index] = Statement(
                    parsed,
                    start,
                    self.context,
                    self.views,
                    transition_tables,
                    _indent(unit, start),
                )
            except ClauseMismatchError:
                for clause in result.clauses:
                    self._note(unit, "its place was not found", clause.span.shifted(start))
        return modelled

    def _show_to_rules(self, unit: SqlUnit, statement: Statement) -> None:
        for rule in RULES:
            if rule.subject is Subject.STATEMENT and rule.visit is not None:
                for hazard in hazards(rule.visit, statement, statement):
                    unsure = _is_unsure(rule, hazard, statement)
                    if unsure or hazard.span in statement.view_names:
                        continue
                    self._add(unit, rule, _as_written(hazard, statement), statement)
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
                            self._add(unit, rule, _as_written(hazard, statement), statement)
                if rule.gather is None or clause.is_inherited:
                    continue
                if rule.about_missing and statement.is_open:
                    continue
                for note in rule.gather(clause):
                    span = unit.map.file_span(note.span)
                    filed = FiledNote(unit.source.name, span, unit.label, note.fact)
                    self.notes.setdefault(rule.code, []).append(filed)

    # --- what could not be read ---------------------------------------------------

    def _refuse(self, unit: SqlUnit, script: ParsedScript, index: int, why: Unparsed) -> None:
        """Report a statement that holds a locking clause and does not parse.

        In files that are no SQL it is only counted: what they quote need not be whole.
        """
        if why.is_template:
            self._leave(unit, script, index, "unread template")
            return
        spans = self._leave(unit, script, index, "too large" if why.too_large else "syntax error")
        if spans and kind_of(unit.source.name) is SQL:
            stopped = why.span.shifted(script.chunks[index].span.start)
            at = spans[0] if why.too_large else stopped
            self._add(unit, pgl001_syntax_error.RULE, pgl001_syntax_error.hazard(why.message, at))

    def _leave(self, unit: SqlUnit, script: ParsedScript, index: int, reason: str) -> list[Span]:
        """Count a statement's clauses as not analysed; where they are in the unit."""
        chunk = script.chunks[index]
        spans = [span.shifted(chunk.span.start) for span in clause_spans(chunk)]
        for span in spans:
            if self._count(unit, [span]):
                self._note(unit, reason, span)
        return spans

    def _count(self, unit: SqlUnit, spans: Iterable[Span]) -> int:
        """Count clauses, each place in the file once; how many are new."""
        places = {unit.map.file_span(span).start for span in spans} - self.counted
        self.counted |= places
        self.clauses += len(places)
        return len(places)

    def _note(self, unit: SqlUnit, reason: str, span: Span) -> None:
        self.not_analysed.append(NotAnalysed(reason, unit.source, unit.map.file_span(span)))

    # --- from unit to file --------------------------------------------------------

    def _add(
        self, unit: SqlUnit, rule: Rule, hazard: Hazard, statement: Statement | None = None
    ) -> None:
        holder = statement and statement.holder
        names = [unit.label, holder and str(holder)]
        related = tuple(
            Related(place.message, unit.source, unit.map.file_span(place.span))
            for place in hazard.places
        )
        span = unit.map.file_span(hazard.span)
        if (rule.code, span) in self.said:
            return  # two clauses over one table, or one text that is run twice: said once
        self.said.add((rule.code, span))
        self.findings.append(
            Finding(
                rule=rule,
                severity=hazard.severity,
                source=unit.source,
                span=span,
                message=hazard.message,
                advice=hazard.advice,
                label=hazard.label,
                evidence=hazard.evidence,
                table=hazard.table,
                unit=" > ".join(name for name in names if name) or None,
                sqlstate=hazard.sqlstate,
                related=related,
                fix=_placed(hazard, unit, statement),
            )
        )

    def add_of_run(self, rule: Rule, found: RunHazard, by_name: Mapping[str, _FileLint]) -> None:
        """Add what a RUN rule found at one of this file's notes."""
        hazard = found.hazard
        self.findings.append(
            Finding(
                rule=rule,
                severity=hazard.severity,
                source=self.source,
                span=found.at.span,
                message=hazard.message,
                advice=hazard.advice,
                label=hazard.label,
                evidence=hazard.evidence,
                table=hazard.table,
                unit=found.at.unit,
                related=tuple(
                    Related(message, by_name[note.filename].source, note.span)
                    for note, message in found.others
                ),
            )
        )


def _indent(unit: SqlUnit, offset: int) -> str:
    """The white space that the line begins with in which a unit offset stands."""
    at = unit.map.file_span(Span(offset, offset)).start
    line = unit.source.line(unit.source.position(at).row)
    return line[: len(line) - len(line.lstrip())]


def _placed(hazard: Hazard, unit: SqlUnit, statement: Statement | None) -> Fix | None:
    """A hazard's fix in its file; none where psql sends less than the text of the statement."""
    if hazard.fix is None or statement is None:
        return None
    span = statement.span
    sent = statement.text == unit.text[span.start : span.end]
    return placed(hazard.fix, unit) if sent else None


def _is_the_views(hazard: Hazard, clause: LockingClause) -> bool:
    """Whether a hazard of a clause in a view is told where the view is defined.

    Not one that its reader brings about, and not a refusal: that meets the reader.
    """
    if hazard.by_reader or hazard.sqlstate is not None:
        return False
    return clause.is_inherited and hazard.span == clause.span


def _is_foreign(name: str, text: str, script: ParsedScript, settings: Settings) -> bool:
    if names_other_database(name, settings.dialect_paths):
        return True
    return is_foreign_sql(text, (chunk.text for chunk in script.chunks))


def _is_unsure(rule: Rule, hazard: Hazard, statement: Statement) -> bool:
    """Whether what a rule says need not be so.

    A rule about other sessions may speak of a temporary table, which none of them sees; a
    rule about what is missing, of a statement into which more is put.
    """
    if rule.about_missing and statement.is_open:
        return True
    return rule.about_others and hazard.table in statement.transaction.temporary


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


def _known(modelled: Mapping[int, Statement], indexes: Iterable[int]) -> Iterator[Statement]:
    return (modelled[index] for index in indexes if index in modelled)


_MAKE_ROUTINES = {("create",), ("do",)}
_MADE_BEFORE_VIEW = {"view", "materialized", "recursive", "temp", "temporary"}
_ROUTINES = {("function",), ("procedure",), ("routine",)}


def _node(script: ParsedScript, index: int) -> Any:
    """A statement's tree; None where it does not parse."""
    result = script.result(index)
    return None if isinstance(result, Unparsed) else result.node
