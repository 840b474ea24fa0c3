"""PGL105: workers that wait for one row work one at a time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from proofs.claims import QUEUE, READY, TwoClaims, at_work_and_waiting, mark, two_claims
from proofs.harness import Lab
from proofs.sessions import statements
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE versions (id int PRIMARY KEY, document_id int, body text);
INSERT INTO versions VALUES (1, 7), (2, 7);
"""
TRANSACTION, UPDATE = bad("PGL105")
SKIPPING, MUTEX = good("PGL105")
SELECT = statements(TRANSACTION)[1]
WORKERS = 8


def test_one_works_and_the_others_wait(lab: Lab, proved: Callable[[str], None]) -> None:
    selects = at_work_and_waiting(lab, SELECT)
    lab.end_sessions()
    updates = at_work_and_waiting(lab, UPDATE)
    lab.end_sessions()
    assert "FOR NO KEY UPDATE SKIP LOCKED" in advice("PGL105", TRANSACTION)
    advised = at_work_and_waiting(lab, SELECT.replace("UPDATE", "UPDATE SKIP LOCKED"))
    lab.end_sessions()
    skipping = at_work_and_waiting(lab, SKIPPING)
    assert (selects, updates) == ((1, 3), (1, 3))
    assert (advised, skipping) == ((4, 0), (4, 0))
    proved(
        f"of 4 workers {selects[0]} has a row and {selects[1]} wait, with 9 rows free; with"
        f" SKIP LOCKED {skipping[0]} have one each"
    )


def test_who_waited_gets_the_next_rows(lab: Lab) -> None:
    assert two_claims(lab, SELECT) == TwoClaims([1], [2], waited=True)
    sql = f"{READY} LIMIT 3 FOR UPDATE"
    lab.run("UPDATE jobs SET status = 'ready'")
    assert two_claims(lab, sql) == TwoClaims([1, 2, 3], [4, 5, 6], waited=True)


def test_a_mutex_is_meant_to_be_waited_for(lab: Lab) -> None:
    first, second = lab.sessions(2)
    first.run(";".join(statements(MUTEX)[:3]), "a", 2)
    assert second.start(MUTEX, "b", 2).waits()


def jobs_done(lab: Lab, lock: str, seconds: float, job: float) -> Counter[int]:
    """How often each job is done by eight workers who hold its lock while they work on it."""
    counted: Counter[int] = Counter()
    workers = lab.sessions(WORKERS)
    together = threading.Barrier(WORKERS)

    def work(number: int) -> None:
        worker = workers[number]
        together.wait(10)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            claimed = worker.ids(f"BEGIN; {READY} LIMIT 1 {lock}")
            time.sleep(job)
            mark(worker, claimed)
            worker.run("COMMIT")
            counted.update(claimed)

    with ThreadPoolExecutor(WORKERS) as threads:
        assert len([*threads.map(work, range(WORKERS))]) == WORKERS
    return counted


def test_eight_workers_do_the_jobs_of_one(
    lab: Lab, proved: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    lab.run("INSERT INTO jobs (id) SELECT generate_series(11, 2000); ANALYZE jobs")
    seconds, job = (6.0, 0.12) if request.config.getoption("long") else (1.0, 0.03)
    waiting = jobs_done(lab, "FOR UPDATE", seconds, job)
    lab.run("UPDATE jobs SET status = 'ready'")
    skipping = jobs_done(lab, "FOR UPDATE SKIP LOCKED", seconds, job)
    print(f"{WORKERS} workers, {seconds} s, jobs of {job * 1000:.0f} ms:", end=" ")
    print(f"{waiting.total()} jobs with FOR UPDATE, {skipping.total()} with SKIP LOCKED")
    assert set(waiting.values()) == set(skipping.values()) == {1}
    assert skipping.total() >= 4 * waiting.total()
    proved(f"{WORKERS} workers do at least 4 times as many jobs with SKIP LOCKED as without it")
