"""Django's querysets: `Job.objects.select_for_update(skip_locked=True).filter(…)[:10]`.

Mirrors `QuerySet`, `Query` and `SQLCompiler` of Django 4.2 to 6.0; the tests hold what is
read here against the SQL that Django compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.chain import (
    Argument,
    Chain,
    Link,
    before_calls,
    chain_of,
    items_of,
    string_of,
    unknown_options,
)
from pglint_locks.sources.orm.django_terms import (
    LOOKUPS,
    OPERATORS,
    is_column,
    selected,
    slice_of,
    sort_expression,
    turned,
)
from pglint_locks.sources.orm.evaluation import is_read
from pglint_locks.sources.orm.expressions import is_true, literal
from pglint_locks.sources.orm.models import Model, Models
from pglint_locks.sources.orm.query import (
    UNKNOWN_NAME,
    UNKNOWN_TABLE,
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
    "PGL101": "fetch the keys first: pk__in=list(….values_list('pk', flat=True))",
    "PGL102": "page by a key: .filter(pk__gt=last).order_by('pk')[:20]",
    "PGL103": "put select_for_update() on the queryset that is sliced",
    "PGL105": "add skip_locked=True to select_for_update()",
    "PGL301": (
        "write select_for_update(no_key=True): it keeps out the same writers and lets those "
        "INSERTs in"
    ),
    "PGL303": "write select_for_update(of=('self',))",
    "PGL401": "order by a key: .order_by('pk')",
    "PGL402": "add .order_by('pk')",
    "PGL605": (
        "fetch the rows that are locked, rows = list(….select_for_update()), and go on with those"
    ),
    "PGL703": "write select_for_update(of=('self',)), which leaves the nullable side out",
}
MANAGERS = frozenset({"objects", "_default_manager", "_base_manager"})

# Calls that change nothing of what matters here.
_NEUTRAL = frozenset(
    """all using only defer prefetch_related alias select_for_update values values_list
    annotate""".split()
)
_READS = frozenset({"iterator", "aiterator", "in_bulk", "ain_bulk"})
_NO_CONDITIONS = frozenset({"defaults", "create_defaults"})


class Querysets:
    """Reads querysets; `models` are those whose classes are known, by name."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def statement(self, chain: Chain, node: Node | None = None) -> OrmStatement | None:
        """What a chain sends; None where nothing in it asks for a lock.

        `node` is the expression that it is, or goes on from.
        """
        if not _asks_for_lock(chain):
            return None
        query, sent = self._run(chain)
        is_sent = query.is_sent or (node is not None and is_read(node))
        tells_order = query.is_ordered or not query.model.is_ordered
        is_whole = is_sent and query.model.is_known and tells_order and _has_manager(chain)
        return query.statement(sent or query.select(), ADVICE, is_whole=is_whole)

    def _run(self, chain: Chain) -> tuple[Query, Sql | None]:
        """The query behind all calls; where one sends a statement of its own, that one."""
        query, rest = self._begin(chain)
        called = False
        for link in rest:
            step = _STEPS.get(link.name) if link.is_call else None
            if called and not link.is_call and link.name:
                break  # an attribute of what the query gives
            called |= link.is_call
            if not link.name:
                slice_of(query, link)
                query.is_sent = True
                if link.arguments[0].node.kind != "slice":
                    break
            elif step is not None:
                sent = step(self, query, link)
                if sent is not None:
                    query.is_sent = True
                    return query, sent
            elif link.name in _READS:
                query.is_sent = True
            elif link.is_call and link.name not in _NEUTRAL:
                query.unknown.append(f"{link.name}()")
        return query, None

    def _begin(self, chain: Chain) -> tuple[Query, list[Link]]:
        """The table that a chain begins with, and the links behind its manager."""
        name, rest, is_class = chain.root.text, list(chain.links), False
        for index, link in enumerate(chain.links):
            if link.name in MANAGERS:
                rest, is_class = rest[index + 1 :], True
                break
            if link.is_call:
                break
            name = link.name
        is_class = is_class and name[:1].isupper()
        model = self._models.get(name) or Model(name.lower() if is_class else UNKNOWN_TABLE)
        query = Query(chain.root.span, model.table, model, chain=chain)
        if model.table == UNKNOWN_TABLE:
            query.rows_of = before_calls(chain)
        return query, rest

    # --- calls ---------------------------------------------------------------------------

    def _lock(self, query: Query, link: Link) -> None:
        asked = link.keyword("of")
        items = items_of(asked) if asked is not None else ()
        of = tuple(table for item in items if (table := self._of(query.model, string_of(item))))
        wait = "SKIP LOCKED" if is_true(link.keyword("skip_locked")) else None
        wait = "NOWAIT" if is_true(link.keyword("nowait")) else wait
        strength = "NO KEY UPDATE" if is_true(link.keyword("no_key")) else "UPDATE"
        query.unknown += unknown_options(link, "of")
        query.lock = Lock(link.span, strength, of, wait)

    def _of(self, model: Model, name: str | None) -> str | None:
        if name is None:
            return None
        if name == "self":
            return model.table
        relation = model.relations.get(name)
        return self._table(relation.model) if relation else name

    def _table(self, name: str) -> str:
        known = self._models.get(name)
        return known.table if known else name.lower()

    def _filter(self, query: Query, link: Link) -> None:
        query.where += self._conditions(query, link)

    def _exclude(self, query: Query, link: Link) -> None:
        found = joined(self._conditions(query, link), " AND ")
        query.where.append(sql("NOT (", found, ")"))

    def _conditions(self, query: Query, link: Link) -> list[Sql]:
        return [
            self._condition(query, argument)
            for argument in link.arguments
            if argument.node.kind not in ("dictionary_splat", "list_splat")
        ]

    def _condition(self, query: Query, argument: Argument) -> Sql:
        place = argument.node.span
        if argument.keyword is None:  # Q(…), an expression
            if argument.node.kind != "call" or "__" in argument.node.text:
                query.may_join.append(argument.node.text)
            return sql(Part("$1", place))
        column, operator = self._column(query, argument.keyword, argument.node)
        if operator == "in":
            return sql(f"{column} ", Part("IN ", place), self._list(query, argument.node))
        if operator == "isnull":
            word = "IS NOT NULL" if argument.node.text == "False" else "IS NULL"
            return sql(Part(f"{column} {word}", place))
        if operator == "range":
            return sql(Part(f"{column} BETWEEN $1 AND $2", place))
        return sql(f"{column} {OPERATORS[operator]} ", Part(literal(argument.node), place))

    def _column(self, query: Query, path: str, value: Node) -> tuple[str, str]:
        """The column and the operator that a lookup such as `owner__name__in` stands for."""
        model, names = query.model, path.split("__")
        operator = names.pop() if len(names) > 1 and names[-1] in LOOKUPS else "exact"
        table = model.table
        while len(names) > 1 and (relation := model.relations.get(names[0])) is not None:
            if names[1:] in (["pk"], ["id"], [f"{names[0]}_id"]):
                return f"{table}.{relation.column}", operator
            model = self._models.get(relation.model) or Model(relation.model.lower())
            _join(query.joins, table, relation.column, model, nullable=False)
            table = model.table
            names.pop(0)
        if len(names) > 1 or not is_column(model, names[0], value):
            query.may_join.append(path)
        column = model.key if names[0] in ("pk", "id") else names[0]
        if column in model.relations:
            column = model.relations[column].column
        is_joined = query.joins or query.fetched
        return (f"{table}.{column}" if is_joined else column), operator

    def _list(self, outer: Query, node: Node) -> Sql:
        """What stands behind IN: a query of its own, or values."""
        chain = outer.chain.resolved(node) if outer.chain is not None else chain_of(node)
        if chain.links and (_asks_for_lock(chain) or _has_manager(chain)):
            query, _ = self._run(chain)
            query.columns = selected(chain, query.model.key)
            return sql("(", query.select(), ")")
        if node.kind in ("list", "tuple", "set"):
            values = [literal(item) for item in items_of(node)]
            return sql(Part(f"({', '.join(values) or 'NULL'})", node.span))
        return sql(Part("($1, $2)", node.span))

    def _select_related(self, query: Query, link: Link) -> None:
        for argument in link.arguments:
            at = query.model
            for name in (string_of(argument.node) or "").split("__"):
                relation = at.relations.get(name)
                if relation is None:
                    query.unknown.append(f"select_related({name})")
                    break
                to = self._models.get(relation.model) or Model(relation.model.lower())
                _join(query.fetched, at.table, relation.column, to, relation.nullable)
                at = to

    def _order_by(self, query: Query, link: Link) -> None:
        query.order, query.is_ordered = [], True
        for argument in link.arguments:
            place, text = argument.node.span, string_of(argument.node)
            if text == "?":
                query.order.append(sql(Part("random()", place)))
            elif text is not None:
                column, _ = self._column(query, text.lstrip("-+"), argument.node)
                down = " DESC" if text.startswith("-") else ""
                query.order.append(sql(Part(column + down, place)))
            else:
                query.order.append(sql(Part(sort_expression(argument.node), place)))

    def _reverse(self, query: Query, link: Link) -> None:
        if not query.order:
            query.order = [sql(Part(f"{query.model.key} DESC", link.span))]
            return
        query.order = [
            sql(*(part._replace(text=turned(part.text)) for part in key)) for key in query.order
        ]

    def _distinct(self, query: Query, link: Link) -> None:
        columns = [string_of(argument.node) or "$1" for argument in link.arguments]
        on = f" ON ({', '.join(columns)})" if columns else ""
        query.distinct = sql(Part(f"DISTINCT{on}", link.span))

    # --- calls that send a statement -------------------------------------------------------

    def _get(self, query: Query, link: Link) -> Sql:
        """`get()` asks for at most 21 rows, to tell one from several: no limit of a claim."""
        named = tuple(each for each in link.arguments if each.keyword not in _NO_CONDITIONS)
        self._filter(query, link._replace(arguments=named))
        query.fetches_one = True
        return query.select()

    def _first(self, query: Query, link: Link) -> Sql:
        down = " DESC" if link.name.endswith(("last", "latest")) else ""
        query.order = query.order or [sql(Part(f"{query.model.key}{down}", link.span))]
        query.limit = sql(Part("LIMIT 1", link.span))
        return query.select()

    def _exists(self, query: Query, link: Link) -> Sql:
        query.leave_one_lock(link)
        query.order, query.fetched, query.columns = [], [], sql("1")
        query.limit = sql(Part("LIMIT 1", link.span))
        return query.select()

    def _aggregate(self, query: Query, link: Link) -> Sql:
        query.drop_lock(link)
        query.order, query.fetched = [], []
        head = Part("SELECT count(*) FROM", link.span)
        if query.limit or query.distinct:
            return sql(head, " (", query.select(), ") AS subquery")
        query.columns = sql(Part("count(*)", link.span))
        return query.select()

    def _update(self, query: Query, link: Link) -> Sql:
        """It takes no clause; but where conditions join, the query stands in it as it is."""
        columns = [each.keyword for each in link.arguments if each.keyword] or [UNKNOWN_NAME]
        if not query.joins:
            query.drop_lock(link, _unless(query.may_join))
        query.order, query.fetched = [], []
        if query.joins:
            return query.update(columns, link.span, query.model.key)
        return query.update(columns, link.span)

    def _delete(self, query: Query, link: Link) -> Sql | None:
        query.drop_lock(link)
        query.order, query.fetched = [], []
        return query.delete(link.span, query.model.key if query.joins else None)

    def _union(self, query: Query, link: Link) -> Sql:
        word = {"union": "UNION", "intersection": "INTERSECT", "difference": "EXCEPT"}[link.name]
        other = sql(f"SELECT * FROM {query.model.table}")
        return sql("(", query.select(), ") ", Part(word, link.span), " (", other, ")")


_Step = Callable[[Querysets, Query, Link], Sql | None]


def _both(names: str, step: _Step) -> dict[str, _Step]:
    """The calls of these names, and those of them that are awaited: `count`, `acount`."""
    return {prefix + name: step for name in names.split() for prefix in ("", "a")}


_STEPS: dict[str, _Step] = {
    "select_for_update": Querysets._lock,
    "filter": Querysets._filter,
    "exclude": Querysets._exclude,
    "select_related": Querysets._select_related,
    "order_by": Querysets._order_by,
    "reverse": Querysets._reverse,
    "distinct": Querysets._distinct,
    **_both("get get_or_create update_or_create", Querysets._get),
    **_both("first last earliest latest", Querysets._first),
    **_both("exists", Querysets._exists),
    **_both("count aggregate", Querysets._aggregate),
    **_both("update", Querysets._update),
    **_both("delete", Querysets._delete),
    **dict.fromkeys(("union", "intersection", "difference"), Querysets._union),
}


def _join(joins: list[Sql], table: str, column: str, to: Model, nullable: bool) -> None:
    word = "LEFT JOIN" if nullable else "JOIN"
    join = sql(f" {word} {to.table} ON {to.table}.{to.key} = {table}.{column}")
    if join not in joins:
        joins.append(join)


def _unless(conditions: list[str]) -> str | None:
    """What keeps the lock: a join that conditions may bring in."""
    return f"{' or '.join(dict.fromkeys(conditions))} joins another table" if conditions else None


def _asks_for_lock(chain: Chain) -> bool:
    """Whether a chain of a manager, or one in its arguments, asks for a lock."""
    if any(chain.named("select_for_update")):
        return True
    return (_has_manager(chain) or any(chain.named("filter", "exclude"))) and any(
        "select_for_update" in argument.node.text
        or argument.node.text.partition(".")[0].partition("[")[0] in chain.held
        for link in chain.links
        for argument in link.arguments
    )


def _has_manager(chain: Chain) -> bool:
    return any(link.name in MANAGERS for link in chain.links)
