"""Edits that have a sub-SELECT run once: in an array, or in a WITH query that is read.

`ARRAY(SELECT …)` without a reference to a row outside is an InitPlan, and a WITH query
that locks is never inlined (`contain_dml` in `SS_process_ctes`).
"""

from __future__ import annotations

from typing import NamedTuple

from pglast import ast

from pglint_locks.findings import Edit
from pglint_locks.model.edits.words import Edits, appended, has_only_tokens, like, prepended
from pglint_locks.model.locks.rescans import Rescan
from pglint_locks.model.queries.from_clause import from_nodes
from pglint_locks.model.queries.query import Cte, Query, QueryKind, RangeItem, SubLink, SubLinkKind
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.tokens import LEFT_PAREN
from pglint_locks.text import Span

_NO_EDITS: Edits = ()
_NAME = "picked"
_FIRST_WORDS = {
    QueryKind.SELECT: "SELECT",
    QueryKind.UPDATE: "UPDATE",
    QueryKind.DELETE: "DELETE_P",
    QueryKind.MERGE: "MERGE",
}


def run_once(statement: Statement, rescan: Rescan) -> Edits:
    """Edits by which the sub-SELECT of a rescan runs once; none where no way is known."""
    if rescan.correlated:
        return _NO_EDITS
    link = rescan.opener
    if isinstance(link, SubLink) and link.kind is SubLinkKind.ANY:
        if fits_array(rescan):
            return _in_array(statement, link)
        return _in_with_query(statement, link.query) if _is_free(link.query) else _NO_EDITS
    moved = next((query for query in (rescan.opened, rescan.limit) if _may_move(query)), None)
    return _NO_EDITS if moved is None else _in_with_query(statement, moved)


def fits_array(rescan: Rescan) -> bool:
    """Whether `= ANY (ARRAY(SELECT …))` can stand for what opens a rescan."""
    link = rescan.opener
    return (
        isinstance(link, SubLink)
        and link.kind is SubLinkKind.ANY
        and not isinstance(link.node.testexpr, ast.RowExpr)
        and _is_free(link.query)
    )


def _is_free(query: Query) -> bool:
    """Whether a sub-SELECT stands in the text and refers to no row outside of it."""
    holder = query.parent
    in_text = holder is not None and holder.view_item is None
    return in_text and not query.reads_outside(query)


def _may_move(query: Query) -> bool:
    return isinstance(query.embedding, RangeItem) and query.view_item is None and _is_free(query)


def _in_array(statement: Statement, link: SubLink) -> Edits:
    """`x IN (SELECT …)` becomes `x = ANY (ARRAY(SELECT …))`, and `x = ANY (…)` likewise."""
    tokens = statement.tokens
    opener = statement.opener(link).shifted(-statement.start)
    word = tokens.index_at(opener.end - 1)
    if tokens.name(word + 1) != LEFT_PAREN:
        return _NO_EDITS
    edits: Edits = (
        appended(statement, word + 1, like(tokens, word, "ARRAY(")),
        prepended(statement, tokens.closing(word + 1), ")"),
    )
    if tokens.name(word) == "IN_P":
        edits += (Edit(statement.unit_span(opener), like(tokens, word, "= ANY")),)
    return edits


# --- WITH -----------------------------------------------------------------------------


class _Place(NamedTuple):
    """What a WITH query takes the place of: a range of statement offsets, and the brackets.

    `name` is what it is called there, as written; None where nothing says.
    """

    span: Span
    opening: int
    name: str | None

    def inside(self, statement: Statement) -> Span:
        """What stands in the brackets, as statement offsets."""
        tokens = statement.tokens
        closing = tokens.closing(self.opening)
        return Span(tokens[self.opening].span.end, tokens[closing].span.start)


def _in_with_query(statement: Statement, query: Query) -> Edits:
    """The sub-SELECT is moved to a WITH query of the statement; its name stays its alias."""
    link = query.embedding
    place = _of_link(statement, link) if isinstance(link, SubLink) else _of_item(statement, query)
    if place is None:
        return _NO_EDITS
    tokens = statement.tokens
    taken = _names(statement, link)
    name = place.name
    if name is None or name.strip('"') in taken:
        numbers = (f"{_NAME}{number}" for number in ("", *map(str, range(2, 100))))
        name = next(free for free in numbers if free not in taken)
    inside = place.inside(statement)
    word = place.opening + 1
    body = f"{like(tokens, word, 'AS MATERIALIZED')} ({tokens.source(inside)})"
    made = _with_query(statement, query, f"{name} {body}")
    if made is None:
        return _NO_EDITS
    if isinstance(link, SubLink):
        return (
            Edit(statement.unit_span(inside), like(tokens, word, "SELECT * FROM ") + name),
            made,
        )
    span = place.span if name == place.name else Span(place.span.start, inside.end + 1)
    return (Edit(statement.unit_span(span), name), made)


def _of_link(statement: Statement, link: SubLink) -> _Place | None:
    """The brackets of `… IN (SELECT …)`."""
    tokens = statement.tokens
    opener = statement.opener(link).shifted(-statement.start)
    opening = tokens.index_at(opener.end - 1) + 1
    if tokens.name(opening) != LEFT_PAREN:
        return None
    return _Place(tokens.run(opening, tokens.closing(opening)), opening, None)


def _of_item(statement: Statement, query: Query) -> _Place | None:
    """A sub-SELECT in FROM with its brackets, its alias, and LATERAL before it."""
    tokens = statement.tokens
    word = tokens.index_at(statement.opening_word(query).start - statement.start)
    opening = tokens[word].opener
    if opening < 1 or opening != word - 1 or tokens.name(opening - 1) == LEFT_PAREN:
        return None
    first, closing = opening, tokens.closing(opening)
    if tokens.name(opening - 1) == "LATERAL_P":
        first -= 1
        if not has_only_tokens(tokens, tokens.run(first, opening)):
            return None
    alias = _alias(query)
    last = closing + 1 + (tokens.name(closing + 1) == "AS")
    if alias is None or alias.colnames or not has_only_tokens(tokens, tokens.run(closing, last)):
        return _Place(tokens.run(first, closing), opening, None)
    return _Place(tokens.run(first, last), opening, tokens.source(tokens[last].span))


def _alias(query: Query) -> ast.Alias | None:
    item = query.embedding
    assert isinstance(item, RangeItem)
    return next(node.alias for node, found in from_nodes(item.holder) if found is item)


def _names(statement: Statement, besides: object) -> set[str]:
    """The names of tables, WITH queries and aliases in a statement."""
    names: set[str] = set()
    for level in statement.levels:
        names.update(cte.name for cte in level.ctes)
        for item in level.named_items():
            names.update({item.table.name} if item.table is not None else ())
            names.update({item.refname} if item.refname and item is not besides else ())
    return names


def _with_query(statement: Statement, query: Query, made: str) -> Edit | None:
    """The new WITH query among those of the statement, behind those that it reads."""
    root, tokens = query.root, statement.tokens
    if isinstance(statement.node, ast.RuleStmt):  # NEW and OLD are not seen in WITH there
        return None
    reads = {
        item.cte
        for level in query.levels()
        for item in level.items
        if item.cte is not None and item.cte.holder not in set(query.levels())
    }
    if any(cte.holder is not root for cte in reads) or root.view_item is not None:
        return None
    if not root.ctes:
        first = _first_word(statement, root)
        gap = statement.line_gap(first) if first is not None else ""
        if first is None:
            return None
        return prepended(statement, first, f"{like(tokens, first, 'WITH ')}{made}{gap}")
    holder = _holding_cte(query)
    before = root.ctes[0] if not reads else holder
    if before is not None:
        at = tokens.index_at(before.location)
        return prepended(statement, at, f"{made},{statement.line_gap(at)}")
    last = root.ctes[-1]
    if any(node.search_clause or node.cycle_clause for node in root.node.withClause.ctes):
        return None
    closing = tokens.closing(tokens.body_of_with_query(last.location))
    gap = statement.line_gap(tokens.index_at(last.location))
    return appended(statement, closing, f",{gap}{made}")


def _holding_cte(query: Query) -> Cte | None:
    """The WITH query of the statement's own level that a query stands in."""
    level: Query | None = query
    while level is not None:
        if isinstance(level.embedding, Cte) and level.embedding.holder.parent is None:
            return level.embedding
        level = level.parent
    return None


def _first_word(statement: Statement, root: Query) -> int | None:
    """Index of the word that a statement's own query level begins with."""
    tokens, word = statement.tokens, _FIRST_WORDS.get(root.kind)
    if root.kind is QueryKind.SELECT:
        at = statement.home(root)
    else:
        at = tokens.index_at(root.node.relation.location) if word else None
    if at is None or word is None:
        return None
    depth = tokens[at].depth
    return next(
        (i for i in range(at, -1, -1) if tokens.name(i) == word and tokens[i].depth == depth), None
    )
