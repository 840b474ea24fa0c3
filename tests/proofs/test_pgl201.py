"""PGL201: a locking clause never reaches into a WITH query."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE, TwoClaims, two_claims
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
INSERT INTO jobs (id) SELECT generate_series(11, 20);
CREATE TABLE nodes (id int PRIMARY KEY, parent_id int REFERENCES nodes);
INSERT INTO nodes VALUES (1, NULL), (2, 1), (3, 1), (4, 3), (5, NULL);
"""
OUTSIDE, RECURSIVE = bad("PGL201")
INSIDE, JOINED = good("PGL201")


def test_no_row_is_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    returned, locked = lab.locks(OUTSIDE)
    tree = lab.locks(RECURSIVE, "nodes")
    assert ((returned, locked), tree) == ((10, 0), (4, 0))
    assert "put FOR UPDATE inside WITH query ready" in advice("PGL201", OUTSIDE)
    assert "lock that: FOR UPDATE OF nodes" in advice("PGL201", RECURSIVE)
    cured = lab.locks(INSIDE)
    assert (cured, lab.locks(JOINED, "nodes")) == ((10, 10), (4, 4))
    proved(
        f"the first example returns {returned} rows and locks {locked}, with the clause inside"
        f" {cured[1]}; the second returns {tree[0]} and locks {tree[1]}"
    )


def test_workers_share_or_do_not(lab: Lab) -> None:
    ids = list(range(1, 11))
    assert two_claims(lab, OUTSIDE.replace("*", "id")) == TwoClaims(ids, ids, waited=False)
    lab.run("UPDATE jobs SET status = 'ready'")
    claims = two_claims(lab, INSIDE.replace("*", "id"))
    assert claims == TwoClaims(ids, list(range(11, 21)), waited=False)


@pytest.mark.parametrize(
    ("sql", "locked"),
    [
        ("WITH c AS MATERIALIZED (SELECT id FROM jobs) SELECT * FROM c FOR UPDATE", 0),
        ("WITH c AS NOT MATERIALIZED (SELECT id FROM jobs) SELECT * FROM c FOR UPDATE", 0),
        ("WITH c AS (SELECT id FROM jobs) SELECT * FROM (SELECT * FROM c) AS s FOR UPDATE", 0),
        ("WITH c AS (SELECT id FROM jobs FOR UPDATE) SELECT * FROM c", 20),
    ],
)
def test_how_many_are_locked(lab: Lab, sql: str, locked: int) -> None:
    assert lab.locks(sql) == (20, locked)
    assert bool(advice("PGL201", sql)) == (locked == 0)


def test_with_a_table_beside_it_that_table_is_locked(lab: Lab) -> None:
    sql = "WITH c AS (SELECT id FROM jobs) SELECT nodes.id FROM nodes JOIN c USING (id) FOR UPDATE"
    assert lab.locks(sql, "nodes") == (5, 5)
    assert lab.locks(sql) == (5, 0)
