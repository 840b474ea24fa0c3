"""PGL113: rows that are chosen without a lock are chosen twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE, READY, TwoClaims, claims_in_step, doubled, two_claims
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
INSERT INTO jobs (id, priority) VALUES (11, 11), (12, 12);
"""
SCALAR, WITH = bad("PGL113")
LOCKED, TESTED_AGAIN = good("PGL113")
UPDATE = "UPDATE jobs SET status = 'running'"


def test_two_workers_claim_the_same_rows(lab: Lab, proved: Callable[[str], None]) -> None:
    claims, double = doubled(claims_in_step(lab, SCALAR))
    lab.run("UPDATE jobs SET status = 'ready'")
    assert "FOR NO KEY UPDATE SKIP LOCKED" in advice("PGL113", SCALAR)
    locked = doubled(claims_in_step(lab, LOCKED))
    lab.run("UPDATE jobs SET status = 'ready'")
    tested = doubled(claims_in_step(lab, TESTED_AGAIN))
    assert ((claims, double), locked, tested) == ((48, 36), (12, 0), (12, 0))
    proved(
        f"4 workers in step make {claims} claims of 12 jobs, {double} of them double (first"
        f" example); locked, or tested again, {locked[0]}"
    )


def test_a_choice_in_with_is_no_better(lab: Lab) -> None:
    claims = two_claims(lab, WITH)
    assert claims.waited
    assert sorted(claims.second) == claims.first == list(range(1, 11))
    lab.run("UPDATE jobs SET status = 'ready'")
    assert "FOR NO KEY UPDATE SKIP LOCKED" in advice("PGL113", WITH)
    cured = two_claims(lab, WITH.replace("LIMIT 10", "LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED"))
    assert (cured.first, sorted(cured.second), cured.waited) == ([1, 2, 3], [4, 5, 6], False)


@pytest.mark.parametrize(
    ("sql", "double"),
    [
        (f"{UPDATE} WHERE id IN ({READY} LIMIT 3)", True),
        (f"{UPDATE} WHERE id = ANY(ARRAY({READY} LIMIT 3))", True),
        (f"{UPDATE} FROM ({READY} LIMIT 3) AS k WHERE k.id = jobs.id", True),
        (f"{UPDATE} WHERE queue <> 'x' AND id IN ({READY} LIMIT 3)", True),
        (f"{UPDATE} WHERE status = 'ready' AND id IN ({READY} LIMIT 3)", False),
        (f"{UPDATE} WHERE status <> 'running' AND id IN ({READY} LIMIT 3)", False),
        (f"{UPDATE} WHERE ctid IN ({READY.replace('SELECT id', 'SELECT ctid')} LIMIT 3)", False),
    ],
)
def test_which_forms_claim_twice(lab: Lab, sql: str, double: bool) -> None:
    claims = two_claims(lab, f"{sql} RETURNING jobs.id")
    assert claims == TwoClaims([1, 2, 3], [1, 2, 3] if double else [], waited=True)
    assert bool(advice("PGL113", sql)) == double


@pytest.mark.parametrize(
    ("advised", "before", "after"),
    [
        (
            "write LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED in the sub-SELECT",
            f"{UPDATE} WHERE id = ANY(ARRAY({READY} LIMIT 3))",
            f"{UPDATE} WHERE id = ANY(ARRAY({READY} LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED))",
        ),
        (
            "a WITH query that ends in LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED, and join to it",
            f"{UPDATE} FROM ({READY} LIMIT 3) AS k WHERE k.id = jobs.id",
            f"WITH k AS ({READY} LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED)"
            f" {UPDATE} FROM k WHERE k.id = jobs.id",
        ),
    ],
)
def test_what_the_advice_names_gets_the_next_rows(
    lab: Lab, advised: str, before: str, after: str
) -> None:
    assert advised in advice("PGL113", before)
    claims = two_claims(lab, f"{after} RETURNING jobs.id")
    assert (sorted(claims.first), sorted(claims.second)) == ([1, 2, 3], [4, 5, 6])


def test_the_advice_for_several_rows_gets_the_next(lab: Lab) -> None:
    advised = "id = ANY(ARRAY(SELECT … LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED))"
    assert advised in advice("PGL113", f"{UPDATE} WHERE id IN ({READY} LIMIT 3)")
    sql = advised.replace("SELECT …", READY)
    claims = two_claims(lab, f"{UPDATE} WHERE {sql} RETURNING id")
    assert claims == TwoClaims([1, 2, 3], [4, 5, 6], waited=False)


def test_an_advisory_lock_in_the_claim_itself_comes_too_late(lab: Lab) -> None:
    claim = f"{UPDATE} WHERE id IN ({READY} LIMIT 3) RETURNING id"
    turn = "SELECT pg_advisory_xact_lock(42)"
    within = f"WITH turn AS MATERIALIZED ({turn}) {claim.replace('WHERE id', 'FROM turn WHERE id')}"
    assert two_claims(lab, within) == TwoClaims([1, 2, 3], [1, 2, 3], waited=True)
    assert advice("PGL113", within)
    lab.run("UPDATE jobs SET status = 'ready'")
    before = f"{turn}; {claim}"
    first, second = lab.sessions(2, begin=True)
    assert sorted(first.ids(before)) == [1, 2, 3]
    running = second.start(before)
    assert running.waits()
    first.run("COMMIT")
    assert sorted(running.ids()) == [4, 5, 6]
