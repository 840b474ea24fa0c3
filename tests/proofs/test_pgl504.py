"""PGL504: a guard that reads what nobody locks lets two workers through."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import UNIQUE_VIOLATION
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE keys (name text PRIMARY KEY);
INSERT INTO keys VALUES ('K'), ('M');
CREATE TABLE jobs (id int PRIMARY KEY, key text, status text DEFAULT 'ready');
INSERT INTO jobs SELECT n, CASE WHEN n < 4 THEN 'K' ELSE 'M' END FROM generate_series(1, 12) AS n;
"""
ONE_OF_A_KEY, FIVE_AT_MOST = bad("PGL504")
WITH_KEY, HEAD_OF_LINE = good("PGL504")
RUNNING = "SELECT key FROM jobs WHERE status = 'running' ORDER BY id"


def running_keys(lab: Lab, claim: str) -> list[str]:
    """The keys in work after two have claimed, the second before the first one committed."""
    first, second = lab.sessions(2, begin=True)
    first.run(claim)
    waiting = second.start(claim)
    waiting.waits()
    for session in (first, second):
        session.run("COMMIT")
    found = lab.observed.ids(RUNNING)
    lab.run("UPDATE jobs SET status = 'ready'")
    return found


def test_two_workers_run_one_key(lab: Lab, proved: Callable[[str], None]) -> None:
    doubled = running_keys(lab, ONE_OF_A_KEY)
    too_many = running_keys(lab, FIVE_AT_MOST)
    assert "lock a row that stands for the whole group first" in advice("PGL504", ONE_OF_A_KEY)
    cured = [running_keys(lab, sql) for sql in (WITH_KEY, HEAD_OF_LINE)]
    assert (doubled, len(too_many), cured) == (["K", "K"], 10, [["K", "M"]] * 2)
    proved(
        f"two workers run the keys {' and '.join(doubled)} (first example), and"
        f" {len(too_many)} jobs where 5 are meant (second); the good examples"
        f" {' and '.join(cured[0])}"
    )


def test_an_advisory_lock_before_the_claim_keeps_the_second_out(lab: Lab) -> None:
    assert "take pg_advisory_xact_lock on the group's key" in advice("PGL504", FIVE_AT_MOST)
    locked = f"SELECT pg_advisory_xact_lock(5); {FIVE_AT_MOST}"
    assert len(running_keys(lab, locked)) == 5
    locked = f"SELECT pg_advisory_xact_lock(5); {ONE_OF_A_KEY}"
    assert running_keys(lab, locked) == ["K", "M"]


def test_a_unique_index_makes_the_second_claim_fail(lab: Lab) -> None:
    lab.run("CREATE UNIQUE INDEX ON jobs (key) WHERE status = 'running'")
    first, second = lab.sessions(2, begin=True)
    first.run(ONE_OF_A_KEY)
    running = second.start(ONE_OF_A_KEY)
    assert running.waits()
    first.run("COMMIT")
    assert running.error() == UNIQUE_VIOLATION
