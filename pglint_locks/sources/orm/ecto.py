"""Ecto's queries: `from(j in Job, where: …, lock: "FOR UPDATE")`, `Job |> lock("…")`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.builders import lock_of_words
from pglint_locks.sources.orm.chain import Argument, Link, arguments_of, inner, string_of
from pglint_locks.sources.orm.expressions import literal
from pglint_locks.sources.orm.libraries import ECTO_ADVICE, plural
from pglint_locks.sources.orm.query import OrmStatement, Part, Query, Sql, sql

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_SIGNS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_JOINS = {
    "join": "JOIN",
    "inner_join": "JOIN",
    "left_join": "LEFT JOIN",
    "right_join": "RIGHT JOIN",
    "full_join": "FULL JOIN",
}
_FIELD = re.compile(r"\^?\w+\.(\w+)\Z")


def statement(node: Node) -> OrmStatement | None:
    """What a pipe or a `from` stands for; None where nothing in it asks for a lock."""
    source, steps = _steps(node)
    if source is None or not any(link.name == "lock" for link in steps):
        return None
    query = Query(source.span, _table(source))
    for link in steps:
        _apply(query, link)
    return query.statement(query.select(), ECTO_ADVICE) if query.lock is not None else None


def _steps(node: Node) -> tuple[Node | None, list[Link]]:
    """What a query is made from, and its clauses in order."""
    pipes: list[Node] = []
    while node.kind == "binary_operator" and node.children[1].text == "|>":
        pipes.append(node.children[2])
        node = inner(node.children[0])
    pipes.reverse()
    steps: list[Link] = []
    source: Node | None = node
    if node.kind == "call" and node.children[0].text in ("from", "Ecto.Query.from"):
        given = list(arguments_of(node))
        source = given[0].node if given else None
        steps += _keywords(node)
    for pipe in pipes:
        if pipe.kind == "call":
            name = pipe.children[0].text.rpartition(".")[2]
            steps.append(Link(name, tuple(arguments_of(pipe)), pipe.span, is_call=True))
            steps += _keywords(pipe) if name == "from" else []
    return source, steps


def _keywords(call: Node) -> Iterator[Link]:
    """The clauses of `from(j in Job, where: …, lock: …)`."""
    for argument in arguments_of(call):
        if argument.node.kind == "keywords":
            for pair in argument.node.children:
                named = [child for child in pair.children if child.named]
                if len(named) == 2:
                    name = named[0].text.strip(": ")
                    yield Link(name, (Argument(named[1]),), pair.span, is_call=True)


def _table(source: Node) -> str:
    """The table of `j in Job`, `Job` or `"jobs"`."""
    if source.kind == "binary_operator" and source.children[1].text == "in":
        source = source.children[2]
    text = string_of(source)
    if text is not None:
        return text
    name = source.text.strip("{}").split(",")[-1].strip().rpartition(".")[2]
    return plural(name) if re.fullmatch(r"[A-Z]\w*", name) else "_query"


def _apply(query: Query, link: Link) -> None:
    last = link.arguments[-1].node if link.arguments else None
    if last is None:
        return
    if link.name == "lock":
        query.lock = lock_of_words(query, link._replace(arguments=(Argument(last),)))
    elif link.name in ("where", "or_where"):
        query.where.append(_condition(last))
    elif link.name == "limit":
        query.limit = sql(Part(f"LIMIT {literal(last)}", last.span))
    elif link.name == "offset":
        query.offset = sql(Part(f"OFFSET {literal(last)}", last.span))
    elif link.name == "order_by":
        query.order += list(_sorted(last))
    elif link.name == "distinct":
        query.distinct = sql(Part("DISTINCT", link.span))
    elif link.name == "group_by":
        query.group = sql(Part("$1", last.span))
    elif link.name in _JOINS:
        table = _table(last) if last.kind == "binary_operator" else "_joined"
        query.joins.append(sql(" ", Part(f"{_JOINS[link.name]} {table} ON $1", link.span)))


def _condition(node: Node) -> Sql:
    place = node.span
    if node.kind == "binary_operator":
        left, sign, right = node.children[0], node.children[1].text, node.children[2]
        field = _FIELD.match(left.text)
        if sign in ("and", "or"):
            return sql("(", _condition(left), f" {sign.upper()} ", _condition(right), ")")
        if field and sign in _SIGNS:
            return sql(f"{field[1]} {_SIGNS[sign]} ", Part(literal(right), right.span))
        if field and sign == "in":
            return sql(Part(f"{field[1]} = ANY($1)", place))
    return sql(Part("$1", place))


def _sorted(node: Node) -> Iterator[Sql]:
    items = [node]
    if node.kind in ("list", "keywords"):
        items = [child for child in node.children if child.named]
    for item in items:
        if item.kind == "keywords":
            yield from _sorted(item)
            continue
        named = [child for child in item.children if child.named]
        key = named[-1] if item.kind == "pair" and named else item
        down = " DESC" if item.kind == "pair" and named[0].text.startswith("desc") else ""
        field = _FIELD.match(key.text)
        if re.match(r"fragment\(\s*\"random\(\)", key.text, re.IGNORECASE):
            yield sql(Part("random()", item.span))
        else:
            name = field[1] if field else (string_of(key) or "$1")
            yield sql(Part(name + down, item.span))
