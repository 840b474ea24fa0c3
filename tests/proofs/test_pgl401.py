"""PGL401: rows are locked as they are sorted, and a random order is another one for everybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from proofs.harness import Lab
from proofs.sessions import DEADLOCK, LOCK_NOT_AVAILABLE
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE prizes (id int PRIMARY KEY, winner text);
INSERT INTO prizes SELECT generate_series(1, 10);
CREATE TABLE jobs (id int PRIMARY KEY, status text);
INSERT INTO jobs SELECT n, 'ready' FROM generate_series(1, 5000) AS n;
ANALYZE;
"""
WAITING, SKIPPING, INSIDE = bad("PGL401")
DRAWN, SKIPPING_BY_KEY, ONE = good("PGL401")
BY_KEY = WAITING.replace("random()", "id")
GATE = "SELECT FROM prizes WHERE id = 5 FOR UPDATE"
COLLISIONS = 20


def deadlocks(lab: Lab, sql: str) -> int:
    """How many of 20 collisions of a statement with itself end in a deadlock."""
    found = 0
    for number in range(COLLISIONS):
        first, second = (f"SELECT setseed({number / 100 + half}); {sql}" for half in (0.0, 0.5))
        ends = lab.collide(GATE, (first,), (second,))
        assert set(ends) <= {None, DEADLOCK}
        found += DEADLOCK in ends
    return found


def test_random_orders_deadlock(lab: Lab, proved: Callable[[str], None]) -> None:
    assert deadlocks(lab, WAITING) >= 5
    assert deadlocks(lab, INSIDE) >= 5
    assert "pick at random in an unlocked WITH query, then lock ORDER BY the key" in advice(
        "PGL401", WAITING
    )
    in_order = {deadlocks(lab, sql) for sql in (DRAWN, BY_KEY)}
    assert in_order == {0}
    proved(
        f"at least 5 of {COLLISIONS} collisions of two sessions end in a deadlock (40P01), of"
        " the first example as of the third; drawn first and locked in key order none"
    )


def rows_read(lab: Lab, sql: str) -> int:
    """How many rows a query takes from the table before it gives its own."""
    (plan,) = lab.value(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}")

    def scans(node: dict[str, Any]) -> int:
        below = node.get("Plans", [])
        return sum(map(scans, below)) if below else int(node["Actual Rows"])

    return scans(plan["Plan"] if isinstance(plan, dict) else json.loads(plan)["Plan"])


def test_skipping_workers_sort_the_whole_queue(lab: Lab) -> None:
    assert rows_read(lab, SKIPPING) == 5000
    assert "order by an indexed key" in advice("PGL401", SKIPPING)
    assert rows_read(lab, SKIPPING_BY_KEY) == 10


def test_skipping_workers_never_wait(lab: Lab) -> None:
    first, second = lab.sessions(2, begin=True)
    assert len(first.ids(SKIPPING)) == 10
    assert not second.start(SKIPPING).waits()


def test_without_waiting_they_are_refused(lab: Lab) -> None:
    refusing = WAITING.replace("FOR UPDATE", "FOR UPDATE NOWAIT")
    lab.session(begin=True).run("SELECT FROM prizes WHERE id = 5 FOR UPDATE")
    assert lab.session().error(refusing) == LOCK_NOT_AVAILABLE


@pytest.mark.parametrize("strength", ["SHARE", "KEY SHARE"])
def test_sharers_do_not_wait_for_each_other(lab: Lab, strength: str) -> None:
    sql = WAITING.replace("FOR UPDATE", f"FOR {strength}")
    first, second = lab.sessions(2, begin=True)
    first.run(sql)
    assert not second.start(sql).waits()


def test_one_row_is_no_batch(lab: Lab) -> None:
    first, second = lab.sessions(2, begin=True)
    drawn = first.ids(ONE) + second.ids(ONE)
    assert len(set(drawn)) == 2
