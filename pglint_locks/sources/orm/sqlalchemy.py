"""SQLAlchemy's statements and queries: `select(Job).limit(10).with_for_update(skip_locked=True)`.

Mirrors `Select`, `Query` and `PGCompiler.for_update_clause` of SQLAlchemy 1.4 and 2; the
tests hold what is read here against the SQL that SQLAlchemy compiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.chain import (
    Argument,
    Chain,
    Link,
    arguments_of,
    chain_of,
    items_of,
    pairs_of,
    unknown_options,
)
from pglint_locks.sources.orm.evaluation import is_read, is_run, is_run_for_one
from pglint_locks.sources.orm.expressions import is_true, literal
from pglint_locks.sources.orm.models import Models
from pglint_locks.sources.orm.query import (
    UNKNOWN_NAME,
    Lock,
    OrmStatement,
    Part,
    Query,
    Sql,
    joined,
    sql,
)

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

ADVICE = {
    "PGL101": (
        "put the locking select in a CTE: picked = select(…).with_for_update(skip_locked=True)"
        ".cte('picked'), and test the key against select(picked.c.id)"
    ),
    "PGL102": "page by a key: .where(Model.id > last).order_by(Model.id).limit(20)",
    "PGL103": "put with_for_update() on the select that has the limit()",
    "PGL105": "add skip_locked=True to with_for_update()",
    "PGL301": (
        "write with_for_update(key_share=True): that is FOR NO KEY UPDATE, which keeps out the "
        "same writers and lets those INSERTs in"
    ),
    "PGL303": "write with_for_update(of=Model), with the model whose rows are changed",
    "PGL401": "order by a key: .order_by(Model.id)",
    "PGL402": "add .order_by(Model.id)",
    "PGL605": (
        "run the locking select first, session.scalars(select(…).with_for_update()).all(), and "
        "go on with those rows"
    ),
    "PGL703": "write with_for_update(of=Model): it leaves the nullable side out",
}

_METHODS = {"in_": "IN", "notin_": "NOT IN", "not_in": "NOT IN"}
_COMPARED = {"like": "LIKE", "ilike": "ILIKE", "is_": "IS", "is_not": "IS NOT", "isnot": "IS NOT"}
_SIGNS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_NEUTRAL = frozenset(
    """execution_options populate_existing yield_per enable_eagerloads with_entities subquery cte
    scalar_subquery params returning values correlate label alias as_scalar with_labels
    set_label_style autoflush enable_assertions add_columns""".split()
)
_FETCHES = frozenset(
    """all one one_or_none first scalar scalars scalar_one scalar_one_or_none unique mappings
    fetchall fetchone""".split()
)
_ROOTS = frozenset({"select", "update", "delete", "exists"})
_FETCHES_ONE = frozenset("one one_or_none scalar scalar_one scalar_one_or_none fetchone".split())


class Statements:
    """Reads statements and queries; `models` are those whose classes are known, by name.

    `held` are the statements that names stand for.
    """

    def __init__(self, models: Models, held: Mapping[str, Chain] = MappingProxyType({})) -> None:
        self._models = models
        self._held = held

    def statement(self, chain: Chain, node: Node | None = None) -> OrmStatement | None:
        """What a chain sends; None where nothing in it asks for a lock.

        `node` is the expression that it is, or goes on from.
        """
        if not _asks_for_lock(chain):
            return None
        if chain.held and not self._held:
            return Statements(self._models, chain.held).statement(chain, node)
        begun = self._begin(chain)
        if begun is None:
            return None
        query, sent = self._run(*begun)
        is_sent = query.is_sent or (node is not None and (is_run(node) or is_read(node)))
        if node is not None and is_run_for_one(node):
            query.fetches_one = True
        return query.statement(sent or self._whole(query, chain), ADVICE, is_whole=is_sent)

    def _whole(self, query: Query, chain: Chain) -> Sql:
        """What a chain with no call that sends something stands for, by what it begins with."""
        if _root_name(chain) == "update":
            changes = [each.keyword for link in chain.named("values") for each in link.arguments]
            return query.update(list(filter(None, changes)) or [UNKNOWN_NAME], query.root)
        return query.delete(query.root) if _root_name(chain) == "delete" else query.select()

    def _begin(self, chain: Chain) -> tuple[Query, list[Link]] | None:
        """What a chain selects from, and the links behind that; None for what is no query."""
        root = chain.root
        arguments: tuple[Argument, ...] | None = None
        rest = list(chain.links)
        if _root_name(chain) in _ROOTS:
            arguments = tuple(arguments_of(root))
        for index, link in enumerate(chain.links):
            if arguments is None and link.is_call and link.name in ("query", "select"):
                arguments, rest = link.arguments, list(chain.links[index + 1 :])
        if arguments is None:
            return None
        query = Query(root.span, "")
        for argument in arguments:
            self._add_source(query, argument.node)
        return query, rest

    def _add_source(self, query: Query, node: Node) -> None:
        """Adds what `select()` names: a model, a column, a function."""
        text = node.text
        function = _function(node)
        if function is not None:
            query.columns = sql(Part(f"{function}(*)", node.span))
            inside = [each.node.text.split(".")[0] for each in arguments_of(node)]
            text = inside[0] if inside else ""
        name, _, column = text.partition(".")
        table = self._table(name)
        if table and not query.table:
            query.table = table
        elif table and table != query.table and table not in _joined_tables(query):
            query.joins.append(sql(Part(f", {table}", node.span)))
        if column and function is None and column.isidentifier():
            query.columns = sql(query.columns, ", " if query.columns else "", self.expression(node))

    def _table(self, name: str) -> str:
        known = self._models.get(name)
        if known is not None:
            return known.table
        return name.lower() if name.isidentifier() else ""

    def _run(self, query: Query, rest: list[Link]) -> tuple[Query, Sql | None]:
        for link in rest:
            step = _STEPS.get(link.name) if link.is_call else None
            if step is not None:
                sent = step(self, query, link)
                if sent is not None:
                    query.is_sent = True
                    return query, sent
            elif not link.is_call or link.name in _FETCHES:
                query.is_sent = link.is_call
                query.fetches_one = link.name in _FETCHES_ONE
                break  # what follows is of the rows
            elif link.name not in _NEUTRAL:
                query.unknown.append(f"{link.name}()")
        return query, None

    # --- calls ---------------------------------------------------------------------------

    def _locks(self, query: Query, link: Link) -> None:
        query.lock = self._lock(query, link.arguments, link)

    def _lock(self, query: Query, arguments: tuple[Argument, ...], link: Link) -> Lock:
        given = {each.keyword: each.node for each in arguments if each.keyword}
        reads, shares = is_true(given.get("read")), is_true(given.get("key_share"))
        if reads:
            strength = "KEY SHARE" if shares else "SHARE"
        else:
            strength = "NO KEY UPDATE" if shares else "UPDATE"
        wait = "SKIP LOCKED" if is_true(given.get("skip_locked")) else None
        wait = "NOWAIT" if is_true(given.get("nowait")) else wait
        of = given.get("of")
        tables = [self._table(item.text.partition(".")[0]) for item in items_of(of)] if of else []
        query.unknown += unknown_options(link, "of")
        return Lock(link.span, strength, tuple(dict.fromkeys(filter(None, tables))), wait)

    def _where(self, query: Query, link: Link) -> None:
        for argument in link.arguments:
            if argument.keyword is None:
                query.where.append(self.expression(argument.node))
            else:
                value = Part(literal(argument.node), argument.node.span)
                query.where.append(sql(f"{argument.keyword} = ", value))

    def _joins(self, query: Query, link: Link) -> None:
        target = link.positional(0)
        if target is None:
            return
        outer = link.name == "outerjoin" or is_true(link.keyword("isouter"))
        name = target.text.rpartition(".")[2]
        self._join(query, self._related(target.text) or self._table(name), outer, link)

    def _related(self, path: str) -> str | None:
        """The table behind a relationship such as `Job.owner`."""
        owner, _, field = path.partition(".")
        model = self._models.get(owner)
        relation = model.relations.get(field) if model else None
        return self._table(relation.model) if relation else None

    def _join(self, query: Query, table: str, outer: bool, link: Link) -> None:
        word = "LEFT JOIN" if outer else "JOIN"
        query.joins.append(sql(" ", Part(f"{word} {table} ON $1", link.span)))

    def _options(self, query: Query, link: Link) -> None:
        """`joinedload()` joins in the same statement, on the outside unless told otherwise."""
        for argument in link.arguments:
            node = argument.node
            name = node.text.partition("(")[0].rpartition(".")[2]
            if node.kind == "call" and name == "joinedload":
                inside = list(arguments_of(node))
                inner = any(each.keyword == "innerjoin" and is_true(each.node) for each in inside)
                path = inside[0].node.text if inside else ""
                table = self._related(path) or path.rpartition(".")[2]
                self._join(query, f"{table} AS {table}_1", not inner, link)

    def _order_by(self, query: Query, link: Link) -> None:
        query.order += [self.expression(argument.node) for argument in link.arguments]

    def _limit(self, query: Query, link: Link) -> None:
        query.limit = sql(Part(f"LIMIT {_number(link)}", link.span))

    def _offset(self, query: Query, link: Link) -> None:
        query.offset = sql(Part(f"OFFSET {_number(link)}", link.span))

    def _slice(self, query: Query, link: Link) -> None:
        low, high = link.positional(0), link.positional(1)
        if low is not None and high is not None:
            query.limit = sql(Part("LIMIT $1", link.span))
            if low.text != "0":
                query.offset = sql(Part(f"OFFSET {literal(low)}", link.span))

    def _distinct(self, query: Query, link: Link) -> None:
        query.distinct = sql(Part("DISTINCT", link.span))

    def _group_by(self, query: Query, link: Link) -> None:
        query.group = joined((self.expression(each.node) for each in link.arguments), ", ")

    def _select_from(self, query: Query, link: Link) -> None:
        for argument in link.arguments:
            self._add_source(query, argument.node)

    # --- calls that send a statement -------------------------------------------------------

    def _get(self, query: Query, link: Link) -> Sql:
        query.where.append(sql(Part("id = $1", link.span)))
        return query.select()

    def _first(self, query: Query, link: Link) -> Sql:
        query.limit = query.limit or sql(Part("LIMIT 1", link.span))
        return query.select()

    def _count(self, query: Query, link: Link) -> Sql:
        """The query goes into FROM as it stands, and its clause onto the count as well."""
        lock = sql(" ", Part(query.lock.clause, query.lock.span)) if query.lock else ()
        counted = Part("SELECT count(*) FROM", link.span)
        return sql(counted, " (", query.select(), ") AS anon_1", lock)

    def _update(self, query: Query, link: Link) -> Sql:
        query.drop_lock(link)
        columns = [name.partition(".")[2] or name for name in pairs_of(link.positional(0))]
        return query.update(columns or [UNKNOWN_NAME], link.span)

    def _delete(self, query: Query, link: Link) -> Sql:
        query.drop_lock(link)
        return query.delete(link.span)

    # --- expressions -----------------------------------------------------------------------

    def expression(self, node: Node) -> Sql:
        """A condition or a sort key, as far as it can be read; `$1` for what cannot."""
        place = node.span
        if node.kind == "comparison_operator":
            return self._comparison(node)
        if (function := _function(node)) is not None:
            return sql(Part(f"{function}()", place))
        if node.kind in ("attribute", "identifier"):
            name = node.text.rpartition(".")[2]
            return sql(Part(name if node.kind == "attribute" else "$1", place))
        if node.kind == "call":
            return self._method(node)
        return sql(Part(literal(node), place))

    def _comparison(self, node: Node) -> Sql:
        parts = node.children
        sign = _SIGNS.get(parts[1].text) if len(parts) == 3 else None
        if sign is None:
            return sql(Part("$1", node.span))
        right = self._chosen(parts[2]) or self._value(parts[2])
        if parts[2].kind == "none":
            sign = "IS" if sign == "=" else "IS NOT"
        return sql(self.expression(parts[0]), f" {sign} ", right)

    def _value(self, node: Node) -> Sql:
        """What a column is compared with: an attribute of what is no class is a value."""
        if node.kind == "attribute" and not _is_of_class(node):
            return sql(Part("$1", node.span))
        return self.expression(node)

    def _method(self, node: Node) -> Sql:
        """`Job.id.in_(…)`, `Job.id.desc()`, `or_(…)`."""
        chain = chain_of(node)
        place = node.span
        name = node.text.partition("(")[0].rpartition(".")[2]
        if name in ("and_", "or_"):
            words = f" {name[:-1].upper()} "
            inside = joined((self.expression(each.node) for each in arguments_of(node)), words)
            return sql("(", inside, ")") if inside else sql(Part("$1", place))
        if not chain.links or not chain.links[-1].is_call:
            return sql(Part("$1", place))
        link = chain.links[-1]
        column = sql(Part(chain.links[-2].name, place)) if len(chain.links) > 1 else sql("$1")
        if link.name in _METHODS:
            return sql(column, " ", Part(_METHODS[link.name], link.span), " ", self._list(link))
        if link.name in _COMPARED and (value := link.positional(0)) is not None:
            return sql(column, f" {_COMPARED[link.name]} ", Part(literal(value), value.span))
        if link.name in ("asc", "desc"):
            return sql(column, Part(f" {link.name.upper()}", link.span))
        return sql(Part("$1", place))

    def _chosen(self, node: Node) -> Sql | None:
        """The sub-SELECT that a statement in a condition is; None for what is no statement."""
        begun = self._begin(Chain(node, (), self._held).resolved(node))
        if begun is None:
            return None
        query, _ = self._run(*begun)
        return sql("(", query.select(), ")")

    def _list(self, link: Link) -> Sql:
        node = link.positional(0)
        if node is None:
            return sql("($1)")
        if (chosen := self._chosen(node)) is not None:
            return chosen
        if node.kind not in ("list", "tuple", "set"):
            return sql(Part("($1, $2)", node.span))
        values = ", ".join(literal(item) for item in items_of(node)) or "NULL"
        return sql(Part(f"({values})", node.span))


_STEPS: dict[str, Callable[[Statements, Query, Link], Sql | None]] = {
    "with_for_update": Statements._locks,
    **dict.fromkeys(("where", "filter", "filter_by", "having"), Statements._where),
    **dict.fromkeys(("join", "outerjoin", "join_from"), Statements._joins),
    "options": Statements._options,
    "order_by": Statements._order_by,
    "limit": Statements._limit,
    "offset": Statements._offset,
    "slice": Statements._slice,
    "distinct": Statements._distinct,
    "group_by": Statements._group_by,
    "select_from": Statements._select_from,
    "get": Statements._get,
    "first": Statements._first,
    "count": Statements._count,
    "update": Statements._update,
    "delete": Statements._delete,
}


def _asks_for_lock(chain: Chain) -> bool:
    if any(chain.named("with_for_update")):
        return True
    inside = [chain.root, *(each.node for link in chain.links for each in link.arguments)]
    words = re.compile(rf"\b(?:{'|'.join(['with_for_update', *map(re.escape, chain.held)])})\b")
    return any(words.search(node.text) for node in inside)


def _root_name(chain: Chain) -> str:
    """The function whose call a chain begins with; empty for all else."""
    text = chain.root.text if chain.root.kind == "call" else ""
    return text.partition("(")[0].rpartition(".")[2]


def _joined_tables(query: Query) -> str:
    return "".join(part.text for join in query.joins for part in join)


def _function(node: Node) -> str | None:
    """The name in `func.random()`, `sa.func.count(…)`."""
    head, bracket, _ = node.text.partition("(")
    before, _, name = head.rpartition(".")
    return name if bracket and before.rpartition(".")[2] == "func" and name.isidentifier() else None


def _is_of_class(node: Node) -> bool:
    """Whether an attribute reads as one of a class: `Job.id`, `models.Job.id`."""
    names = node.text.split(".")
    return len(names) > 1 and names[-2][:1].isupper()


def _number(link: Link) -> str:
    node = link.positional(0)
    return "$1" if node is None else literal(node)
