"""PGL107: an advisory lock for each row that the server looks at, not for each that it returns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE jobs (id bigint PRIMARY KEY, status text, priority int);
INSERT INTO jobs SELECT n, CASE WHEN n % 2 = 0 THEN 'ready' ELSE 'done' END, n % 7
  FROM generate_series(1, 1000) AS n;
ANALYZE jobs;
"""
IN_WHERE, UNDER_OFFSET, PLAIN_CTE = bad("PGL107")
LIMITED_BELOW, MATERIALIZED, TARGET_LIST = good("PGL107")
READY = "SELECT id FROM jobs WHERE status = 'ready'"
LOCK = "pg_try_advisory_xact_lock(id)"


def advisory_locks(lab: Lab, sql: str) -> tuple[int, int]:
    """How many rows a query returns, and how many keys it locks."""
    session = lab.session(begin=True)
    returned = len(session.run(sql))
    pid = session.connection.info.backend_pid
    locked = lab.value(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = $1", pid
    )
    lab.end_sessions()
    return returned, locked


def test_keys_of_other_rows_are_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    (_, where), (_, offset), (_, cte) = (
        advisory_locks(lab, sql) for sql in (IN_WHERE, UNDER_OFFSET, PLAIN_CTE)
    )
    assert (where, offset, cte) == (1000, 11, 1000)
    assert {advisory_locks(lab, sql) for sql in (LIMITED_BELOW, MATERIALIZED, TARGET_LIST)} == {
        (1, 1)
    }
    proved(
        f"for the one row returned the bad examples lock {where}, {offset} and {cte} keys, the"
        " good ones 1"
    )


@pytest.mark.parametrize(
    ("sql", "returned", "locked"),
    [
        (f"{READY} AND pg_try_advisory_lock(id)", 500, 1000),
        (f"{READY} AND {LOCK} ORDER BY priority LIMIT 1", 1, 1000),
        (
            "WITH claim AS (SELECT id FROM jobs WHERE status = 'ready' LIMIT 5) SELECT jobs.id"
            " FROM jobs, claim WHERE jobs.id = claim.id AND pg_try_advisory_xact_lock(jobs.id)",
            5,
            1000,
        ),
        (
            f"SELECT id, {LOCK} FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 1 OFFSET 10",
            1,
            11,
        ),
        (f"SELECT DISTINCT priority, {LOCK} FROM jobs WHERE status = 'ready' LIMIT 1", 1, 500),
        (f"{READY} ORDER BY {LOCK}, id LIMIT 1", 1, 500),
        (f"SELECT id, {LOCK} FROM jobs WHERE status = 'ready' ORDER BY priority LIMIT 1", 1, 1),
    ],
)
def test_how_many_are_locked(lab: Lab, sql: str, returned: int, locked: int) -> None:
    assert advisory_locks(lab, sql) == (returned, locked)
    assert bool(advice("PGL107", sql)) == (locked > returned)


def test_offset_0_keeps_the_call_out(lab: Lab) -> None:
    assert "(or OFFSET 0)" in advice("PGL107", IN_WHERE)
    fenced = f"SELECT s.id FROM ({READY} ORDER BY priority OFFSET 0) AS s WHERE {LOCK} LIMIT 1"
    assert advisory_locks(lab, fenced) == (1, 1)


def test_a_row_lock_locks_what_comes_out(lab: Lab) -> None:
    sql = f"{READY} ORDER BY priority LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED"
    assert lab.locks(sql) == (1, 1)
