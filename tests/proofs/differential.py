"""One query sent to the server and to the model, and what each says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from draws import Draws, shrunk
from querymaker import Made, Maker, Relation

from pglint_locks.model.locks.execution import is_run
from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.planner.flow import is_never_run
from pglint_locks.model.queries.known import Known
from pglint_locks.model.queries.views import View, Views, known_views, view_defined
from pglint_locks.model.queries.writes import write_of
from pglint_locks.model.statements.statement import Statement
from pglint_locks.model.statements.transactions import Characteristics
from pglint_locks.sql.parse import Parsed, Unparsed, parse

if TYPE_CHECKING:
    from conftest import Server
    from psycopg import Connection

# No keys but where rows are written: by a key that does not show in the text, joins are removed.
_TABLE = "(id int NOT NULL, x int NOT NULL)"
SCHEMA = f"""
CREATE EXTENSION pgrowlocks;
CREATE TABLE a {_TABLE}; CREATE TABLE b {_TABLE}; CREATE TABLE c {_TABLE};
CREATE TABLE d (id int, x int);
CREATE TABLE written (id int PRIMARY KEY, x int NOT NULL); CREATE TABLE sink (id int, x int);
CREATE TABLE family (id int, x int); CREATE TABLE child () INHERITS (family);
CREATE TABLE parts {_TABLE} PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (2);
CREATE TABLE part_2 PARTITION OF parts FOR VALUES FROM (2) TO (9);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b TABLE a; INSERT INTO c TABLE a; INSERT INTO d TABLE a; INSERT INTO written TABLE a;
INSERT INTO family TABLE a; INSERT INTO child TABLE a; INSERT INTO parts TABLE a;
CREATE MATERIALIZED VIEW kept AS TABLE a;
"""
# Where the rows of what a query names are kept, besides under that very name.
_PARENT = {"child": "family", "part_1": "parts", "part_2": "parts"}
_KEPT_IN = ("a", "b", "c", "d", "written", "family", *_PARENT)

_MODES = {
    "For Key Share": 1,
    "For Share": 2,
    "For No Key Update": 3,
    "For Update": 4,
    "No Key Update": 3,
    "Update": 4,
}
# What the server cannot do, or not in time, whatever the model says of it.
_ASIDE = ("FULL JOIN is only supported", "statement timeout")


class Refused(NamedTuple):
    """A statement that the server does not run."""

    message: str
    sqlstate: str


Locks = dict[str, set[int]]  # each table whose rows are locked, with the strengths


@dataclass
class Disagreement:
    """A query of which server and model do not say the same."""

    made: Made
    server: Refused | Locks
    model: set[Refused] | Locks
    views: dict[str, str]

    @property
    def explanation(self) -> str | None:
        """What `known_differences.md` calls it; None for what is not known there."""
        if isinstance(self.server, Refused) or isinstance(self.model, set):
            return None
        is_less = _strongest(self.server).items() < _strongest(self.model).items()
        if self.made.may_skip and is_less:
            return "a column in OR, CASE or COALESCE that a sub-SELECT computes"
        return None

    @property
    def kind(self) -> str:
        """What is said, without names and strengths: much alike for one and the same cause."""
        said = [self.server] if isinstance(self.server, Refused) else []
        told = sorted(self.model) if isinstance(self.model, set) else []
        words = " / ".join(each.message for each in (*said, *told)) or "locks"
        sides = f"{type(self.server).__name__} {type(self.model).__name__}"
        return re.sub(r"FOR (NO KEY |KEY )?(UPDATE|SHARE)|\"[^\"]+\"", "…", f"{sides}: {words}")

    def __str__(self) -> str:
        views = "".join(f"\n  view {name}: {sql}" for name, sql in self.views.items())
        mode = " (READ ONLY)" if self.made.read_only else ""
        return f"{self.made.sql}{mode}{views}\n  server: {self.server}\n  model:  {self.model}"


class Bench:
    """A database with tables and views, and two sessions: one that locks, one that looks."""

    def __init__(self, server: Server, seed: int, views: int) -> None:
        database = server.new_database()
        done = server.psql(SCHEMA, "-v", "ON_ERROR_STOP=1", database=database)
        assert done.returncode == 0, done.stderr
        limits = "-c statement_timeout=1s"
        self.session = server.connect(database, autocommit=True, options=limits)
        self.looker = server.connect(database, autocommit=True)
        self.asides = 0  # how often the server said something else, so that nothing was compared
        self._definitions: dict[str, str] = {"kept": "TABLE a"}
        self._relations = [Relation("kept")]
        self._known: list[View] = []
        self._define("CREATE MATERIALIZED VIEW kept AS TABLE a")
        for number in range(views):
            self._make_view(f"v{number}", Draws(f"{seed} view {number}"))
        self.views: Views = known_views(self._known)

    def _make_view(self, name: str, draws: Draws) -> None:
        made = Maker(draws, self._relations, budget=4).definition()
        if made.stops_early or made.is_vague:
            return
        text = f"CREATE VIEW {name} AS {made.sql}"
        if isinstance(_outcome(self.session, text), Refused):
            return
        self._define(text)
        self._definitions[name] = made.sql
        self._relations.append(Relation(name, made.is_lazy, made.is_computed))

    def _define(self, text: str) -> None:
        parsed = parse(text)
        assert isinstance(parsed, Parsed), text
        view = view_defined(parsed.node, {})
        assert view is not None
        self._known.append(view)

    def close(self) -> None:
        self.session.close()
        self.looker.close()

    # --- comparison ---------------------------------------------------------------

    def disagreement(self, draws: Draws) -> Disagreement | None:
        """How server and model differ on the query that some choices make."""
        made = Maker(draws, self._relations).statement()
        server = self._said_by_server(made)
        if server is None:
            self.asides += 1
            return None
        model = said_by_model(made, self.views)
        if _agree(made, server, model):
            return None
        words = set(re.findall(r"\bv\d+\b", made.sql))
        while (
            more := {
                word for name in words for word in re.findall(r"\bv\d+\b", self._definitions[name])
            }
            - words
        ):
            words |= more
        used = {name: self._definitions[name] for name in sorted(words)}
        return Disagreement(made, server, model, used)

    def shrunk(self, draws: Draws) -> Disagreement:
        """The smallest disagreement that is like the one that some choices led to."""

        def again(taken: Any) -> Disagreement | None:
            return self.disagreement(Draws(0, taken))

        first = again(draws.taken)
        assert first is not None
        kind = first.kind

        def fails(taken: Any) -> bool:
            other = again(taken)
            return other is not None and other.kind == kind

        smallest = again(shrunk(draws.taken, fails))
        assert smallest is not None
        return smallest

    def _said_by_server(self, made: Made) -> Refused | Locks | None:
        """The server's refusal or the locks that it takes; None where it says something else."""
        start = "ROLLBACK; BEGIN READ ONLY" if made.read_only else "ROLLBACK; BEGIN"
        fetch = "; FETCH ALL FROM made" if made.sql.startswith("DECLARE") else ""
        refused = _outcome(self.session, f"{start}; {made.sql}{fetch}")
        if refused is None:
            return self._locks()
        if any(words in refused.message for words in _ASIDE):
            return None
        return refused

    def _locks(self) -> Locks:
        locks: Locks = {}
        for table, modes in self.looker.execute(
            "SELECT t, modes FROM unnest(%s::text[]) AS t, pgrowlocks(t)", [list(_KEPT_IN)]
        ):
            locks.setdefault(_PARENT.get(table, table), set()).update(_MODES[m] for m in modes)
        return locks


def _outcome(session: Connection[Any], sql: str) -> Refused | None:
    import psycopg

    try:
        session.execute(sql.encode(), prepare=False)
    except psycopg.Error as error:
        return Refused(str(error.diag.message_primary), str(error.sqlstate))
    return None


def said_by_model(made: Made, views: Views) -> set[Refused] | Locks:
    """What the model says that the server refuses, or else the locks that it takes."""
    parsed = parse(made.sql)
    if isinstance(parsed, Unparsed):
        return {Refused(parsed.message, "42601")}
    statement = Statement(parsed, 0, known=Known(views))
    if made.read_only:
        read_only = Characteristics(read_only=True)
        statement.transaction = statement.transaction._replace(characteristics=read_only)
    clauses = locking_clauses(statement)
    refusals = {
        Refused(refusal.message, refusal.sqlstate)
        for clause in clauses
        for refusal in clause.refusals
    }
    if refusals:
        return refusals
    locks: Locks = {}
    for clause in clauses:
        if is_run(clause) and not is_never_run(clause.query):
            for mark in clause.marks:
                locks.setdefault(mark.table.name, set()).add(int(mark.strength))
    for level in statement.levels:
        write = write_of(level)
        if write is not None:
            locks.setdefault(write.table.name, set()).add(4 if write.takes_key_lock else 3)
    return locks


def _agree(made: Made, server: Refused | Locks, model: set[Refused] | Locks) -> bool:
    if isinstance(server, Refused):
        if not isinstance(model, set):
            return made.is_vague and "nullable side" in server.message
        return made.is_vague or not {_words(each) for each in model}.isdisjoint({_words(server)})
    if isinstance(model, set):
        # Below a condition that is never true the marks are not even looked at.
        late = ("materialized view", "read-only")
        unseen = made.stops_early and all(
            any(words in each.message for words in late) for each in model
        )
        return made.is_vague or unseen
    if made.stops_early or made.is_vague:
        return all(max(model.get(table, {0})) >= max(seen) for table, seen in server.items())
    return _strongest(server) == _strongest(model)


def _words(refused: Refused) -> Refused:
    """A refusal without what the planner decides.

    Which of several marks comes first in the plan, and so gives its strength to the words;
    and whether a condition is pushed down into a view that aggregates, as its HAVING clause.
    """
    message = refused.message.replace("HAVING clause", "aggregate functions")
    if message.endswith("in a read-only transaction"):
        message = re.sub(r"SELECT( FOR [A-Z ]+)?(?= in a)", "SELECT", message)
    return refused._replace(message=message)


def _strongest(locks: Locks) -> dict[str, int]:
    return {table: max(strengths) for table, strengths in locks.items()}
