"""PGL601: under a kept snapshot a lock fails where READ COMMITTED would go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE
from proofs.harness import Lab
from proofs.sessions import SERIALIZATION_FAILURE, Running, statements
from rulepages import bad, good

SCHEMA = f"""
{QUEUE}
INSERT INTO jobs (id) VALUES (11), (12);
CREATE TABLE accounts (id int PRIMARY KEY, balance int);
INSERT INTO accounts VALUES (1, 100);
"""
WAITING, SKIPPING = bad("PGL601")
COMMITTED, SKIPPING_FIRST = good("PGL601")
LEVELS = ("REPEATABLE READ", "SERIALIZABLE")
CLAIM = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 1 FOR UPDATE"


def claims_and_errors(lab: Lab, level: str) -> tuple[int, int]:
    """How 4 workers in step, who claim until no job is left, fare under an isolation level."""
    workers, claims, errors = lab.sessions(4), 0, 0
    while lab.value("SELECT count(*) FROM jobs WHERE status = 'ready'"):
        running: dict[int, Running] = {}
        for number, worker in enumerate(workers):
            running[number] = worker.start(f"BEGIN ISOLATION LEVEL {level}; {CLAIM}")
            running[number].waits()
        while running:
            number = next(n for n, each in running.items() if not each.waits())
            ended = running.pop(number)
            if ended.error() == SERIALIZATION_FAILURE:
                errors += 1
            else:
                claims += len(ended.ids())
                workers[number].run(
                    "UPDATE jobs SET status = 'run' WHERE id = ANY($1)", ended.ids()
                )
            workers[number].run("COMMIT")
    lab.run("UPDATE jobs SET status = 'ready'")
    return claims, errors


def outcome(lab: Lab, script: str) -> str | None:
    """How a transfer of 10 ends that waits for another one of 10."""
    lab.run("UPDATE accounts SET balance = 100")
    first = lab.session(begin=True)
    first.run("UPDATE accounts SET balance = balance - 10 WHERE id = 1")
    running = lab.session().start(script, 1)
    assert running.waits()
    first.run("COMMIT")
    return running.error()


def test_waiting_ends_in_40001(lab: Lab, proved: Callable[[str], None]) -> None:
    assert outcome(lab, WAITING) == SERIALIZATION_FAILURE
    assert lab.value("SELECT balance FROM accounts") == 90
    assert outcome(lab, COMMITTED) is None
    assert lab.value("SELECT balance FROM accounts") == 80
    (claims, errors), committed = (
        claims_and_errors(lab, "REPEATABLE READ"),
        claims_and_errors(lab, "READ COMMITTED"),
    )
    assert ((claims, errors), committed) == ((12, 36), (12, 0))
    proved(
        f"4 workers in step under REPEATABLE READ meet {errors} errors (40001) for {claims}"
        f" claims of 12 jobs, under READ COMMITTED {committed[1]}"
    )


def test_the_whole_transaction_tried_again_goes_through(lab: Lab) -> None:
    assert outcome(lab, WAITING) == SERIALIZATION_FAILURE
    assert lab.session().error(WAITING, 1) is None
    assert lab.value("SELECT balance FROM accounts") == 80


def test_skip_locked_fails_too_once_there_is_a_snapshot(lab: Lab) -> None:
    begin, level, count, claim, _ = statements(SKIPPING)
    worker = lab.session()
    worker.run(f"{begin}; {level}; {count}")
    lab.run("UPDATE jobs SET priority = 0 WHERE id = 1")
    assert worker.error(claim) == SERIALIZATION_FAILURE
    first = lab.session()
    first.run("; ".join(statements(SKIPPING_FIRST)[:2]))
    assert lab.session().error(SKIPPING_FIRST) is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("change", "lock", "fails"),
    [
        ("UPDATE jobs SET priority = 0 WHERE id = 1", "UPDATE", True),
        ("UPDATE jobs SET priority = 0 WHERE id = 1", "UPDATE SKIP LOCKED", True),
        ("UPDATE jobs SET priority = 0 WHERE id = 1", "UPDATE NOWAIT", True),
        ("UPDATE jobs SET priority = 0 WHERE id = 1", "SHARE", True),
        ("UPDATE jobs SET priority = 0 WHERE id = 1", "KEY SHARE", False),
        ("DELETE FROM jobs WHERE id = 1", "UPDATE SKIP LOCKED", True),
        ("SELECT FROM jobs WHERE id = 1 FOR UPDATE", "UPDATE", False),
    ],
)
def test_what_another_did_since_the_snapshot(
    lab: Lab, level: str, change: str, lock: str, fails: bool
) -> None:
    worker = lab.session()
    worker.run(f"BEGIN ISOLATION LEVEL {level}; SELECT count(*) FROM jobs")
    lab.run(change)
    error = worker.error(f"SELECT FROM jobs WHERE id = 1 FOR {lock}")
    assert error == (SERIALIZATION_FAILURE if fails else None)


def test_a_change_that_is_not_committed_is_skipped(lab: Lab) -> None:
    worker = lab.session()
    worker.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM jobs")
    lab.session(begin=True).run("UPDATE jobs SET priority = 0 WHERE id = 1")
    assert worker.ids("SELECT id FROM jobs WHERE id = 1 FOR UPDATE SKIP LOCKED") == []
