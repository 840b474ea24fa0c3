"""Query levels: a statement taken apart the way parse analysis does (`parsenodes.h: Query`).

Each SELECT, VALUES list, set operation and data-modifying statement is one `Query`.
It knows its range table (`RangeItem`), its WITH queries (`Cte`), the sub-links in its
expressions and where it is embedded itself.  The objects form a graph and are built
once, by `pglint_locks.model.queries.build`; nothing changes them afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pglast import ast

from pglint_locks.schema.names import TableName

if TYPE_CHECKING:
    from pglint_locks.model.queries.known import Known
    from pglint_locks.model.queries.views import View
    from pglint_locks.schema.catalog import Relation


class QueryKind(Enum):
    """What a query level does."""

    SELECT = "SELECT"
    SET_OPERATION = "UNION"
    VALUES = "VALUES"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    MERGE = "MERGE"


WRITES = frozenset({QueryKind.INSERT, QueryKind.UPDATE, QueryKind.DELETE, QueryKind.MERGE})


class ItemKind(Enum):
    """What an entry of a range table is (`RTEKind`)."""

    TABLE = "table"
    SUBQUERY = "sub-SELECT"
    CTE = "WITH query"
    FUNCTION = "function"
    TABLE_FUNCTION = "table function"
    TRANSITION_TABLE = "transition table"
    JOIN = "join"


class Clause(Enum):
    """The part of a query level that an expression stands in."""

    TARGET = "target list"
    DISTINCT = "DISTINCT ON"
    FROM = "FROM"
    ON = "ON"
    WHERE = "WHERE"
    GROUP = "GROUP BY"
    HAVING = "HAVING"
    WINDOW = "WINDOW"
    ORDER = "ORDER BY"
    LIMIT = "LIMIT"
    OFFSET = "OFFSET"
    SET = "SET"
    VALUES = "VALUES"
    RETURNING = "RETURNING"
    ACTION = "WHEN"


class SubLinkKind(Enum):
    """How an expression uses a sub-SELECT (`SubLinkType`)."""

    EXISTS = "EXISTS"
    ALL = "ALL"
    ANY = "ANY"
    ROW_COMPARE = "row comparison"
    SCALAR = "scalar"
    ARRAY = "ARRAY"


class Standing(NamedTuple):
    """Where in a clause an expression stands.

    `conjunct`: reached through ANDs alone, so that it must be true for a row to count.
    `negated`: below a NOT.  `comparison`: the outermost comparison operator around it.
    `comparands`: through operators and casts alone.
    """

    clause: Clause
    conjunct: bool = True
    negated: bool = False
    comparison: ast.A_Expr | None = None


@dataclass(slots=True, eq=False, repr=False)
class SubLink:
    """A sub-SELECT in an expression.  `location` is the parser's, a statement offset."""

    kind: SubLinkKind
    standing: Standing
    node: ast.SubLink
    location: int
    holder: Query
    query: Query = field(init=False)


class Call(NamedTuple):
    """A function call; `schema` is None where it is unqualified, `location` the parser's.

    `windowed`: it has an OVER clause.  `aggregate_syntax`: DISTINCT, ORDER BY, FILTER,
    WITHIN GROUP or `*` in the call, which only an aggregate takes.  `view_item`: see `Query`.
    """

    schema: str | None
    name: str
    node: ast.Node
    location: int
    standing: Standing
    windowed: bool = False
    aggregate_syntax: bool = False
    view_item: RangeItem | None = None

    @property
    def is_system(self) -> bool:
        """Whether the name can mean PostgreSQL's own function."""
        return self.schema in (None, "pg_catalog")


class Column(NamedTuple):
    """A column reference: its dotted parts ("*" for a whole row) and where it stands."""

    parts: tuple[str, ...]
    standing: Standing


@dataclass(slots=True, eq=False, repr=False)
class RangeItem:
    """An entry of a range table: what one name in FROM (or a write's target) stands for.

    `refname` is the name by which columns and OF call it; None for a join without alias.
    A `view` that the run defines is a sub-SELECT; a materialized one stays a table.
    `relation` is what the schema says of a table; None where it is not known.
    """

    kind: ItemKind
    refname: str | None
    holder: Query
    table: TableName | None = None
    query: Query | None = None
    cte: Cte | None = None
    lateral: bool = False
    columns: tuple[str, ...] | None = None
    view: View | None = None
    relation: Relation | None = None

    @property
    def wrapper(self) -> str | None:
        """The foreign-data wrapper of a foreign table, if the schema tells of it."""
        return self.relation.wrapper if self.relation is not None else None


@dataclass(slots=True, eq=False, repr=False)
class Cte:
    """A WITH query: its body, and every place that reads it."""

    name: str
    location: int
    holder: Query
    query: Query = field(init=False)
    references: list[RangeItem] = field(default_factory=list)


Embedding = SubLink | RangeItem | Cte | None


@dataclass(slots=True, eq=False, repr=False)
class Query:
    """One query level.

    `parent` is the level around it (None for a statement's own); `embedding` says how
    that level holds it: by a sub-link, as a range item, as a WITH query, or, with None,
    as an arm of a set operation or the source of an INSERT.  `parameters` are names that
    stand for what comes from outside (psql's variables, a routine's arguments and
    variables, parts of dynamic SQL), with what is written for each.
    `view_item` is set where a level comes from a view's definition, not from the text of
    the statement: the item there that names the view.  `known` is what names of
    relations mean, `transition_tables` are the names of those that a trigger's function sees.
    """

    kind: QueryKind
    node: ast.Node
    parent: Query | None
    embedding: Embedding
    ctes: list[Cte] = field(default_factory=list)
    items: list[RangeItem] = field(default_factory=list)
    target: RangeItem | None = None
    arms: list[Query] = field(default_factory=list)
    sub_links: list[SubLink] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    parameters: Mapping[str, str] = field(default_factory=dict)
    view_item: RangeItem | None = None
    known: Known | None = None
    transition_tables: frozenset[str] = frozenset()

    @property
    def is_write(self) -> bool:
        """Whether this level is an INSERT, UPDATE, DELETE or MERGE."""
        return self.kind in WRITES

    @property
    def is_arm(self) -> bool:
        """Whether this level is an arm of a set operation."""
        return (
            self.embedding is None
            and self.parent is not None
            and self.parent.kind is QueryKind.SET_OPERATION
        )

    @property
    def root(self) -> Query:
        """The statement's own level."""
        query = self
        while query.parent is not None:
            query = query.parent
        return query

    @property
    def enclosing(self) -> Query | None:
        """The level around whose names can be seen from here: none is from inside a view."""
        is_view = isinstance(self.embedding, RangeItem) and self.embedding.view is not None
        return None if is_view else self.parent

    def children(self) -> Iterator[Query]:
        """The levels directly below this one."""
        for cte in self.ctes:
            yield cte.query
        for item in self.items:
            if item.query is not None:
                yield item.query
        yield from self.arms
        for link in self.sub_links:
            yield link.query

    def item_named(self, refname: str) -> RangeItem | None:
        """The FROM item of this level that a name in OF means."""
        return next((item for item in self.items if item.refname == refname), None)

    def levels(self) -> Iterator[Query]:
        """This level and all below it."""
        stack = [self]
        while stack:
            query = stack.pop()
            yield query
            stack.extend(query.children())

    def sources(self) -> Iterator[Query]:
        """The levels whose rows this one reads: FROM sub-SELECTs, WITH queries, arms."""
        for item in self.items:
            if item.query is not None:
                yield item.query
            elif item.cte is not None:
                yield item.cte.query
        yield from self.arms

    def resolve(self, parts: tuple[str, ...]) -> RangeItem | None:
        """The range item that a column reference means, here or in a level around.

        An unqualified name belongs to the innermost level that could have it: without
        a schema, any level with a table or function in it.  None if nothing shows, or for a
        bare `*`, which means all items of its own level.
        """
        if parts == ("*",) or (len(parts) == 1 and parts[0] in self.parameters):
            return None
        for level, before in self._levels_seen():
            if len(parts) > 1:
                for item in _by_refname(level).get(parts[-2], ()):
                    is_seen = before is None or item in level.named_items(before)
                    if is_seen and _names(item, parts):
                        return item
            else:
                found = _holder_of_column(level.named_items(before), parts[0])
                if found is not None:
                    return found
        return None

    def visible(self) -> Iterator[list[RangeItem]]:
        """The range items that an expression here can name, level by level outwards."""
        return (level.named_items(before) for level, before in self._levels_seen())

    def _levels_seen(self) -> Iterator[tuple[Query, RangeItem | None]]:
        """The levels whose items can be named here; those before one where it is LATERAL."""
        yield self, None
        query = self
        while (parent := query.enclosing) is not None:
            embedding = query.embedding
            if isinstance(embedding, SubLink):
                yield parent, None
            elif isinstance(embedding, RangeItem) and embedding.lateral:
                yield parent, embedding
            query = parent

    def named_items(self, before: RangeItem | None = None) -> list[RangeItem]:
        """The target and the FROM items; to a LATERAL one only those that stand before it."""
        own = [self.target] if self.target is not None else []
        end = None if before is None else self.items.index(before)
        return [*own, *self.items[:end]]

    def reads_from(self, level: Query, item: RangeItem | None = None) -> bool:
        """Whether this level or one below refers to a row of `level` (of `item` in it)."""
        for query in self.levels():
            for column in query.columns:
                found = query.resolve(column.parts)
                if found is not None and found.holder is level and item in (None, found):
                    return True
        return False

    def reads_outside(self, holder: Query) -> bool:
        """Whether this level or one below refers to a row of a level around `holder`."""
        around = holder.parent
        while around is not None:
            if self.reads_from(around):
                return True
            around = around.parent
        return False


@lru_cache(maxsize=256)
def _by_refname(query: Query) -> dict[str, list[RangeItem]]:
    """The items of a level by the names that they are called by."""
    found: dict[str, list[RangeItem]] = {}
    for item in query.named_items():
        if item.refname is not None:
            found.setdefault(item.refname, []).append(item)
    return found


def _names(item: RangeItem, parts: tuple[str, ...]) -> bool:
    """Whether the qualifier of a column reference is this item's name."""
    match parts:
        case (refname, _):
            return item.refname == refname
        case (schema, name, _) if item.table is not None:
            return item.refname == name and item.table.schema in (None, schema)
    return False


def _holder_of_column(items: list[RangeItem], column: str) -> RangeItem | None:
    """The item of a level that has, or may have, a column; a whole-row name counts."""
    maybe: RangeItem | None = None
    for item in items:
        if item.refname == column:
            return item
        if item.kind is ItemKind.JOIN:
            continue
        if item.columns is None:
            maybe = maybe or item
        elif column in item.columns:
            return item
    return maybe
