"""PGL404: two orders of the same rows are a deadlock."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import DEADLOCK, statements
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE accounts (id int PRIMARY KEY, owner int, branch int, opened_at date);
INSERT INTO accounts SELECT n, 1, 1, date '2020-01-01' - n FROM generate_series(1, 9) AS n;
CREATE TABLE tasks (id int PRIMARY KEY, status text);
INSERT INTO tasks
SELECT n, CASE WHEN n < 5 THEN 'new' ELSE 'done' END FROM generate_series(1, 9) AS n;
"""
OPPOSED, OTHER_KEY = map(statements, bad("PGL404"))
SAME, APART = map(statements, good("PGL404"))
GATE = "SELECT FROM accounts WHERE id = 5 FOR UPDATE"
ALL = list(range(1, 10))
COLLISIONS = 10


def test_opposing_orders_deadlock(lab: Lab, proved: Callable[[str], None]) -> None:
    opposed = [lab.collide(GATE, (OPPOSED[0], ALL), (OPPOSED[1], 1)) for _ in range(COLLISIONS)]
    died = sum(DEADLOCK in ends for ends in opposed)
    assert "in one order everywhere" in advice("PGL404", ";".join(OPPOSED))
    same = [lab.collide(GATE, (SAME[0], ALL), (SAME[1], 1)) for _ in range(COLLISIONS)]
    assert (died, same) == (COLLISIONS, [[None, None]] * COLLISIONS)
    proved(
        f"{died} of {COLLISIONS} collisions of the first two end in a deadlock (40P01), with"
        " one order none"
    )


def test_an_order_by_another_column_is_another_order(lab: Lab) -> None:
    assert DEADLOCK in lab.collide(GATE, (OTHER_KEY[0], 1), (OTHER_KEY[1], 1))


def test_rows_apart_do_not_meet(lab: Lab) -> None:
    gate = "SELECT FROM tasks WHERE id IN (2, 7) FOR UPDATE"
    assert lab.collide(gate, (APART[0],), (APART[1],)) == [None, None]


def test_locked_in_key_order_and_sorted_outside(lab: Lab) -> None:
    outside = (
        "SELECT id FROM (SELECT id FROM accounts WHERE owner = $1 ORDER BY id FOR UPDATE) AS s"
        " ORDER BY id DESC"
    )
    assert lab.collide(GATE, (OPPOSED[0], ALL), (outside, 1)) == [None, None]
