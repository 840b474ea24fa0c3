"""PGL202: a locking WITH query that nothing reads is never run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from proofs.sessions import DEADLOCK
from rulepages import advice, bad, good

# The rows stand in the heap in the opposite order of their keys.
SCHEMA = """
CREATE TABLE accounts (id int PRIMARY KEY, owner int, balance int);
INSERT INTO accounts SELECT n, 7, 100 FROM generate_series(10, 1, -1) AS n;
CREATE TABLE shows (id int PRIMARY KEY, open boolean);
INSERT INTO shows VALUES (3, true);
CREATE TABLE seats (id int PRIMARY KEY, show int);
INSERT INTO seats SELECT n, 3 FROM generate_series(1, 10) AS n;
ANALYZE;
"""
UNREAD, EXISTS = bad("PGL202")
JOINED, COUNTED = good("PGL202")
IN_ORDER = "SELECT id FROM accounts WHERE owner = 7 ORDER BY id FOR UPDATE"
LOCKED = "WITH locked AS (SELECT id FROM seats WHERE show = 3 ORDER BY id FOR UPDATE)"


def test_nothing_is_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    alone = UNREAD.partition("UPDATE accounts")[0] + "SELECT 1"
    _, unread = lab.locks(alone, "accounts")
    _, partly = lab.locks(EXISTS, "seats")
    _, whole = lab.locks(COUNTED, "seats")
    assert (unread, partly, whole) == (0, 1, 10)
    proved(
        f"of 10 rows the unread WITH query locks {unread}, the one read through EXISTS"
        f" {partly}, the one that count reads {whole}"
    )


def test_the_order_that_was_meant_is_not_kept(lab: Lab) -> None:
    gate = "SELECT FROM accounts WHERE id = 5 FOR UPDATE"
    assert sorted(lab.collide(gate, (UNREAD,), (IN_ORDER,)), key=str) == [DEADLOCK, None]
    assert lab.collide(gate, (JOINED,), (IN_ORDER,)) == [None, None]


def test_what_the_advice_names_keeps_the_order(lab: Lab) -> None:
    told = advice("PGL202", UNREAD)
    assert "WHERE … IN (SELECT … FROM locked)" in told
    gate = "SELECT FROM accounts WHERE id = 5 FOR UPDATE"
    read = UNREAD.replace("WHERE owner = 7;", "WHERE id IN (SELECT id FROM locked);")
    assert read != UNREAD
    assert lab.collide(gate, (read,), (IN_ORDER,)) == [None, None]
    assert "in a statement of its own before this one" in told
    before = f"{IN_ORDER}; UPDATE accounts SET balance = balance - 10 WHERE owner = 7"
    assert lab.collide(gate, (before,), (IN_ORDER,)) == [None, None]


@pytest.mark.parametrize(
    ("reader", "locked"),
    [
        ("SELECT 1", 0),
        ("UPDATE shows SET open = false", 0),
        ("SELECT 1 WHERE EXISTS (SELECT FROM locked)", 1),
        ("SELECT id FROM locked LIMIT 1", 1),
        ("SELECT 1 WHERE 1 IN (SELECT id FROM locked)", 10),
        ("SELECT count(*) FROM locked", 10),
        ("SELECT id FROM locked ORDER BY id LIMIT 1", 10),
        ("SELECT shows.id FROM shows JOIN locked USING (id)", 10),
    ],
)
def test_how_many_are_locked(lab: Lab, reader: str, locked: int) -> None:
    assert lab.locks(f"{LOCKED} {reader}", "seats")[1] == locked
    assert bool(advice("PGL202", f"{LOCKED} {reader}")) == (locked < 10)


def test_a_limit_inside_locks_what_is_meant(lab: Lab) -> None:
    assert "put the LIMIT into locked if so few rows are meant" in advice("PGL202", EXISTS)
    sql = LOCKED.replace("FOR UPDATE", "LIMIT 1 FOR UPDATE") + " SELECT id FROM locked LIMIT 1"
    assert lab.locks(sql, "seats") == (1, 1)
    assert not advice("PGL202", sql)


@pytest.mark.parametrize(
    ("second", "locked"),
    [
        ("unread AS MATERIALIZED (SELECT id FROM locked)", 0),
        ("written AS (UPDATE shows SET open = false FROM locked RETURNING 1)", 10),
    ],
)
def test_how_many_are_locked_by_way_of_another(lab: Lab, second: str, locked: int) -> None:
    assert lab.locks(f"{LOCKED}, {second} SELECT 1", "seats")[1] == locked


@pytest.mark.parametrize(
    "reader",
    [
        "SELECT id FROM shows AS s WHERE EXISTS (SELECT FROM locked WHERE locked.id = s.id)",
        "SELECT id FROM shows AS s WHERE id IN (SELECT id FROM locked)",
    ],
)
def test_a_match_may_end_the_reading(lab: Lab, reader: str) -> None:
    assert lab.locks(f"{LOCKED} {reader}", "seats") == (1, 3)  # the third of ten matches
    no_loops = "SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off"
    lab.run("INSERT INTO shows SELECT generate_series(100, 120); ANALYZE shows")
    assert lab.locks(f"{no_loops}; {LOCKED} {reader}", "seats")[1] == 10


def test_an_output_column_that_nobody_reads_is_left_out(lab: Lab) -> None:
    seat = "(SELECT id FROM seats LIMIT 1 FOR UPDATE) AS seat"
    sql = f"SELECT s.id FROM (SELECT id, {seat} FROM shows) AS s"
    assert lab.locks(sql, "seats") == (1, 0)
    joined = f"SELECT shows.id FROM shows LEFT JOIN (SELECT id, {seat} FROM shows) AS s USING (id)"
    assert lab.locks(joined, "seats") == (1, 0)
