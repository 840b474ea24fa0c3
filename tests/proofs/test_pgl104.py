"""PGL104: a shared lock is skipped by no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from proofs.claims import QUEUE, doubled, mark
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
INSERT INTO jobs (id) VALUES (11), (12);
CREATE TABLE parents (id int PRIMARY KEY);
INSERT INTO parents VALUES (7);
"""
(SHARED,) = bad("PGL104")
CLAIM, GATE = good("PGL104")


def claims_side_by_side(lab: Lab, claim: str) -> Counter[Any]:
    """How often each job is claimed by 4 workers that all have claimed before one is done."""
    lab.run("UPDATE jobs SET status = 'ready'")
    counted: Counter[Any] = Counter()
    workers = lab.sessions(4)
    while True:
        claimed = [worker.ids(f"BEGIN; {claim}") for worker in workers]
        for worker in workers:
            worker.run("COMMIT")
        if not any(claimed):
            return counted
        for worker, ids in zip(workers, claimed, strict=True):
            counted.update(ids)
            mark(worker, ids)


def test_everybody_claims_the_same_rows(lab: Lab, proved: Callable[[str], None]) -> None:
    claims, double = doubled(claims_side_by_side(lab, SHARED.replace("LIMIT 3", "LIMIT 1")))
    assert (claims, double) == (48, 36)
    assert "FOR NO KEY UPDATE SKIP LOCKED" in advice("PGL104", SHARED)
    cured = doubled(claims_side_by_side(lab, CLAIM.replace("LIMIT 3", "LIMIT 1")))
    assert cured == (12, 0)
    proved(
        f"4 workers side by side make {claims} claims of 12 jobs, {double} of them double; FOR"
        f" NO KEY UPDATE SKIP LOCKED {cured[0]}"
    )


def test_three_rows_of_two_sessions(lab: Lab) -> None:
    first, second, third = lab.sessions(3, begin=True)
    for worker in (first, second):
        assert worker.ids(SHARED) == [1, 2, 3]
    assert third.ids(CLAIM) == [4, 5, 6]
    assert second.ids(CLAIM) == [7, 8, 9]


def test_a_key_share_takes_rows_that_are_being_changed(lab: Lab) -> None:
    lab.session(begin=True).run("UPDATE jobs SET status = 'running' WHERE id = 1")
    assert lab.session().ids(SHARED.replace("SHARE", "KEY SHARE")) == [1, 2, 3]


def test_a_gate_by_key_is_meant_for_several(lab: Lab) -> None:
    for worker in lab.sessions(2, begin=True):
        assert worker.ids(GATE) == [7]
