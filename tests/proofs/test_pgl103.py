"""PGL103: a choice without a lock is the same for everybody; the lock comes too late."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE, READY, TwoClaims, claims_in_step, doubled, two_claims
from proofs.harness import Lab
from proofs.sessions import LOCK_NOT_AVAILABLE
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE versions (id int PRIMARY KEY);
INSERT INTO versions VALUES (1), (2);
"""
SKIPPING, WAITING, JOINED = bad("PGL103")
ONE_LEVEL, IN_WITH, MUTEX = good("PGL103")

CHOICES = {
    "in": f"SELECT id FROM jobs WHERE id IN ({READY} LIMIT 3) ORDER BY id",
    "array": f"SELECT id FROM jobs WHERE id = ANY(ARRAY({READY} LIMIT 3)) ORDER BY id",
    "with": f"WITH k AS ({READY} LIMIT 3) SELECT jobs.id FROM jobs JOIN k USING (id) ORDER BY id",
    "of": f"SELECT jobs.id FROM jobs JOIN ({READY} LIMIT 3) AS k USING (id) ORDER BY id",
    "distinct-on": "SELECT id FROM jobs WHERE id IN (SELECT DISTINCT ON (queue) id FROM jobs"
    " WHERE status = 'ready' ORDER BY queue, id) ORDER BY id",
    "row-number": "SELECT id FROM jobs WHERE id IN (SELECT id FROM (SELECT id, row_number()"
    " OVER (ORDER BY id) AS n FROM jobs WHERE status = 'ready') AS s WHERE n <= 3) ORDER BY id",
    "exists": f"SELECT id FROM jobs WHERE EXISTS (SELECT FROM ({READY} LIMIT 3) AS s"
    " WHERE s.id = jobs.id) ORDER BY id",
    "min": "SELECT id FROM jobs WHERE id = (SELECT min(id) FROM jobs WHERE status = 'ready')",
}


def test_the_second_gets_none_or_the_same(lab: Lab, proved: Callable[[str], None]) -> None:
    skipping = two_claims(lab, SKIPPING)
    assert skipping == TwoClaims([1, 2, 3], [], waited=False)
    free = lab.value("SELECT count(*) FROM jobs WHERE status = 'ready'")
    lab.run("UPDATE jobs SET status = 'ready'")
    waiting = two_claims(lab, WAITING)
    assert waiting == TwoClaims([1], [1], waited=True)
    lab.run("UPDATE jobs SET status = 'ready'; INSERT INTO jobs (id) VALUES (11), (12)")
    claims, double = doubled(claims_in_step(lab, WAITING))
    lab.run("UPDATE jobs SET status = 'ready'")
    assert doubled(claims_in_step(lab, ONE_LEVEL)) == (12, 0)
    assert (free, claims, double) == (7, 48, 36)
    proved(
        f"the second worker gets {len(skipping.second)} of {free} free rows (first example); 4"
        f" workers in step make {claims} claims of 12 jobs, {double} of them double (second);"
        " with the lock where the choice is, 12 claims"
    )


def test_a_joined_choice_leaves_nothing(lab: Lab) -> None:
    assert two_claims(lab, JOINED) == TwoClaims([1, 2, 3], [], waited=False)


@pytest.mark.parametrize("sql", [ONE_LEVEL, IN_WITH])
def test_a_lock_where_the_choice_is_gets_the_next_rows(lab: Lab, sql: str) -> None:
    assert two_claims(lab, sql) == TwoClaims([1, 2, 3], [4, 5, 6], waited=False)


def test_what_the_advice_names_gets_the_next_rows(lab: Lab) -> None:
    assert "FOR UPDATE SKIP LOCKED in one SELECT" in advice("PGL103", WAITING)
    sql = f"{READY} LIMIT 1 FOR UPDATE SKIP LOCKED"
    assert two_claims(lab, sql) == TwoClaims([1], [2], waited=False)


def test_a_mutex_on_the_latest_row_is_one(lab: Lab) -> None:
    first, second = lab.session(begin=True), lab.session()
    assert first.ids(MUTEX) == [2]
    assert second.start(MUTEX).waits()


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_lock_that_waits_gets_the_same_rows(lab: Lab, choice: str) -> None:
    claims = two_claims(lab, f"{choice} FOR UPDATE OF jobs")
    assert claims.waited
    assert claims.second == claims.first != []


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_lock_that_skips_gets_nothing(lab: Lab, choice: str) -> None:
    claims = two_claims(lab, f"{choice} FOR UPDATE OF jobs SKIP LOCKED")
    assert claims == TwoClaims(claims.first, [], waited=False)
    assert claims.first


def test_a_lock_that_refuses_to_wait_is_refused(lab: Lab) -> None:
    sql = f"{CHOICES['in']} FOR UPDATE NOWAIT"
    lab.session(begin=True).run(sql)
    assert lab.session().error(sql) == LOCK_NOT_AVAILABLE


def test_a_lock_whose_state_is_tested_again_gets_nothing(lab: Lab) -> None:
    sql = f"SELECT id FROM jobs WHERE status = 'ready' AND id IN ({READY} LIMIT 3) FOR UPDATE"
    assert two_claims(lab, sql) == TwoClaims([1, 2, 3], [], waited=True)


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT s.id FROM ({READY} LIMIT 3) AS s FOR UPDATE SKIP LOCKED",
        f"SELECT id FROM jobs WHERE id IN ({READY} LIMIT 6) ORDER BY id LIMIT 3"
        " FOR UPDATE SKIP LOCKED",
    ],
)
def test_what_the_rule_is_silent_on_gets_the_next_rows(lab: Lab, sql: str) -> None:
    assert two_claims(lab, sql) == TwoClaims([1, 2, 3], [4, 5, 6], waited=False)
    assert not advice("PGL103", sql)
