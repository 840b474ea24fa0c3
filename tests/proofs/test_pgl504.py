"""PGL504: a guard that reads what nobody locks lets two workers through."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from proofs.sessions import UNIQUE_VIOLATION, statements
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE keys (name text PRIMARY KEY);
INSERT INTO keys VALUES ('K'), ('M');
CREATE TABLE jobs (id int PRIMARY KEY, key text, status text DEFAULT 'ready');
INSERT INTO jobs SELECT n, CASE WHEN n < 4 THEN 'K' ELSE 'M' END FROM generate_series(1, 12) AS n;
"""
ONE_OF_A_KEY, FIVE_AT_MOST = bad("PGL504")
KEY_BEFORE, HEAD_OF_LINE = good("PGL504")
RUNNING = "SELECT key FROM jobs WHERE status = 'running' ORDER BY id"


def running_keys(lab: Lab, claim: str, key: str = "K") -> list[str]:
    """The keys in work after two have claimed, the second before the first one committed."""
    first, second = lab.sessions(2)
    *before, last = [step for step in statements(claim) if step not in ("BEGIN", "COMMIT")]
    first.run("; ".join(("BEGIN", *before, last)), key)
    waiting = second.start("; ".join(("BEGIN", *before, last)), key)
    waiting.waits()
    for session in (first, second):
        session.run("COMMIT")
    return taken(lab)


def running_keys_where_one_commits_meanwhile(lab: Lab, claim: str) -> list[str]:
    """The keys in work after a claim that begins before another one, and locks after it."""
    gate, late = lab.session(begin=True), lab.session()
    gate.run("SELECT pg_advisory_xact_lock(9)")
    halfway = "CASE WHEN pg_advisory_xact_lock_shared(9)::text = '' THEN true END"
    running = late.start(claim.replace("j.status = 'ready'", f"j.status = 'ready' AND {halfway}"))
    assert running.waits()
    lab.run(claim)
    gate.run("ROLLBACK")
    running.rows()
    return taken(lab)


def taken(lab: Lab) -> list[str]:
    """The keys in work, which are given back."""
    found = lab.observed.ids(RUNNING)
    lab.end_sessions()
    lab.run("UPDATE jobs SET status = 'ready'")
    return found


def test_two_workers_run_one_key(lab: Lab, proved: Callable[[str], None]) -> None:
    doubled = running_keys(lab, ONE_OF_A_KEY)
    too_many = running_keys(lab, FIVE_AT_MOST)
    assert "lock a row that stands for the whole group" in advice("PGL504", ONE_OF_A_KEY)
    first, head = running_keys(lab, KEY_BEFORE), running_keys(lab, HEAD_OF_LINE)
    assert (doubled, len(too_many), first, head) == (["K", "K"], 10, ["K"], ["K", "M"])
    proved(
        f"two workers run the keys {' and '.join(doubled)} (first example), and"
        f" {len(too_many)} jobs where 5 are meant (second); with the good examples one runs"
        f" {first[0]}"
    )


def test_a_claim_that_began_before_another_commits(lab: Lab) -> None:
    assert running_keys_where_one_commits_meanwhile(lab, ONE_OF_A_KEY) == ["K", "K"]
    assert running_keys_where_one_commits_meanwhile(lab, HEAD_OF_LINE) == ["K", "M"]


WITH_KEY = ONE_OF_A_KEY.replace("jobs AS j\n", "jobs AS j JOIN keys AS k ON k.name = j.key\n")


@pytest.mark.parametrize(
    "lock",
    ["OF j SKIP LOCKED FOR NO KEY UPDATE OF k", "OF k FOR NO KEY UPDATE OF j SKIP LOCKED"],
)
def test_a_lock_in_the_claim_itself_comes_too_late(lab: Lab, lock: str) -> None:
    claim = WITH_KEY.replace("UPDATE SKIP LOCKED", f"UPDATE {lock}")
    assert running_keys(lab, claim) == ["K", "K"]
    assert advice("PGL504", claim)


def test_a_lock_in_the_claim_that_does_not_wait_leaves_a_gap(lab: Lab) -> None:
    claim = WITH_KEY.replace("UPDATE SKIP LOCKED", "UPDATE OF j, k SKIP LOCKED")
    assert running_keys(lab, claim) == ["K", "M"]
    assert running_keys_where_one_commits_meanwhile(lab, claim) == ["K", "K"]
    assert not advice("PGL504", claim)


def test_an_advisory_lock_before_the_claim_keeps_the_second_out(lab: Lab) -> None:
    assert "take pg_advisory_xact_lock on the group's key" in advice("PGL504", FIVE_AT_MOST)
    locked = f"SELECT pg_advisory_xact_lock(5); {FIVE_AT_MOST}"
    assert len(running_keys(lab, locked)) == 5
    locked = f"SELECT pg_advisory_xact_lock(5); {ONE_OF_A_KEY}"
    assert running_keys(lab, locked) == ["K", "M"]
    within = f"WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(5)) {ONE_OF_A_KEY}"
    within = within.replace("WHERE id =", "FROM turn WHERE id =")
    assert running_keys(lab, within) == ["K", "K"]
    assert advice("PGL504", within)


def test_a_unique_index_makes_the_second_claim_fail(lab: Lab) -> None:
    lab.run("CREATE UNIQUE INDEX ON jobs (key) WHERE status = 'running'")
    first, second = lab.sessions(2, begin=True)
    first.run(ONE_OF_A_KEY)
    running = second.start(ONE_OF_A_KEY)
    assert running.waits()
    first.run("COMMIT")
    assert running.error() == UNIQUE_VIOLATION
