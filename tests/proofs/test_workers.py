"""Eight workers at one queue: what no rule's page shows."""

from __future__ import annotations

from collections import Counter

from proofs.claims import QUEUE, READY, doubled
from proofs.harness import Lab

SCHEMA = QUEUE
WORKERS = 8
ONE = f"{READY} LIMIT 1"


def test_without_a_clause_all_do_the_same_job(lab: Lab) -> None:
    workers = lab.sessions(WORKERS, begin=True)
    claimed = Counter(row for worker in workers for row in worker.ids(ONE))
    assert doubled(claimed) == (8, 7)


def test_who_finds_fewer_jobs_than_workers_polls_in_vain(lab: Lab) -> None:
    lab.run("DELETE FROM jobs WHERE id > 3")
    workers = lab.sessions(WORKERS, begin=True)
    found = [worker.ids(f"{ONE} FOR UPDATE SKIP LOCKED") for worker in workers]
    assert found == [[1], [2], [3], [], [], [], [], []]
