"""PGL402: without ORDER BY rows are locked as the plan finds them."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import DEADLOCK
from rulepages import advice, bad, good

# Three accounts of region 4; its index has them the other way round than the primary key.
SCHEMA = """
CREATE TABLE accounts (id int PRIMARY KEY, region int, balance int);
INSERT INTO accounts SELECT n, CASE WHEN n > 3 THEN n ELSE 4 END FROM generate_series(1, 5000) AS n
 WHERE n <> 4;
CREATE INDEX ON accounts (region, id DESC);
CREATE TABLE sessions (id int PRIMARY KEY, expires timestamptz DEFAULT now() - interval '1 day');
INSERT INTO sessions SELECT generate_series(9, 1, -1);
ANALYZE;
"""
BY_REGION, SORTED_LATE, BY_ID = bad("PGL402")
ORDERED, DELETE, ONE = good("PGL402")
GATE = "SELECT FROM accounts WHERE id = 2 FOR UPDATE"
COLLISIONS = 10


def deadlocks(lab: Lab, first: str, second: str) -> int:
    """How many of 10 collisions of two statements end in a deadlock."""
    ends = [lab.collide(GATE, (first,), (second,)) for _ in range(COLLISIONS)]
    assert {code for end in ends for code in end} <= {None, DEADLOCK}
    return sum(DEADLOCK in end for end in ends)


def test_two_plans_deadlock(lab: Lab, proved: Callable[[str], None]) -> None:
    assert "put ORDER BY and the key of accounts before it" in advice("PGL402", BY_ID)
    by_id_ordered = BY_ID.replace("FOR NO KEY", "ORDER BY id FOR NO KEY")
    died, same, cured = (
        deadlocks(lab, BY_REGION, BY_ID),
        deadlocks(lab, BY_REGION, BY_REGION),
        deadlocks(lab, ORDERED, by_id_ordered),
    )
    assert (died, same, cured) == (COLLISIONS, 0, 0)
    proved(
        f"{died} of {COLLISIONS} collisions of the first example with the third end in a"
        f" deadlock (40P01), of the first with itself {same}, with ORDER BY id in both {cured}"
    )


def test_an_order_further_out_comes_too_late(lab: Lab) -> None:
    assert deadlocks(lab, SORTED_LATE, BY_ID) == COLLISIONS


def test_an_order_on_one_side_does_not_help(lab: Lab) -> None:
    assert deadlocks(lab, BY_REGION, ORDERED) == COLLISIONS


def test_one_row_has_one_order(lab: Lab) -> None:
    gate = "SELECT FROM accounts WHERE id = 3 FOR UPDATE"
    assert lab.collide(gate, (ONE,), (ONE,)) == [None, None]


def test_delete_in_locked_order(lab: Lab) -> None:
    gate = "SELECT FROM sessions WHERE id = 5 FOR UPDATE"
    unordered = "DELETE FROM sessions WHERE expires < now()"
    in_order = "SELECT id FROM sessions ORDER BY id FOR UPDATE"
    assert lab.collide(gate, (DELETE,), (in_order,)) == [None, None]
    lab.run("INSERT INTO sessions SELECT generate_series(9, 1, -1) ON CONFLICT DO NOTHING")
    assert DEADLOCK in lab.collide(gate, (unordered,), (in_order,))
