"""The worklist of one file: its scripts and bodies are split, parsed, modelled and shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from pglint_locks.config import Settings
from pglint_locks.linting.judging import judge
from pglint_locks.linting.ledger import Ledger
from pglint_locks.linting.ordered import Ordered, body_in_order, sql_body
from pglint_locks.linting.parts import is_foreign, node_of
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.routines import Routine, altered
from pglint_locks.model.queries.triggers import Trigger, transition_tables, trigger_of
from pglint_locks.model.queries.views import tables_created
from pglint_locks.model.statements.context import Context
from pglint_locks.model.statements.generic import generic_sql
from pglint_locks.model.statements.statement import ClauseMismatchError, Statement
from pglint_locks.model.statements.timeline import Timeline, read_timeline
from pglint_locks.model.statements.transactions import Frame, Transaction
from pglint_locks.rules import pgl001_syntax_error
from pglint_locks.run import FileReport
from pglint_locks.sources.bodies.body import Body
from pglint_locks.sources.bodies.script import Facts, body_script
from pglint_locks.sources.content import HostBody, read_content
from pglint_locks.sources.dialect import FOREIGN, names_other_database
from pglint_locks.sources.kinds import SQL, kind_of
from pglint_locks.sources.orm.models import Models
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.parse import Unparsed
from pglint_locks.sql.psqlsettings import may_set
from pglint_locks.sql.script import ParsedScript
from pglint_locks.text import SourceText, Span

_MAKE_ROUTINES = {("create",), ("do",)}
_ROUTINES = {("function",), ("procedure",), ("routine",)}


class _RoutineBody(NamedTuple):
    """A routine's body that is yet to be linted.

    `names` are of its arguments; `made` is what the model knows of the routine; `spliced` as
    in `BodyScript`, of the text that makes it.
    """

    unit: SqlUnit
    language: str
    names: tuple[str, ...]
    returns_one_row: bool
    made: Routine | None
    transaction: Transaction
    spliced: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True)
class FileLint:
    """The linting of one file; `triggers` are those that it makes with transition tables.

    `models` are those of ORMs that other files define; a `witness` sees each statement that
    holds something.
    """

    source: SourceText
    settings: Settings
    known: Known
    models: Models | None = None
    witness: Callable[[SqlUnit, Statement], None] | None = None
    ledger: Ledger = field(init=False)
    triggers: list[Trigger] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with an empty ledger."""
        self.ledger = Ledger(self.source)

    def read(self) -> bool:
        """Lint the file's units; what RUN rules say of them comes later.  True when done."""
        content = read_content(self.source, self.models)
        self.ledger.comments += content.comments
        self.ledger.statements += content.statements
        bodies: deque[_RoutineBody] = deque()
        for script in content.scripts:
            bodies.extend(self._lint_script(script))
        for host in content.bodies:
            bodies.extend(self._lint_host_body(host))
        unread = content.not_analysed
        if names_other_database(self.source.name, self.settings.dialect_paths):
            unread = tuple(each._replace(reason=FOREIGN) for each in unread)
        self.ledger.take_unread(unread)
        while bodies:
            bodies.extend(self._lint_body(bodies.popleft()))
        return True

    def report(self) -> FileReport:
        """What came of it all, after suppressions and severity settings."""
        return self.ledger.report(self.settings)

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
        self.ledger.take_text(unit, script)
        if is_foreign(unit.source.name, unit.text, script, self.settings):
            for index in script.locking:
                self.ledger.leave(unit, script, index, FOREIGN)
            return
        for span in script.unread:
            self.ledger.clauses += 1
            self.ledger.note(unit, "in a template's other branch", span)
        subjects = self._subjects(script)
        self.ledger.has_subjects |= bool(subjects)
        timeline = self._timeline(script, subjects)
        wanted = set(subjects)
        for block in timeline.blocks:
            if not subjects.isdisjoint(block.indexes):
                wanted.update(block.indexes)
        modelled = self._model(unit, script, wanted)
        timeline.join(modelled)
        for statement in modelled.values():
            statement.may_change = partial(_is_set_between, unit.text, statement)
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
            ordered = sql_body(unit, returns_one_row=body.returns_one_row)
            if made is not None:
                made = made._replace(statements=len(ordered.script.chunks))
        names = {**body.spliced, **{name: name for name in body.names}, **ordered.names}
        yield from self._lint_ordered(ordered._replace(names=names), body.transaction, made)

    def _lint_host_body(self, host: HostBody) -> Iterator[_RoutineBody]:
        """Lint the SQL that a function of a host language runs: one transaction, maybe."""
        before = len(self.ledger.findings)
        ordered = self._joined(host.unit, self._without_foreign(host.body))
        for made in self._lint_ordered(ordered, Transaction(Frame.POSSIBLE)):
            yield made._replace(spliced=ordered.names)
        for index in range(before, len(self.ledger.findings)):
            found = self.ledger.findings[index]
            if found.unit == host.unit.label:
                self.ledger.findings[index] = found._replace(unit=host.label_at(found.span))

    def _without_foreign(self, body: Body) -> Body:
        """A body without the statements that are another database's SQL; those are counted."""
        kept = []
        for statement in body.statements:
            unit = statement.unit
            script = ParsedScript.of_text(unit.text)
            if is_foreign(unit.source.name, unit.text, script, self.settings):
                for index in script.locking:
                    self.ledger.leave(unit, script, index, FOREIGN)
            else:
                kept.append(statement)
        return replace(body, statements=tuple(kept))

    def _joined(self, unit: SqlUnit, body: Body) -> Ordered:
        """The statements of a body as one script, in the order of its control flow."""
        joined = body_script(body, unit)
        self.ledger.take_unread(body.not_analysed)
        self.ledger.take_comments(unit, body.comments)
        return body_in_order(body, joined)

    def _lint_ordered(
        self, ordered: Ordered, transaction: Transaction, made: Routine | None = None
    ) -> Iterator[_RoutineBody]:
        """Lint statements that run in an order; `made` is the routine whose body they are."""
        unit, script = ordered.unit, ordered.script
        self.ledger.take_text(unit, script)
        subjects = self._subjects(script).union(_dropping(ordered))
        wanted = range(len(script.chunks)) if subjects else ()
        transition_tables = self._transition_tables(made)
        modelled = self._model(unit, script, set(wanted), ordered.names, transition_tables)
        for index, statement in modelled.items():
            statement.transaction = transaction
            statement.routine = statement.routine or made
            ordered.tell(index, modelled)
            if statement.call is not None and statement.call.unknown:
                self.ledger.count_in_part(unit, _clauses_of(statement))
            if index in subjects:
                ordered.place(index, modelled)
        yield from self._show(unit, script, subjects, modelled, ordered.facts)

    def _show(
        self,
        unit: SqlUnit,
        script: ParsedScript,
        subjects: set[int],
        modelled: Mapping[int, Statement],
        facts: Callable[[int], Facts | None] = lambda _: None,
    ) -> Iterator[_RoutineBody]:
        """Show the statements that hold something to the rules; gives the bodies in them."""
        for index in sorted(subjects):
            if index not in modelled:
                continue
            parsed = script.result(index)
            if isinstance(parsed, Unparsed):
                continue
            if (known := facts(index)) is not None:
                unit = unit._replace(escape=known.escape)
            chunk = script.chunks[index]
            start = chunk.span.start
            clauses = tuple(clause.span.shifted(start) for clause in parsed.clauses)
            if self.witness is not None:
                self.witness(unit, modelled[index])
            self._plan(unit, modelled[index])
            judgement = judge(modelled[index], clauses)
            if chunk.first_words[:1] not in _MAKE_ROUTINES:
                self.ledger.take(unit, judgement)
                continue
            from pglint_locks.sources.routines import read_routine

            routine = read_routine(parsed, unit, start)
            if routine is None:
                self.ledger.take(unit, judgement)
                continue
            label = " > ".join(name for name in (unit.label, routine.label) if name)
            self.ledger.take(unit._replace(label=label), judgement)
            if routine.other_text is not None:
                for span in lock_word_spans(routine.other_text.text):
                    self.ledger.count(routine.other_text, [span])
                    self.ledger.note(routine.other_text, f"{routine.language} function body", span)
            if routine.body is not None:
                here = modelled[index].transaction
                yield _RoutineBody(
                    routine.body._replace(label=label),
                    routine.language,
                    routine.argument_names,
                    routine.returns_one_row,
                    modelled[index].routine,
                    here.of_body() if routine.name is None else here.of_callers(),
                )

    def _plan(self, unit: SqlUnit, statement: Statement) -> None:
        """Have a statement that locks planned, if a server is there to be asked."""
        planner = self.known.planner
        if planner is None or not statement.has_locking_clause:
            return
        sql = generic_sql(statement)
        plan = planner.plan(sql) if sql is not None else "it is not known whole"
        self.ledger.take_plan(unit, statement.start, plan if isinstance(plan, str) else None)
        statement.plan = None if isinstance(plan, str) else plan

    def _subjects(self, script: ParsedScript) -> set[int]:
        """Indexes of the statements that rules look at, be it for the views that they read."""
        reading = {
            i for i, chunk in enumerate(script.chunks) if self.known.views.may_lock(chunk.text)
        }
        return reading.union(script.locking, script.unlocked)

    def _timeline(self, script: ParsedScript, subjects: set[int]) -> Timeline:
        """The transactions of a script; there are none to know of where nothing locks."""
        chunks = script.chunks if subjects else ()
        inside = self.settings.assume_in_transaction
        return read_timeline(chunks, lambda index: node_of(script, index), inside)

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
            later = (node_of(script, alter) for alter in alters if alter > index)
            statement.routine = altered(statement.routine, later)

    def _take_triggers(self, script: ParsedScript) -> None:
        """Remembers the triggers with transition tables that a script makes."""
        made = (
            trigger_of(node_of(script, index))
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
            self.ledger.count(unit, [clause.span.shifted(start) for clause in result.clauses])
            parsed = result._replace(parameters={**names, **result.parameters})
            try:
                modelled[index] = Statement(
                    parsed,
                    start,
                    self.context,
                    self.known,
                    transition_tables,
                    _indent(unit, start),
                )
            except ClauseMismatchError:
                for clause in result.clauses:
                    self.ledger.note(unit, "its place was not found", clause.span.shifted(start))
        return modelled

    def _refuse(self, unit: SqlUnit, script: ParsedScript, index: int, why: Unparsed) -> None:
        """Report a statement that holds a locking clause and does not parse.

        In files that are no SQL it is only counted: what they quote need not be whole.
        """
        if why.is_template:
            self.ledger.leave(unit, script, index, "unread template")
            return
        spans = self.ledger.leave(
            unit, script, index, "too large" if why.too_large else "syntax error"
        )
        if spans and kind_of(unit.source.name) is SQL:
            stopped = why.span.shifted(script.chunks[index].span.start)
            at = spans[0] if why.too_large else stopped
            self.ledger.add(
                unit, pgl001_syntax_error.RULE, pgl001_syntax_error.hazard(why.message, at)
            )


def _clauses_of(statement: Statement) -> Iterator[Span]:
    """The places of a statement's locking clauses, in its unit."""
    for level in statement.levels:
        yield from (statement.unit_span(each.span) for each in statement.clause_texts(level))


def _dropping(ordered: Ordered) -> Iterator[int]:
    """Indexes of the statements for which an ORM drops a lock that it is asked for."""
    for index in range(len(ordered.script.chunks)):
        facts = ordered.facts(index)
        if facts is not None and facts.call is not None and facts.call.dropped is not None:
            yield index


def _indent(unit: SqlUnit, offset: int) -> str:
    """The white space that the line begins with in which a unit offset stands."""
    at = unit.map.file_span(Span(offset, offset)).start
    line = unit.source.line(unit.source.position(at).row)
    return line[: len(line) - len(line.lstrip())]


def _is_set_between(text: str, statement: Statement, value: str, later: Statement) -> bool:
    """What `Statement.may_change` asks, of a script's variables."""
    written = statement.parameters.get(value, f":'{value[1:]}'")
    return written in statement.text and may_set(text[statement.span.end : later.start], written)
