"""The vocabularies of the query builders that `builders` reads, by language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pglint_locks.sources.orm.builders import (
    Library,
    lock_of_mode,
    lock_of_object,
    lock_of_words,
    with_tables,
)

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node

_STRENGTHS = ("UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE")


def _camel(words: str) -> str:
    return "for" + words.title().replace(" ", "")


def _snake(words: str) -> str:
    return "for_" + words.lower().replace(" ", "_")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _advice(lock: str, skip: str, no_key: str, of: str, order: str) -> dict[str, str]:
    """What to write, in a library's words."""
    return {
        "PGL101": "choose the rows first, and change them by the list of their keys",
        "PGL102": "page by a key: test it against the last one seen",
        "PGL103": f"put {lock} on the query that has the limit",
        "PGL105": f"add {skip}",
        "PGL301": f"write {no_key}: it keeps out the same writers and lets those INSERTs in",
        "PGL303": f"write {of}, with the table whose rows are changed",
        "PGL401": f"order by a key: {order}",
        "PGL402": f"add {order}",
        "PGL605": f"run the query with {lock} first, and go on with the rows that it gives",
        "PGL703": f"write {of}: it leaves the nullable side out",
    }


def plural(name: str) -> str:
    """The table of a model by the convention of Rails and its kin: `JobRun` is `job_runs`."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if re.search(r"[^aeiou]y\Z", snake):
        return snake[:-1] + "ies"
    return snake + ("es" if re.search(r"(?:s|x|ch|sh)\Z", snake) else "s")


def _of_constant(root: str) -> str | None:
    """The table of a model's constant: `Job`, `GoodJob::Job`."""
    name = re.split(r"::|\\|\.", root)[-1]
    return plural(name) if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) and name != "DB" else None


def _of_record_class(node: Node) -> str | None:
    """The table of the class of records around a query on nothing, or on `self`."""
    if node.kind not in ("call", "self"):
        return None
    for outer in node.above():
        if outer.kind == "class" and len(outer.operands) > 1:
            name, parent = outer.operands[:2]
            is_record = parent.kind == "superclass" and _RECORD.search(parent.text)
            return _of_constant(name.text) if is_record else None
    return None


_RECORD = re.compile(r"Record\s*\Z|::Base\s*\Z")
ACTIVE_RECORD = Library(
    name="ActiveRecord",
    locks={"lock": lock_of_words},
    advice=_advice(
        "lock", 'lock("FOR UPDATE SKIP LOCKED")', 'lock("FOR NO KEY UPDATE")',
        'lock("FOR UPDATE OF jobs")', ".order(:id)",
    ),
    from_root=_of_constant,
    from_class=_of_record_class,
    conditions=_set("where"),
    orders=_set("order reorder"),
    one_row=_set("first first! last last! take take! find_by find_by!"),
    by_key=_set("find"),
    counts=_set("count sum minimum maximum average size"),
    exists=_set("exists?"),
    joins={"joins": "JOIN", "left_joins": "LEFT JOIN", "left_outer_joins": "LEFT JOIN",
           "eager_load": "LEFT JOIN"},
    writes={"update_all": "UPDATE", "delete_all": "DELETE"},
    fetches=_set(
        "to_a load each map flat_map each_with_index find_each find_in_batches in_batches pluck"
        " pick ids to_sql records reload destroy_all collect index_by group_by to_set presence"
    ),
    is_eager=True,
    neutral=re.compile(
        r"(?:all|includes|preload|references|readonly|select|not|missing|associated|or|and"
        r"|unscoped?|none|merge|strict_loading|extending|with|from|group|having|rewhere|invert_where"
        r"|in_order_of|optimizer_hints|annotate|excluding|without|limit|offset|only|except"
        r"|uniq|create_with)\Z"
    ),
    counts_rows_of=True,
    is_common=_set("lock"),
    chooses_by="id",
)  # fmt: skip
SEQUEL = Library(
    name="Sequel",
    locks={"for_update": "UPDATE", "for_share": "SHARE", "lock_style": lock_of_words,
           "for_no_key_update": "NO KEY UPDATE"},
    waits={"skip_locked": "SKIP LOCKED", "nowait": "NOWAIT"},
    advice=_advice("for_update", ".skip_locked", ".lock_style('FOR NO KEY UPDATE')",
                   ".lock_style('FOR UPDATE OF jobs')", ".order(:id)"),
    from_root=_of_constant,
    tables=_set("from"),
    orders=_set("order"),
    one_row=_set("first get"),
    writes={"update": "UPDATE", "delete": "DELETE"},
    fetches=_set("all each map select_map to_a single_record single_value sql paged_each"),
    is_eager=True,
    neutral=re.compile(
        r"(?:where|exclude|select|select_append|select_all|order_by|reverse|unordered|filter|grep"
        r"|group|having|with|dataset|naked|or|and|limit|offset|qualify|returning|invert|unfiltered"
        r"|no_wait|wait|server|clone)\Z"
    ),
    joins={"join": "JOIN", "inner_join": "JOIN", "left_join": "LEFT JOIN",
           "left_outer_join": "LEFT JOIN"},
)  # fmt: skip
KNEX = Library(
    name="knex",
    locks={_camel(words): with_tables(words) for words in _STRENGTHS},
    waits={"skipLocked": "SKIP LOCKED", "noWait": "NOWAIT"},
    advice=_advice("forUpdate()", ".skipLocked()", ".forNoKeyUpdate()", ".forUpdate('jobs')",
                   ".orderBy('id')"),
    tables=_set("from into table"),
    from_root=lambda root: (m := re.match(r"\w+\(\s*['\"`](\w+)", root)) and m[1],
    conditions=_set("where andWhere"),
    orders=_set("orderBy orderByRaw"),
    one_row=_set("first"),
    counts=_set("count"),
    joins={"join": "JOIN", "innerJoin": "JOIN", "leftJoin": "LEFT JOIN",
           "leftOuterJoin": "LEFT JOIN"},
    writes={"update": "UPDATE", "del": "DELETE", "delete": "DELETE"},
)  # fmt: skip
DRIZZLE = Library(
    name="Drizzle",
    locks={"for": lock_of_object},
    advice=_advice(".for('update')", "{ skipLocked: true }", ".for('no key update')",
                   ".for('update', { of: jobs })", ".orderBy(jobs.id)"),
    tables=_set("from"),
    orders=_set("orderBy"),
    joins={"innerJoin": "JOIN", "leftJoin": "LEFT JOIN"},
)  # fmt: skip
JOOQ = Library(
    name="jOOQ",
    locks={_camel(words): words for words in _STRENGTHS},
    waits={"skipLocked": "SKIP LOCKED", "noWait": "NOWAIT"},
    of=_set("of"),
    advice=_advice(".forUpdate()", ".skipLocked()", ".forNoKeyUpdate()", ".of(JOBS)",
                   ".orderBy(JOBS.ID)"),
    tables=_set("selectFrom from"),
    conditions=_set("where and"),
    orders=_set("orderBy"),
    joins={"join": "JOIN", "innerJoin": "JOIN", "leftJoin": "LEFT JOIN",
           "leftOuterJoin": "LEFT JOIN"},
)  # fmt: skip
LARAVEL = Library(
    name="Laravel",
    locks={"lockForUpdate": "UPDATE", "sharedLock": "SHARE", "lock": lock_of_words},
    advice=_advice("lockForUpdate()", "->lock('for update skip locked')",
                   "->lock('for no key update')", "->lock('for update of jobs')",
                   "->orderBy('id')"),
    tables=_set("table from"),
    from_root=_of_constant,
    conditions=_set("where"),
    orders=_set("orderBy orderByDesc latest oldest orderByRaw"),
    random=_set("inRandomOrder"),
    limits=_set("limit take"),
    offsets=_set("offset skip"),
    one_row=_set("first firstOrFail value"),
    by_key=_set("find findOrFail"),
    counts=_set("count sum min max avg"),
    exists=_set("exists doesntExist"),
    joins={"join": "JOIN", "leftJoin": "LEFT JOIN"},
    writes={"update": "UPDATE", "delete": "DELETE"},
    fetches=_set(
        "get cursor chunk chunkById each eachById lazy lazyById pluck paginate simplePaginate sole"
        " toSql firstOr firstWhere firstOrCreate firstOrNew updateOrCreate findMany findOr"
    ),
    is_eager=True,
    neutral=re.compile(
        r"(?:where|orWhere|with|without|select|addSelect|has|doesntHave|having|groupBy|query"
        r"|newQuery|when|unless|reorder|tap|connection|from|lock|scopes|union|onWriteConnection)"
    ),
    is_common=_set("lock"),
    chooses_by="ctid",
    keeps_lock=True,
)  # fmt: skip
DIESEL = Library(
    name="diesel",
    locks={_snake(words): words for words in _STRENGTHS},
    waits={"skip_locked": "SKIP LOCKED", "no_wait": "NOWAIT"},
    advice=_advice(".for_update()", ".skip_locked()", ".for_no_key_update()",
                   "a query of that table alone", ".order(jobs::id)"),
    from_root=lambda root: (m := re.fullmatch(r"(?:\w+::)*(\w+)::table", root)) and m[1],
    conditions=_set("filter find"),
    orders=_set("order order_by then_order_by"),
    one_row=_set("first"),
    joins={"inner_join": "JOIN", "left_join": "LEFT JOIN"},
)  # fmt: skip

TYPEORM_ADVICE = _advice(
    "the lock", 'onLocked: "skip_locked"', 'mode: "for_no_key_update"', "tables: [\"job\"]",
    'order: { id: "ASC" }',
)  # fmt: skip
SEQUELIZE_ADVICE = _advice(
    "lock", "skipLocked: true", "lock: t.LOCK.NO_KEY_UPDATE",
    "lock: { level: t.LOCK.UPDATE, of: Job }", "order: [['id', 'ASC']]",
)  # fmt: skip
ECTO_ADVICE = _advice(
    "lock", 'lock("FOR UPDATE SKIP LOCKED")', 'lock("FOR NO KEY UPDATE")',
    'lock("FOR UPDATE OF j0")', "order_by: j.id",
)  # fmt: skip
GORM_ADVICE = _advice(
    "clause.Locking", 'Options: "SKIP LOCKED"', 'Strength: "NO KEY UPDATE"',
    "Table: clause.Table{Name: clause.CurrentTable}", 'Order("id")',
)  # fmt: skip
TYPEORM = Library(
    name="TypeORM",
    locks={"setLock": lock_of_mode},
    wait_call="setOnLocked",
    advice=TYPEORM_ADVICE,
    tables=_set("createQueryBuilder from"),
    conditions=_set("where andWhere"),
    orders=_set("orderBy addOrderBy"),
    limits=_set("limit take"),
    offsets=_set("offset skip"),
    one_row=_set("getOne getOneOrFail"),
    joins={"innerJoin": "JOIN", "innerJoinAndSelect": "JOIN", "leftJoin": "LEFT JOIN",
           "leftJoinAndSelect": "LEFT JOIN"},
)  # fmt: skip

BY_LANGUAGE = {
    "ruby": (ACTIVE_RECORD, SEQUEL),
    "javascript": (KNEX, DRIZZLE, TYPEORM),
    "java": (JOOQ,),
    "kotlin": (JOOQ,),
    "scala": (JOOQ,),
    "php": (LARAVEL,),
    "rust": (DIESEL,),
}
