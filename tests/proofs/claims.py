"""A queue of jobs, and workers that claim from it one after the other or side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from proofs.harness import Lab
from proofs.sessions import Running, Session

QUEUE = """
CREATE TABLE jobs (id int PRIMARY KEY, status text DEFAULT 'ready', priority int, queue text,
                   payload text DEFAULT '');
INSERT INTO jobs (id, priority, queue)
SELECT n, n, CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 10) AS n;
ANALYZE jobs;
"""
READY = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id"


@dataclass(frozen=True)
class TwoClaims:
    """What two sessions got from one claim; the first one commits as soon as the second waits."""

    first: list[Any]
    second: list[Any]
    waited: bool


def two_claims(lab: Lab, claim: str, *, of_second: str | None = None) -> TwoClaims:
    """Let a session claim rows and mark them, and another claim while it is at work."""
    first, second = lab.session(begin=True), lab.session()
    claimed = first.ids(claim)
    mark(first, claimed)
    running = second.start(of_second or claim)
    waited = running.waits()
    first.run("COMMIT")
    return TwoClaims(sorted(claimed), running.ids(), waited)


def mark(worker: Session, claimed: list[Any]) -> None:
    """Write down that rows are taken; where the claim itself did so nothing changes."""
    worker.run("UPDATE jobs SET status = 'running' WHERE id = ANY($1::int[])", claimed)


def claims_in_step(lab: Lab, claim: str, workers: int = 4) -> Counter[Any]:
    """How often each of the jobs is claimed by workers of whom each has begun before one is done.

    A worker that gets a row marks it and commits; the others, where they wait, go on then.
    """
    counted: Counter[Any] = Counter()
    at_work = lab.sessions(workers)
    while lab.value("SELECT count(*) FROM jobs WHERE status = 'ready'"):
        running: dict[int, Running] = {}
        for number, worker in enumerate(at_work):
            worker.run("BEGIN")
            running[number] = worker.start(claim)
            running[number].waits()
        while running:
            number = next(n for n, each in running.items() if not each.waits())
            claimed = running.pop(number).ids()
            counted.update(claimed)
            mark(at_work[number], claimed)
            at_work[number].run("COMMIT")
    return counted


def doubled(counted: Counter[Any]) -> tuple[int, int]:
    """How many claims there were, and how many of them were of a row that was claimed already."""
    return counted.total(), counted.total() - len(counted)


def at_work_and_waiting(lab: Lab, claim: str, workers: int = 4) -> tuple[int, int]:
    """Of workers that all claim in a transaction, how many have a row and how many wait."""
    made = [worker.start(claim) for worker in lab.sessions(workers, begin=True)]
    waiting = sum(each.waits() for each in made)
    return workers - waiting, waiting
