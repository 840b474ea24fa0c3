"""Query builders whose calls have the names of SQL's clauses: knex, jOOQ, diesel, Laravel.

One reader for all of them.  What differs is the vocabulary of a `Library`: which call
locks, how it says SKIP LOCKED, which call ends the chain, and the words of its advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pglint_locks.sources.orm.chain import (
    Chain,
    Link,
    chain_of,
    items_of,
    pairs_of,
    string_of,
    with_own_call,
)
from pglint_locks.sources.orm.expressions import is_false, is_true, literal
from pglint_locks.sources.orm.query import (
    UNKNOWN_NAME,
    UNKNOWN_TABLE,
    Lock,
    OrmStatement,
    Part,
    Query,
    Sql,
    sql,
)

if TYPE_CHECKING:
    from pglint_locks.sources.host.tree import Node
    from pglint_locks.text import Span

LockReader = Callable[[Query, Link], Lock | None]
_WORDS = re.compile(
    r"\s*(?:for\s+)?(no\s+key\s+update|key\s+share|update|share)\b(?:\s+of\s+([\w., ]+?))?"
    r"(?:\s+(skip\s+locked|nowait))?\s*\Z",
    re.IGNORECASE,
)
_RANDOM = re.compile(r"(?i)(?:\A|[\"'`])\s*random\s*\(\s*\)")
_CONDITION = re.compile(r"(?i)(?:or|re|invert_)?where|has(?=[A-Z]|\Z)|doesnthave")
_COLUMN = re.compile(r"[A-Za-z_][\w.]*\Z")


class Library(NamedTuple):
    """The vocabulary of a query builder.

    `locks` are the calls that ask for a lock: a strength as in `FOR {strength}`, or who
    reads it from the arguments.  `waits` are those that add a wait policy.  `tables` name
    the table in their first argument, `from_root` gives it by what the chain begins with,
    `from_class` by the class that a chain without a receiver stands in.
    `one_row` calls add LIMIT 1, `by_key` ones a test of the key; `counts` send an
    aggregate, `exists` ask for one row, `writes` send an UPDATE or DELETE that takes no
    locking clause.  `wait_call` has the wait policy as its argument.

    `is_eager`: these and `fetches` send the query, and what is called behind them is called
    on its rows.  Then `neutral` matches the calls besides that give a query again.
    `counts_rows_of`: a query with LIMIT is counted as it stands, in FROM.  `chooses_by` is
    the column by which a write with joins or LIMIT has its rows chosen by a sub-SELECT;
    `keeps_lock`: with the lock of the query.  `is_common` are those of `locks` whose names
    other locks have too.
    """

    name: str
    locks: Mapping[str, str | LockReader]
    advice: Mapping[str, str]
    waits: Mapping[str, str] = {}
    tables: frozenset[str] = frozenset()
    from_root: Callable[[str], str | None] = lambda _: None
    from_class: Callable[[Node], str | None] = lambda _: None
    conditions: frozenset[str] = frozenset({"where"})
    orders: frozenset[str] = frozenset()
    random: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset({"limit"})
    offsets: frozenset[str] = frozenset({"offset"})
    distinct: frozenset[str] = frozenset({"distinct"})
    joins: Mapping[str, str] = {}
    one_row: frozenset[str] = frozenset()
    by_key: frozenset[str] = frozenset()
    counts: frozenset[str] = frozenset()
    exists: frozenset[str] = frozenset()
    writes: Mapping[str, str] = {}
    of: frozenset[str] = frozenset()
    wait_call: str | None = None
    fetches: frozenset[str] = frozenset()
    is_eager: bool = False
    neutral: re.Pattern[str] = re.compile(r"(?!)")
    counts_rows_of: bool = False
    chooses_by: str | None = None
    is_common: frozenset[str] = frozenset()
    keeps_lock: bool = False

    def is_end(self, name: str) -> bool:
        """Whether a call sends the query."""
        ends = self.one_row | self.by_key | self.counts | self.exists | self.fetches
        return self.is_eager and (name in ends or name in self.writes)

    def knows(self, name: str) -> bool:
        """Whether a call gives a query again, as far as it is known here."""
        words = (
            self.tables | self.conditions | self.orders | self.random | self.limits
            | self.offsets | self.distinct | self.of
        )  # fmt: skip
        return (
            name in words
            or name in self.locks
            or name in self.waits
            or name in self.joins
            or self.is_end(name)
            or self.neutral.match(name) is not None
        )

    def wait_of(self, link: Link) -> str | None:
        """The wait policy that a call asks for."""
        if link.name == self.wait_call:
            return _WAITS.get(string_of(link.positional(0)) or "")
        return self.waits.get(link.name)


_DOWNWARDS = frozenset({"orderByDesc", "latest"})
_WAITS = {"skip_locked": "SKIP LOCKED", "nowait": "NOWAIT"}


class Builder:
    """Reads the chains of one library."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def statement(self, chain: Chain) -> OrmStatement | None:
        """What a chain sends; None where nothing in it asks for a lock."""
        library = self.library
        if not any(chain.named(*library.locks)):
            return None
        query = Query(chain.root.span, library.from_root(chain.root.text) or "")
        if not query.table:
            chain = with_own_call(chain)
            query.table = library.from_class(chain.root) or ""
        sent = None
        for link in chain.links:
            sent = self._apply(query, link) or sent
            if link.is_call and library.is_end(link.name):
                break
        if not self._is_query(chain):
            return None
        if not query.table and (chain.gives_sql or self._is_surely_query(chain)):
            query.table, query.rows_of = UNKNOWN_TABLE, self._source(chain)
        if not query.table or (query.lock is None and query.dropped is None):
            return None
        return query.statement(sent or query.select(), library.advice)

    def _source(self, chain: Chain) -> str:
        """What gives the rows that a chain goes on with: `account.jobs`."""
        end = chain.root.span.end
        for link in chain.links:
            if self.library.knows(link.name):
                break
            end = link.span.end
        return chain.root.whole[chain.root.span.start : end]

    def _is_surely_query(self, chain: Chain) -> bool:
        """Whether nothing but a query has these calls, whatever they are called on."""
        if not self.library.is_eager or not self._is_query(chain):
            return False
        asked = next(chain.named(*self.library.locks))
        node = asked.positional(0)
        says = node is not None and _WORDS.match(string_of(node) or "") is not None
        return says or self._tells(link.name for link in chain.links)

    def _tells(self, names: Iterable[str]) -> bool:
        """Whether calls of these names are those of a query, not of another lock."""
        library = self.library
        telling = library.conditions | library.orders | library.limits | library.by_key
        telling |= library.exists | frozenset(library.writes) | frozenset(library.joins)
        telling |= {name for name in library.one_row if "_" in name}
        return not telling.isdisjoint(names)

    def _is_query(self, chain: Chain) -> bool:
        """Whether a chain is of queries, where its lock has a name that others have too."""
        library = self.library
        names = [link.name for link in chain.links]
        asked = next(link for link in chain.links if link.name in library.locks)
        if asked.name not in library.is_common:
            return True
        before = names[: names.index(asked.name)]
        node = asked.positional(0)
        says = node is not None and _WORDS.match(string_of(node) or "") is not None
        is_plain = node is None or is_true(node) or is_false(node)
        if says or (is_plain and all(map(library.knows, before))):
            return True
        return self._tells(names)

    def _apply(self, query: Query, link: Link) -> Sql | None:
        """Takes one link into account; gives the statement if it sends one of its own."""
        library, name = self.library, link.name
        if not link.is_call:
            self._attribute(query, link)
        elif name in library.locks:
            asked = library.locks[name]
            query.unknown.clear()  # what is asked for a lock is a query
            query.lock = asked(query, link) if callable(asked) else Lock(link.span, asked)
        elif (wait := library.wait_of(link)) and query.lock is not None:
            query.lock = query.lock._replace(wait=wait, span=_both(query.lock, link))
        elif name in library.of and query.lock is not None:
            tables = tuple(name_of(each.node) for each in link.arguments)
            query.lock = query.lock._replace(of=tables, span=_both(query.lock, link))
        elif name in library.tables and link.arguments:
            query.table = query.table or name_of(link.arguments[0].node)
        elif name in library.writes:
            return self._write(query, link)
        elif library.is_eager and not library.knows(name):
            query.unknown.append(f"{name}()")
        elif name in library.counts:
            return self._count(query, link)
        else:
            self._clause(query, link)
        return None

    def _attribute(self, query: Query, link: Link) -> None:
        if not link.name and not query.table and link.arguments:  # DB[:jobs]
            query.table = string_of(link.arguments[0].node) or ""

    def _clause(self, query: Query, link: Link) -> None:
        library, name = self.library, link.name
        if name in library.by_key:
            query.where.append(sql(Part("id = $1", link.span)))
        elif name in library.exists:
            self._exists(query, link)
        elif name in library.one_row:
            query.where += conditions(link)
            query.limit = sql(Part("LIMIT 1", link.span))
        elif name in library.conditions:
            query.where += conditions(link)
        elif name in library.random:
            query.order.append(sql(Part("random()", link.span)))
        elif name in library.orders:
            query.order += map(sql, _sorted_by(link))
        elif name in library.limits:
            query.limit = sql(Part(f"LIMIT {_number(link)}", link.span))
        elif name in library.offsets:
            query.offset = sql(Part(f"OFFSET {_number(link)}", link.span))
        elif name in library.distinct:
            query.distinct = sql(Part("DISTINCT", link.span))
        elif name in library.joins:
            table = name_of(link.arguments[0].node) if link.arguments else "_joined"
            query.joins.append(sql(" ", Part(f"{library.joins[name]} {table} ON $1", link.span)))
        elif _CONDITION.match(name):
            query.where.append(sql(Part("$1", link.span)))

    def _count(self, query: Query, link: Link) -> Sql:
        """Of what an unknown call gives it may count something else."""
        if query.unknown:
            return query.select()
        head = Part("SELECT count(*) FROM", link.span)
        if query.limit and self.library.counts_rows_of:
            query.order, query.columns = [], sql("1")
            return sql(head, " (", query.select(), ") AS subquery_for_count")
        query.columns = sql(Part("count(*)", link.span))
        return query.select()

    def _exists(self, query: Query, link: Link) -> None:
        if query.unknown:
            return
        query.leave_one_lock(link)
        query.where += conditions(link)
        query.order, query.columns = [], sql("1")
        query.limit = sql(Part("LIMIT 1", link.span))

    def _write(self, query: Query, link: Link) -> Sql:
        by = self.library.chooses_by if query.joins or query.limit else None
        if by is None or not self.library.keeps_lock:
            query.drop_lock(link)
        if self.library.writes[link.name] == "DELETE":
            return query.delete(link.span, by)
        given = link.arguments[0].node if link.arguments else None
        named = [each.keyword for each in link.arguments if each.keyword]
        columns = named or list(pairs_of(given)) or [UNKNOWN_NAME]
        return query.update(columns, link.span, by)


def lock_of_words(query: Query, link: Link) -> Lock | None:
    """`lock("FOR UPDATE SKIP LOCKED")`; with no argument, or true, a plain FOR UPDATE."""
    node = link.positional(0)
    if node is None or is_true(node):
        return Lock(link.span)
    if is_false(node):
        return None
    words = _WORDS.match(string_of(node) or "")
    if words is None:
        query.unknown.append(f"the argument of {link.name}()")
        return Lock(link.span) if string_of(node) is None else None
    strength, of, wait = (word and " ".join(word.upper().split()) for word in words.groups())
    tables = tuple(table.strip() for table in (words[2] or "").split(",") if table.strip())
    return Lock(link.span, strength or "UPDATE", tables if of else (), wait)


def lock_of_object(_query: Query, link: Link) -> Lock | None:
    """`.for("update", {skipLocked: true, of: jobs})`."""
    options = pairs_of(link.positional(1))
    strength = (string_of(link.positional(0)) or "update").upper()
    wait = "SKIP LOCKED" if is_true(options.get("skipLocked")) else None
    wait = "NOWAIT" if is_true(options.get("noWait")) else wait
    of = tuple(map(name_of, items_of(options["of"]))) if "of" in options else ()
    return Lock(link.span, strength, of, wait)


def lock_of_mode(_query: Query, link: Link) -> Lock | None:
    """TypeORM's `setLock("pessimistic_write")`."""
    mode = MODES.get(string_of(link.positional(0)) or "")
    return Lock(link.span, mode[0], (), mode[1]) if mode else None


# The modes of TypeORM, with the strength and wait policy of each.
MODES = {
    "pessimistic_read": ("SHARE", None),
    "pessimistic_write": ("UPDATE", None),
    "pessimistic_partial_write": ("UPDATE", "SKIP LOCKED"),
    "pessimistic_write_or_fail": ("UPDATE", "NOWAIT"),
    "for_no_key_update": ("NO KEY UPDATE", None),
    "for_key_share": ("KEY SHARE", None),
}


def with_tables(strength: str) -> LockReader:
    """`forUpdate('jobs')`: its arguments are the tables of OF."""

    def read(_query: Query, link: Link) -> Lock:
        of = tuple(name for each in link.arguments if (name := string_of(each.node)))
        return Lock(link.span, strength, of)

    return read


def _both(lock: Lock, link: Link) -> Span:
    return lock.span._replace(end=max(lock.span.end, link.span.end))


def name_of(node: Node) -> str:
    """The name that an expression gives to a table or column, folded to lower case."""
    text = string_of(node)
    if text is None:
        text = node.text.lstrip("&*").partition("{")[0].partition("(")[0]
        text = re.split(r"\.|::", text)[-1]
    name = text.split(" ")[0].strip("'\"`:$")
    return name.lower() if _COLUMN.match(name) else "_table"


def _sorted_by(link: Link) -> list[Part]:
    """The sort keys of a call; a direction is said behind one, or by the call's name."""
    keys: list[Part] = []
    for node in _keys(link):
        direction = (string_of(node) or "").upper()
        if keys and direction in ("ASC", "DESC"):
            keys[-1] = keys[-1]._replace(text=f"{keys[-1].text} {direction}")
        else:
            keys.append(sort_key(node))
    if link.name in _DOWNWARDS:
        keys = [key._replace(text=f"{key.text} DESC") for key in keys]
    return keys


def _keys(link: Link) -> list[Node]:
    found = []
    for each in link.arguments:
        found += items_of(each.node)
    return found


def sort_key(node: Node) -> Part:
    """A sort key: a name in a string or symbol, a column's method, or what is not known."""
    place = node.span
    text = string_of(node)
    if text is None and _RANDOM.search(node.text):  # a literal of SQL: Arel.sql("random()")
        return Part("random()", place)
    if text is None:
        chain = chain_of(node)
        names = [chain.root.text, *(link.name for link in chain.links)]
        is_down = names[-1].lower() in ("desc", "descending")
        if is_down or names[-1].lower() in ("asc", "ascending"):
            names.pop()
        name = re.split(r"\.|::", names[-1])[-1].lstrip(":$@")
        key = name.lower() if _COLUMN.match(name) else "$1"
        return Part(f"{key} DESC" if is_down else key, place)
    if _RANDOM.match(text):
        return Part("random()", place)
    word = text.strip().split(" ")[0].rpartition(".")[2]
    down = " DESC" if text.lower().rstrip().endswith(" desc") else ""
    return Part((word if _COLUMN.match(word) else "$1") + down, place)


def conditions(link: Link) -> list[Sql]:
    """The tests that a `where` stands for: column = value as far as that shows, else `$1`."""
    found: list[Sql] = []
    named = [(each.keyword, each.node) for each in link.arguments if each.keyword]
    plain = [each.node for each in link.arguments if each.keyword is None]
    for key, node in [*named, *(pair for each in plain for pair in pairs_of(each).items())]:
        found.append(equals(key, node))
    if not found and plain:
        first = string_of(plain[0])
        if first is not None and _COLUMN.match(first) and len(plain) in (2, 3):
            sign = string_of(plain[1]) if len(plain) == 3 else "="
            if sign in ("=", "<>", "!=", "<", ">", "<=", ">="):
                value = Part(literal(plain[-1]), plain[-1].span)
                return [sql(f"{first.rpartition('.')[2]} {sign} ", value)]
        found.append(_method(plain[0]))
    return found


def equals(key: str, node: Node) -> Sql:
    """The test that a key and a value of an object of conditions stand for."""
    column = key.strip("\"'").rpartition(".")[2]
    if not _COLUMN.match(column):
        return sql(Part("$1", node.span))
    if node.kind in ("array", "list"):
        return sql(Part(f"{column} IN ($1, $2)", node.span))
    return sql(f"{column} = ", Part(literal(node), node.span))


_TESTS = {"eq": "=", "equal": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _method(node: Node) -> Sql:
    """`JOBS.STATUS.eq("ready")`, `eq(jobs.status, 'ready')`, or a condition in a string."""
    place = node.span
    chain = chain_of(node)
    if chain.links and chain.links[-1].is_call and chain.links[-1].name in _TESTS:
        link = chain.links[-1]
        before = [chain.root.text, *(each.name for each in chain.links[:-1])][-1]
        column = re.split(r"\.|::", before)[-1].lower()
        value = link.positional(0)
        if value is not None and _COLUMN.match(column):
            return sql(f"{column} {_TESTS[link.name]} ", Part(literal(value), value.span))
    called = re.match(r"(\w+)\(\s*\w+\.(\w+)\s*,", node.text)
    if called and called[1] in _TESTS:
        return sql(Part(f"{called[2].lower()} {_TESTS[called[1]]} $1", place))
    tested = re.match(r"[\"'`]?\s*(?:\w+\.)?(\w+)\s*=\s*(?:[?$:@]\w*)\s*[\"'`]?\Z", node.text)
    if tested:
        return sql(Part(f"{tested[1]} = $1", place))
    return sql(Part("$1", place))


def _number(link: Link) -> str:
    node = link.positional(0)
    return "$1" if node is None else literal(node)
