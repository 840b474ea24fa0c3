"""Finders that take a query as an object of options: Sequelize and TypeORM.

`Job.findAll({ where: { … }, limit: 10, lock: true, skipLocked: true })`
`jobs.find({ where: { … }, take: 10, lock: { mode: "pessimistic_write" } })`
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.builders import MODES, equals, name_of, sort_key
from pglint_locks.sources.orm.chain import Chain, Link, items_of, pairs_of, string_of
from pglint_locks.sources.orm.expressions import is_false, is_true, literal
from pglint_locks.sources.orm.libraries import SEQUELIZE_ADVICE, TYPEORM_ADVICE, plural
from pglint_locks.sources.orm.query import Lock, OrmStatement, Part, Query, sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pglint_locks.sources.host.tree import Node

_ONE = frozenset({"findOne", "findOneOrFail", "findOneBy"})
_MANY = frozenset({"findAll", "find", "findAndCountAll", "findAndCount"})
_BY_KEY = frozenset({"findByPk"})
_LEVELS = {
    "UPDATE": "UPDATE",
    "SHARE": "SHARE",
    "KEY_SHARE": "KEY SHARE",
    "NO_KEY_UPDATE": "NO KEY UPDATE",
}


def statement(chain: Chain) -> OrmStatement | None:
    """What a finder sends; None where nothing in it asks for a lock."""
    for link in chain.links:
        if link.is_call and link.name in _ONE | _MANY | _BY_KEY:
            last = link.arguments[-1].node if link.arguments else None
            options = pairs_of(last)
            if last is not None and "lock" in options:
                return _finder(chain, link, options)
    return None


def _finder(chain: Chain, link: Link, options: Mapping[str, Node]) -> OrmStatement | None:
    mode = string_of(pairs_of(options["lock"]).get("mode"))
    query = Query(chain.root.span, _table(chain, link, mode is not None))
    query.lock = _typeorm(options["lock"], mode) if mode else _sequelize(query, options)
    if query.lock is None:
        return None
    _clauses(query, link, options)
    return query.statement(query.select(), TYPEORM_ADVICE if mode else SEQUELIZE_ADVICE)


def _clauses(query: Query, link: Link, options: Mapping[str, Node]) -> None:
    query.where += [equals(key, node) for key, node in pairs_of(options.get("where")).items()]
    if link.name in _BY_KEY:
        query.where.append(sql(Part("id = $1", link.span)))
    if "order" in options:
        query.order = [sql(sort_key(items_of(each)[0])) for each in _sorted(options["order"])]
    for key in ("limit", "take"):
        if key in options:
            node = options[key]
            query.limit = sql(Part(f"LIMIT {literal(node)}", node.span))
    if link.name in _ONE:
        query.limit = sql(Part("LIMIT 1", link.span._replace(end=link.span.start + len(link.name))))
    for key in ("offset", "skip"):
        if key in options and options[key].text != "0":
            node = options[key]
            query.offset = sql(Part(f"OFFSET {literal(node)}", node.span))
    for key in ("include", "relations"):
        if key in options:
            for item in items_of(options[key]):
                required = is_true(pairs_of(item).get("required"))
                word = "JOIN" if required else "LEFT JOIN"
                model = pairs_of(item).get("model") or item
                place = options[key].span
                query.joins.append(sql(" ", Part(f"{word} {name_of(model)} ON $1", place)))


def _sorted(node: Node) -> list[Node]:
    keys = items_of(node)
    if pairs_of(node):
        return []
    return keys


def _table(chain: Chain, link: Link, is_typeorm: bool) -> str:
    names = [chain.root.text]
    for each in chain.links:
        if each is link:
            break
        names.append(each.name)
    name = re.sub(r"(?i)(repository|repo)\Z", "", names[-1]) or names[-1]
    return name.lower() if is_typeorm else plural(name)


def _sequelize(query: Query, options: Mapping[str, Node]) -> Lock | None:
    node = options["lock"]
    parts = pairs_of(node)
    level = parts.get("level", node)
    word = level.text.rpartition(".")[2].strip("'\"")
    strength = _LEVELS.get(word.replace(" ", "_").upper(), "UPDATE")
    if is_false(node) or node.kind in ("null", "undefined"):
        return None
    if not is_true(level) and word.replace(" ", "_").upper() not in _LEVELS:
        query.unknown.append("lock")
    of = (plural(parts["of"].text),) if "of" in parts else ()
    wait = "SKIP LOCKED" if is_true(options.get("skipLocked")) else None
    return Lock(node.span, strength, of, wait)


def _typeorm(node: Node, mode: str) -> Lock | None:
    if mode not in MODES:  # "optimistic": no lock of a row
        return None
    parts = pairs_of(node)
    strength, wait = MODES[mode]
    asked = string_of(parts.get("onLocked"))
    wait = {"skip_locked": "SKIP LOCKED", "nowait": "NOWAIT"}.get(asked or "", wait)
    tables = items_of(parts["tables"]) if "tables" in parts else []
    return Lock(node.span, strength, tuple(map(name_of, tables)), wait)
