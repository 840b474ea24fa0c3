"""What is noted of a body while it is read: statements, expressions, dynamic SQL, variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pglint_locks.sources.bodies.body import Body, BodyStatement, Role
from pglint_locks.sources.bodies.flow import Arm
from pglint_locks.sources.plpgsql.dynamic_sql import DynamicSql, Execution
from pglint_locks.sources.plpgsql.extents import BodyTokens, blanked
from pglint_locks.sources.units import NotAnalysed, SqlUnit
from pglint_locks.text import Piece, SourceMap, Span

SELECT = "SELECT "
"""What is put in front of an expression; as long as the word PERFORM."""


_LOCK_WORDS = (("update",), ("share",), ("key", "share"), ("no", "key", "update"))


class Notes:
    """What was found so far, in the order of the text.

    Ranges of tokens are given by the first one and the one behind the last.
    """

    def __init__(self, unit: SqlUnit, tokens: BodyTokens) -> None:
        self.dynamic = DynamicSql(unit, tokens)
        self.opened: set[str] = set()
        self._unit = unit
        self._tokens = tokens
        self._found: list[BodyStatement | Execution] = []

    def body(self) -> Body:
        """All that was found; only now is it known what variables and cursors are used for."""
        statements = tuple(self._settled())
        return Body(
            statements,
            tuple(self._tokens.comments),
            (*self.dynamic.not_analysed(), *self._passed_over(statements)),
            self.dynamic.variables.declared,
            self.dynamic.variables.settings,
        )

    def _passed_over(self, statements: Iterable[BodyStatement]) -> Iterator[NotAnalysed]:
        """Locking clauses in no statement: the body's own grammar was lost before them."""
        read = [piece.file for each in statements for piece in each.unit.map.pieces]
        tokens = self._tokens
        for index in range(len(tokens)):
            end = _end_of_lock_words(tokens, index)
            if end is not None:
                span = self._unit.map.file_span(tokens.span(index, end))
                if not any(each.start <= span.start < each.end for each in read):
                    yield NotAnalysed("syntax error", self._unit.source, span)

    def _settled(self) -> Iterator[BodyStatement]:
        for found in self._found:
            if isinstance(found, Execution):
                yield from self.dynamic.statements(found)
            elif found.role is Role.CURSOR and found.target in self.opened:
                yield replace(found, opened=True)
            else:
                yield found

    def statement(
        self,
        role: Role,
        arm: Arm,
        first: int,
        end: int,
        *,
        blank: Span | None = None,
        target: str | None = None,
    ) -> None:
        """Note a statement, with what is `blank` (offsets in the body) taken out."""
        if first >= end:
            return
        span = self._tokens.span(first, end - 1)
        unit = self._unit.part(span)
        if role is Role.PERFORM:
            unit = unit._replace(text=SELECT + unit.text[len(SELECT) :])
        if blank is not None:
            text = blanked(unit.text, blank.shifted(-span.start)).rstrip()
            unit = unit._replace(text=text, map=unit.map.part(Span(0, len(text))))
        self._found.append(BodyStatement(unit, role, role, arm, first, target))

    def cursor(
        self,
        arm: Arm,
        query: tuple[int, int],
        name: str,
        scroll: bool | None,
        *,
        opened: bool = False,
    ) -> None:
        """Note a cursor's query; one that is declared may be opened later."""
        first, end = query
        if first < end:
            unit = self._unit.part(self._tokens.span(first, end - 1))
            role = Role.CURSOR
            self._found.append(BodyStatement(unit, role, role, arm, first, name, scroll, opened))

    def transaction_end(self, arm: Arm, first: int, end: int, *, chained: bool) -> None:
        """Note a COMMIT or ROLLBACK."""
        unit = self._unit.part(self._tokens.span(first, end - 1))
        role = Role.TRANSACTION
        self._found.append(BodyStatement(unit, role, role, arm, first, chained=chained))
        arm.commits.append(first)

    def expression(self, arm: Arm, first: int, end: int, *, target: str | None = None) -> None:
        """Note an expression, if it holds a query; the token before it stands for SELECT."""
        if first >= end or not self.holds_query(first, end):
            return
        span, word = self._tokens.span(first, end - 1), self._tokens[max(first - 1, 0)].span
        lead = len(SELECT)
        pieces = (
            Piece(Span(0, lead), word),
            Piece(Span(lead, lead + span.end - span.start), span),
        )
        unit = self._unit._replace(
            text=SELECT + self._tokens.text[span.start : span.end],
            map=self._unit.map.composed(SourceMap(pieces)),
        )
        role = Role.EXPRESSION
        self._found.append(BodyStatement(unit, role, role, arm, first, target))

    def expressions(self, arm: Arm, parts: Iterable[tuple[int, int]]) -> None:
        """Note several expressions."""
        for first, end in parts:
            self.expression(arm, first, end)

    def holds_query(self, first: int, end: int) -> bool:
        """Whether there is a sub-SELECT, or a FROM of the expression's own: `x := a FROM t`."""
        tokens = self._tokens
        if any(tokens.word(index) == "select" for index in range(first, end)):
            return True
        return any(
            tokens.word(index) == "from" and tokens.word(index - 1) != "distinct"
            for index in tokens.shallow(first, end)
        )

    def execution(
        self,
        runs_as: Role,
        arm: Arm,
        first: int,
        end: int,
        *,
        target: str | None = None,
        scroll: bool | None = None,
    ) -> None:
        """Note dynamic SQL: from behind EXECUTE, the text's expression, USING and INTO."""
        tokens, order = self._tokens, first
        stop = tokens.find(first, end, "into", "using")
        self._found.append(Execution(first, stop, runs_as, arm, order, target, scroll))
        self.expression(arm, first, stop)
        while stop < end:
            word, first = tokens.word(stop), stop + 1
            stop = tokens.find(first, end, "into", "using")
            if word == "using":
                self.expression(arm, first, stop)
            else:
                self.set_unknown(arm, first, stop, order)

    def set_unknown(self, arm: Arm, first: int, end: int, by: int | None = None) -> None:
        """Variables are given values that do not show in the text.

        `by` is the order of the statement that gives them.
        """
        for index in range(first, end):
            if self._tokens.is_name(index):
                order = index if by is None else by
                self.dynamic.variables.set(self._tokens.name(index), order, arm, None)


def _end_of_lock_words(tokens: BodyTokens, index: int) -> int | None:
    """The last token of `FOR UPDATE` and its kin, if they begin at a token and no loop does."""
    if tokens.word(index) != "for":
        return None
    for words in _LOCK_WORDS:
        last = index + len(words)
        if tuple(map(tokens.word, range(index + 1, last + 1))) == words:
            return None if tokens.word(last + 1) == "in" else last
    return None
