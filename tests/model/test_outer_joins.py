"""PGL703 against the server, on statements made up at random: we never claim too much."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from conftest import Server

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse

if TYPE_CHECKING:
    import psycopg

SCHEMA = """
CREATE TABLE a (id int PRIMARY KEY, x int);
CREATE TABLE b (id int PRIMARY KEY, x int);
CREATE TABLE c (id int PRIMARY KEY, x int);
"""
STATEMENTS = 400


def test_what_we_say_is_refused_is_refused(server: Server) -> None:
    database = server.new_database()
    assert server.psql(SCHEMA, database=database).returncode == 0
    maker = Maker(random.Random(703))
    agreed = missed = 0
    with server.connect(database, autocommit=True) as session:
        for _ in range(STATEMENTS):
            sql = maker.statement()
            refused = is_refused(session, sql)
            if refused is None:  # refused for another reason
                continue
            ours = we_refuse(sql)
            assert refused or not ours, sql
            agreed += refused is ours
            missed += refused and not ours
    assert agreed > STATEMENTS / 2
    assert missed < STATEMENTS / 20


def is_refused(session: psycopg.Connection[Any], sql: str) -> bool | None:
    """Whether the server refuses a statement as ours to tell; None where it says something else."""
    import psycopg

    try:
        session.execute(sql.encode(), prepare=False)
    except psycopg.Error as error:
        return True if "nullable side" in str(error.diag.message_primary) else None
    return False


def we_refuse(sql: str) -> bool:
    parsed = parse(sql)
    assert isinstance(parsed, Parsed)
    return any(clause.refusals for clause in locking_clauses(Statement(parsed, 0)))


class Maker:
    """Makes SELECTs with outer joins, sub-SELECTs and conditions of all kinds."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names = 0

    def statement(self) -> str:
        source, names = self.source(3)
        where = f" WHERE {self.condition(names, 2)}" if self.chance.random() < 0.7 else ""
        of = f" OF {self.chance.choice(names)}" if self.chance.random() < 0.4 else ""
        return f"SELECT 1 FROM {source}{where} FOR UPDATE{of}"

    def name(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def source(self, depth: int) -> tuple[str, list[str]]:
        """A FROM item and the names that columns of it can have."""
        kind, name = self.chance.randrange(7), self.name()
        if depth <= 0 or kind < 2:
            return f"{self.chance.choice('abc')} AS {name}", [name]
        if kind == 2:
            inner, names = self.source(depth - 1)
            column = self.chance.choice([self.column(names), f"coalesce({self.column(names)}, 1)"])
            where = f" WHERE {self.condition(names, 1)}" if self.chance.random() < 0.4 else ""
            tail = self.chance.choice(["", "", " ORDER BY 1", " LIMIT 3", " OFFSET 0"])
            select = f"SELECT {self.column(names)} AS id, {column} AS x FROM {inner}{where}{tail}"
            return f"({select}) AS {name}", [name]
        left, right = self.source(depth - 1), self.source(depth - 1)
        names = left[1] + right[1]
        join = self.chance.choice(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        on = self.condition(names, 1)
        if join == "FULL JOIN":  # anything else cannot be merged or hashed
            on = f"{left[1][0]}.id = {right[1][0]}.id"
        return f"({left[0]} {join} {right[0]} ON {on})", names

    def column(self, names: list[str]) -> str:
        return f"{self.chance.choice(names)}.{self.chance.choice(['id', 'x'])}"

    def number(self, names: list[str], depth: int) -> str:
        kind = self.chance.randrange(9) if depth > 0 else 0
        if kind < 4:
            return self.column(names)
        one = self.number(names, depth - 1)
        match kind:
            case 4:
                return "1"
            case 5:
                return f"({one} + {self.number(names, depth - 1)})"
            case 6:
                return f"coalesce({one}, 1)"
            case 7:
                return f"abs({one})"
        return f"CASE WHEN {self.condition(names, depth - 1)} THEN {one} END"

    def condition(self, names: list[str], depth: int) -> str:
        one, two = self.number(names, depth - 1), self.number(names, depth - 1)
        if depth <= 0:
            return f"{one} {self.chance.choice(['=', '<', '<>'])} {two}"
        first, second = self.condition(names, depth - 1), self.condition(names, depth - 1)
        inner = self.name()
        match self.chance.randrange(14):
            case 0:
                return f"{self.column(names)} IS NOT NULL"
            case 1:
                return f"{self.column(names)} IS NULL"
            case 2 | 3:
                return f"({first} OR {second})"
            case 4:
                return f"({first} AND {second})"
            case 5 | 6:
                return f"NOT ({first})"
            case 7:
                tests = ["TRUE", "FALSE", "NOT TRUE", "NOT FALSE", "UNKNOWN", "NOT UNKNOWN"]
                return f"({first}) IS {self.chance.choice(tests)}"
            case 8:
                return f"{one} {self.chance.choice(['IN', 'NOT IN'])} ({two}, 1, 2)"
            case 9:
                return f"{one} {self.chance.choice(['', 'NOT '])}BETWEEN {two} AND {one}"
            case 10:
                return f"{one} IS {self.chance.choice(['', 'NOT '])}DISTINCT FROM {two}"
            case 11:
                where = self.condition([*names, inner], depth - 1)
                no = self.chance.choice(["", "NOT "])
                return f"{no}EXISTS (SELECT 1 FROM c AS {inner} WHERE {where})"
            case 12:
                how = self.chance.choice(["IN", "NOT IN", "= ANY", "> ALL"])
                return f"{one} {how} (SELECT {inner}.id FROM c AS {inner})"
        return f"({one}, {two}) {self.chance.choice(['=', '<>', '<'])} ({two}, {one})"
