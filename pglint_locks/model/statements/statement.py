"""A parsed statement with its query levels, and places in it as unit offsets."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from pglast import ast

from pglint_locks.model.queries.build import build_queries
from pglint_locks.model.queries.from_clause import location_of
from pglint_locks.model.queries.holders import Holder, holder_of
from pglint_locks.model.queries.known import NOTHING_KNOWN, Known
from pglint_locks.model.queries.query import Call, Cte, Query, RangeItem, SubLink, SubLinkKind
from pglint_locks.model.queries.routines import BodyCursor, Routine, routine_of
from pglint_locks.model.statements.context import Context
from pglint_locks.model.statements.transactions import Transaction
from pglint_locks.schema.names import TableName
from pglint_locks.schema.plans import PlanNode
from pglint_locks.sources.orm.query import OrmStatement
from pglint_locks.sql import selecttext
from pglint_locks.sql.clauses import ClauseText, clauses_by_select
from pglint_locks.sql.fingerprint import fingerprint
from pglint_locks.sql.parse import Parsed
from pglint_locks.sql.tokens import Tokens
from pglint_locks.text import LINE_END, Span

_WORD = re.compile(r"\w+")
_NO_SETTINGS = Context()
_RUN_AT_ONCE = (
    ast.SelectStmt,
    ast.InsertStmt,
    ast.UpdateStmt,
    ast.DeleteStmt,
    ast.MergeStmt,
    ast.DeclareCursorStmt,
    ast.CopyStmt,
    ast.CreateTableAsStmt,
)


class Statement:
    """One parsed statement.

    `transaction` is the one that it runs in, `executions` are those of a PREPARE's query.
    `earlier` and `later` are the other statements of the transaction, as far as that shows;
    `is_followed_by_unread` says that one of those that follow could not be read.
    `fetches_one`: who runs it takes one row and asks for no more.
    `routine` is the function or procedure in whose body it stands, or that it makes;
    `cursor` the PL/pgSQL cursor whose query it is.
    `targets`: the variables that take what it returns, or its cursor; `may_change` says whether
    `variable`, `variable.field`, `$1` or `=constant` may be another one in a later statement.
    `catches`: the conditions that the block around it handles (`unique_violation`).
    `is_open`: more clauses may be put into it than show.  `call` is the ORM's that sends it.
    `plan` is the plan that a server makes of it, where one was asked.
    `indent` is the white space that its first line begins with.
    `start` is the unit offset of its first character; every span that it gives is in
    unit offsets, and what comes from the definition of a view (of those `known`) has the place
    of the view's name in FROM.  Raises `ClauseMismatchError` where tree and text do not agree on
    the number of locking clauses.  `transition_tables` are those that a trigger's function
    sees, if it stands in the body of one.
    """

    def __init__(
        self,
        parsed: Parsed,
        start: int,
        context: Context = _NO_SETTINGS,
        known: Known = NOTHING_KNOWN,
        transition_tables: frozenset[str] = frozenset(),
        indent: str = "",
    ) -> None:
        self.node = parsed.node
        self.start = start
        self.indent = indent
        self.context = context
        self.earlier: tuple[Statement, ...] = ()
        self.later: tuple[Statement, ...] = ()
        self.is_followed_by_unread = False
        self.fetches_one = False
        self.transaction = Transaction()
        self.routine: Routine | None = routine_of(parsed.node)
        self.cursor: BodyCursor | None = None
        self.is_open = parsed.open
        self.call: OrmStatement | None = None
        self.plan: PlanNode | None = None
        self.targets: tuple[str, ...] = ()
        self.executions: tuple[Transaction, ...] = ()
        self.catches: frozenset[str] = frozenset()
        self.may_change: Callable[[str, Statement], bool] = _never_changes
        self.parameters = parsed.parameters
        self.parsed_text = parsed.text
        self.tokens = parsed.tokens
        self._spliced = {name: said for name, said in self.parameters.items() if said != name}
        self.known = known
        self._transition_tables = transition_tables
        texts = clauses_by_select(parsed.node, parsed.clauses)
        if texts is None:
            raise ClauseMismatchError
        self._clause_texts = texts

    @cached_property
    def queries(self) -> list[Query]:
        """The topmost query levels: one, but for utility statements that hold several."""
        return build_queries(self.node, self.parameters, self.known, self._transition_tables)

    @property
    def holder(self) -> Holder | None:
        """The view, rule or policy that the statement defines; its query is run by others."""
        return holder_of(self.node)

    @cached_property
    def levels(self) -> list[Query]:
        """All query levels, in no particular order."""
        return [level for query in self.queries for level in query.levels()]

    @property
    def is_run(self) -> bool:
        """Whether the queries in it are executed now: not those of EXPLAIN, PREPARE, DDL."""
        node = self.node
        if isinstance(node, ast.ExplainStmt):
            return any(
                option.defname == "analyze" and str(getattr(option.arg, "sval", "true")) != "false"
                for option in node.options or ()
            )
        return isinstance(node, _RUN_AT_ONCE)

    @property
    def read_only(self) -> Transaction | None:
        """The read-only transaction in which its queries are executed, if there is one."""
        run_in = (self.transaction,) if self.is_run else self.executions
        return next((each for each in run_in if each.characteristics.read_only), None)

    @property
    def text(self) -> str:
        """The statement as it is sent: what psql leaves out of it is blank."""
        return self.tokens.text

    @cached_property
    def fingerprint(self) -> str:
        """What stays the same when the statement is moved or laid out anew."""
        return fingerprint(self.parsed_text)

    @property
    def span(self) -> Span:
        """The whole statement."""
        return Span(self.start, self.start + len(self.text))

    @property
    def has_locking_clause(self) -> bool:
        """Whether a locking clause stands anywhere in it, or in a view that it reads."""
        return bool(self._clause_texts) or any(
            getattr(level.node, "lockingClause", None)
            for level in self.levels
            if level.view_item is not None
        )

    @property
    def is_write(self) -> bool:
        """Whether it changes rows anywhere."""
        return any(level.is_write for level in self.levels)

    def home(self, query: Query) -> int | None:
        """Index of a token that stands directly in the brackets of a SELECT, if one shows."""
        return selecttext.home(query.node, self.tokens)

    def line_gap(self, index: int) -> str:
        """What parts a new line from the one that a token stands in, so that they align.

        A space where the statement is a single line.
        """
        line_end = LINE_END.search(self.text)
        if line_end is None:
            return " "
        before = self.text[: self.tokens[index].span.start]
        line = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
        indent = self.indent if line == before else ""
        return line_end[0] + indent + re.sub(r"[^\t]", " ", line)

    def clause_texts(self, query: Query) -> tuple[ClauseText, ...]:
        """Where a SELECT's locking clauses stand, as statement offsets, in order."""
        if query.view_item is not None:
            place = self.item_name(query.view_item).shifted(-self.start)
            return (ClauseText(place, 0, ()),) * len(query.node.lockingClause or ())
        return self._clause_texts.get(id(query.node), ())

    def unit_span(self, span: Span) -> Span:
        """A range of statement offsets as unit offsets."""
        return span.shifted(self.start)

    def words(self, span: Span) -> str:
        """The text at a range of unit offsets in one line, without comments."""
        if span in self.view_names:
            return f"… in view {self.view_names[span]}"
        words = self.tokens.words(span.shifted(-self.start))
        return _WORD.sub(lambda word: self._spliced.get(word[0].lower(), word[0]), words)

    def target_name(self, query: Query) -> Span:
        """The name of the table that a write writes, with its schema."""
        return self.unit_span(selecttext.dotted_name(query.node.relation.location, self.tokens))

    def offset_clause(self, query: Query) -> Span:
        """A SELECT's OFFSET clause, to its last word."""
        return self._part(query, selecttext.offset_clause)

    def limit_clause(self, query: Query) -> Span:
        """A SELECT's LIMIT or FETCH clause, to its last word."""
        return self._part(query, selecttext.limit_clause)

    def order_clause(self, query: Query) -> Span:
        """A SELECT's ORDER BY clause, to its last word."""
        return self._part(query, selecttext.order_clause)

    def limit_words(self, query: Query) -> str:
        """A SELECT's LIMIT or FETCH clause as written, or whose it is."""
        if query.view_item is not None and query.view_item.view is not None:
            return f"the LIMIT of view {query.view_item.view.name}"
        return self.words(self.limit_clause(query))

    def limit_word(self, query: Query) -> Span:
        """The word LIMIT (or FETCH) of a SELECT."""
        start = self.limit_clause(query).start - self.start
        return self.unit_span(self.tokens[self.tokens.index_at(start)].span)

    def item_name(self, item: RangeItem) -> Span:
        """The name of a table, view or WITH query where FROM reads it."""
        item = item.holder.view_item or item
        location = location_of(item)
        if location is None:
            return self.span
        return self.unit_span(selecttext.dotted_name(location, self.tokens))

    @cached_property
    def view_names(self) -> dict[Span, TableName]:
        """The places that stand for what is in views, with the views' names."""
        return {
            self.item_name(item): item.view.name
            for level in self.levels
            for item in level.items
            if item.view is not None and level.view_item is None
        }

    def sort_keys(self, query: Query) -> tuple[Span, ...]:
        """The expressions of a SELECT's ORDER BY, without their directions."""
        if query.view_item is not None:
            return (self.item_name(query.view_item),) * len(query.node.sortClause or ())
        keys = selecttext.sort_keys(query.node, self.tokens, self._lock(query))
        return tuple(self.unit_span(key) for key in keys)

    def opening_word(self, query: Query) -> Span:
        """The word that opens a sub-SELECT in FROM."""
        return self._part(query, lambda node, tokens, _: selecttext.first_word(node, tokens))

    def cte_name(self, cte: Cte) -> Span:
        """A WITH query's name, where it is defined."""
        if cte.holder.view_item is not None:
            return self.item_name(cte.holder.view_item)
        return self.unit_span(self.tokens[self.tokens.index_at(cte.location)].span)

    def function_name(self, call: Call) -> Span:
        """A called function's name, with its schema."""
        if call.view_item is not None:
            return self.item_name(call.view_item)
        return self.unit_span(selecttext.dotted_name(call.location, self.tokens))

    def opener(self, link: SubLink) -> Span:
        """The words that open a sub-link: IN, NOT IN, EXISTS, `= ANY`.

        For a scalar or ARRAY they are those of the comparison that it stands in.
        """
        if link.holder.view_item is not None:
            return self.item_name(link.holder.view_item)
        location = link.location
        if link.kind in (SubLinkKind.SCALAR, SubLinkKind.ARRAY) and link.standing.comparison:
            location = link.standing.comparison.location
        return self.unit_span(selecttext.sub_link_opener(location, self.tokens))

    def tested_column(self, link: SubLink) -> str | None:
        """The column that `… IN (SELECT` or `… = ANY (SELECT` tests.

        None for a row of several, an expression, or another operator.
        """
        tested = link.node.testexpr
        operator = link.node.operName
        if not isinstance(tested, ast.ColumnRef) or (operator and operator[-1].sval != "="):
            return None
        return ".".join(getattr(part, "sval", "*") for part in tested.fields)

    def _lock(self, query: Query) -> int | None:
        texts = self.clause_texts(query)
        return texts[0].span.start if texts else None

    def _part(
        self, query: Query, find: Callable[[ast.SelectStmt, Tokens, int | None], Span | None]
    ) -> Span:
        if query.view_item is not None:
            return self.item_name(query.view_item)
        span = find(query.node, self.tokens, self._lock(query))
        return self.span if span is None else self.unit_span(span)


def _never_changes(_value: str, _later: Statement) -> bool:
    return False


class ClauseMismatchError(Exception):
    """Tree and text of a statement differ in their number of locking clauses."""
