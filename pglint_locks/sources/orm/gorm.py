"""GORM: `db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&jobs)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.builders import conditions, sort_key
from pglint_locks.sources.orm.chain import Chain, Link, pairs_of, string_of
from pglint_locks.sources.orm.expressions import literal
from pglint_locks.sources.orm.libraries import GORM_ADVICE, plural
from pglint_locks.sources.orm.query import UNKNOWN_NAME, Lock, OrmStatement, Part, Query, Sql, sql

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_ENDS = frozenset({"Find", "First", "Last", "Take", "Scan", "Count", "Pluck", "Row", "Rows"})
_WRITES = frozenset({"Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete"})


def statement(chain: Chain) -> OrmStatement | None:
    """What a chain sends; None where nothing in it asks for a lock."""
    query = Query(chain.root.span, "_table")
    for link in chain.links:
        if link.is_call:
            sent = _apply(query, link)
            if sent is not None:
                return _statement(query, sent)
    return _statement(query, query.select())


def _statement(query: Query, sent: Sql) -> OrmStatement | None:
    if query.lock is None and query.dropped is None:
        return None
    return query.statement(sent, GORM_ADVICE)


def _apply(query: Query, link: Link) -> Sql | None:
    """Takes a call into account; gives the statement if it sends one."""
    first = link.positional(0)
    if link.name == "Clauses":
        query.lock = next(filter(None, (_lock(each.node, link) for each in link.arguments)), None)
    elif link.name in ("Model", "Table") and first is not None:
        query.table = _table(first)
    elif link.name in ("Where", "Not", "Or"):
        query.where += conditions(link)
    elif link.name == "Order" and first is not None:
        query.order.append(sql(sort_key(first)))
    elif link.name == "Limit":
        query.limit = sql(Part(f"LIMIT {literal(first) if first else '$1'}", link.span))
    elif link.name == "Offset" and first is not None and first.text not in ("0", "-1"):
        query.offset = sql(Part(f"OFFSET {literal(first)}", link.span))
    elif link.name == "Distinct":
        query.distinct = sql(Part("DISTINCT", link.span))
    elif link.name in ("Joins", "InnerJoins"):
        name = string_of(first) or ""
        if re.fullmatch(r"\w+", name):
            word = "LEFT JOIN" if link.name == "Joins" else "JOIN"
            query.joins.append(sql(" ", Part(f"{word} {plural(name)} ON $1", link.span)))
    elif link.name in _WRITES:
        query.drop_lock(link)
        if link.name == "Delete":
            return query.delete(link.span)
        return query.update([string_of(first) or UNKNOWN_NAME], link.span)
    elif link.name in _ENDS:
        return _end(query, link, first)
    return None


def _end(query: Query, link: Link, first: Node | None) -> Sql:
    if link.name == "Count":
        query.columns = sql(Part("count(*)", link.span))
    elif first is not None and query.table == "_table":
        query.table = _table(first)
    if link.name in ("First", "Last", "Take"):
        query.limit = sql(Part("LIMIT 1", link.span))
        if link.name != "Take":
            down = " DESC" if link.name == "Last" else ""
            query.order.append(sql(Part(f"id{down}", link.span)))
    if link.name in ("First", "Last", "Take", "Find") and len(link.arguments) > 1:
        query.where += conditions(link._replace(arguments=link.arguments[1:]))
    return query.select()


def _lock(node: Node, link: Link) -> Lock | None:
    if node.kind != "composite_literal" or not node.text.startswith("clause.Locking"):
        return None
    literal_value = node.children[-1]
    given = {
        key: string_of(value.children[0] if value.kind == "literal_element" else value)
        for key, value in pairs_of(literal_value).items()
    }
    strength, options = given.get("Strength") or "UPDATE", given.get("Options")
    return Lock(link.span, strength.upper(), (), options.upper() if options else None)


def _table(node: Node) -> str:
    """The table of `&jobs`, `&Job{}` or `"jobs"`."""
    text = string_of(node)
    if text is not None:
        return text
    name = re.split(r"[.\[\]]", node.text.lstrip("&*").partition("{")[0])[-1]
    if not re.fullmatch(r"\w+", name):
        return "_table"
    return plural(name) if name[0].isupper() else name.lower()
