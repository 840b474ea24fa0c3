"""What EXECUTE runs, as far as it can be worked out, and the locks where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from pglint_locks.sources.bodies.body import BodyStatement, Role
from pglint_locks.sources.bodies.flow import Arm
from pglint_locks.sources.bodies.fragments import fragment_spans, lock_words
from pglint_locks.sources.bodies.templates import Template, Text, fill, literals_of, shown
from pglint_locks.sources.bodies.variables import Variables
from pglint_locks.sources.literals import literal_escape, literal_unit, nested
from pglint_locks.sources.plpgsql.extents import BodyTokens
from pglint_locks.sources.plpgsql.text_values import Place, TextValues, Tokens
from pglint_locks.sources.units import Escape, NotAnalysed, SqlUnit
from pglint_locks.sql.lockwords import lock_word_spans
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.sql.split import split
from pglint_locks.text import Span


@dataclass(frozen=True, slots=True)
class Execution:
    """An EXECUTE, of the text that the expression of these tokens gives."""

    first: int
    end: int
    runs_as: Role
    arm: Arm
    order: int
    target: str | None = None
    scroll: bool | None = None


class DynamicSql:
    """The dynamic SQL of one body."""

    def __init__(self, unit: SqlUnit, tokens: BodyTokens) -> None:
        self._unit = unit
        self._tokens = tokens
        self._values = TextValues(unit, tokens)
        self._allowance = 8 * len(unit.text) + (1 << 18)  # characters to be parsed for it
        self._names: dict[str, str] = {}  # of what is put into the texts
        self._read: set[int] = set()
        self._executed: list[tuple[int, int]] = []
        self._messages: set[int] = set()
        self._parted: list[Span] = []  # of clauses that several literals give

    @property
    def variables(self) -> Variables[Tokens]:
        """What the body's variables are set to."""
        return self._values.variables

    def ignore(self, first: int, end: int) -> None:
        """The literals of these tokens are messages, not SQL."""
        self._messages.update(range(first, end))

    def statements(self, execution: Execution) -> Iterator[BodyStatement]:
        """What an EXECUTE may run: one text, or the few that a variable may hold."""
        self._executed.append((execution.first, execution.end))
        place = Place(execution.order, execution.arm)
        for template in self._values.values(execution.first, execution.end, place):
            if not any(isinstance(part, Text) and part.text.strip() for part in template):
                continue
            filled = fill(template, self._allowance, self._names)
            self._allowance -= filled.effort
            if not filled.parses and filled.gaps:
                text, places = shown(template)
                within = self._unit.map.composed(places)
                self._parted += (within.file_span(span) for span in fragment_spans(text))
                continue
            self._read.update(literals_of([template]))
            unit = self._unit._replace(
                text=filled.text,
                map=self._unit.map.composed(filled.map),
                escape=self._escape(template),
            )
            yield BodyStatement(
                unit=unit,
                role=Role.DYNAMIC,
                runs_as=execution.runs_as,
                arm=execution.arm,
                order=execution.order,
                target=execution.target,
                scroll=execution.scroll,
                gaps=filled.gaps,
            )

    def _escape(self, template: Template) -> Escape | None:
        """How text is written in the literals of a template: None where that differs."""
        text, outer = self._unit.text, self._unit.escape
        literals = {self._tokens[index].span for index in literals_of([template])}
        escapes = {literal_escape(text, span) for span in literals}
        if outer is None or len(escapes) != 1:
            return None
        inner = escapes.pop()
        return nested(outer, inner if len(template) == 1 else partial(_without_percent, inner))

    # --- what could not be read --------------------------------------------------------

    def not_analysed(self) -> tuple[NotAnalysed, ...]:
        """The locks in literals of SQL text that did not become a statement."""
        executed = self._literals_from(self._executed)
        found: list[NotAnalysed] = []
        for index in self._values.strings(0, len(self._tokens)):
            if index in self._read or index in self._messages:
                continue
            value = literal_unit(self._unit, self._tokens[index].span)
            spans = lock_words(value.text)
            if index in executed:
                reason = "spliced text"
            elif spans and _is_sql(value.text):
                reason = "SQL text run elsewhere"
            else:
                continue
            found += (
                NotAnalysed(reason, value.source, value.map.file_span(span)) for span in spans
            )
        seen = {each.span.start for each in found}
        for span in self._parted:
            if span.start not in seen:
                seen.add(span.start)
                found.append(NotAnalysed("spliced text", self._unit.source, span))
        return tuple(found)

    def _literals_from(self, ranges: list[tuple[int, int]]) -> set[int]:
        """The literals in expressions, and in those of the variables that they name."""
        tokens, found, names = self._tokens, set[int](), set[str]()
        front = list(ranges)
        while front:
            first, end = front.pop()
            found.update(self._values.strings(first, end))
            for index in range(first, end):
                if tokens.is_name(index) and tokens.name(index) not in names:
                    names.add(tokens.name(index))
                    writes = self.variables.all_writes(tokens.name(index))
                    front += [write.value for write in writes if write.value]
        return found


def _without_percent(escape: Escape, text: str) -> str | None:
    """What is joined from several texts may be a format string."""
    return None if "%" in text else escape(text)


def _is_sql(text: str) -> bool:
    """Whether some statement in a text parses and holds lock words."""
    return any(
        next(lock_word_spans(chunk.text), None) is not None
        and isinstance(parse(chunk.text), Parsed)
        for chunk in split(text).chunks
    )
