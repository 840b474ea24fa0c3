"""PGL501: an aggregate over SKIP LOCKED leaves out what others hold, whatever they do with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
ALTER TABLE jobs ADD run_at int;
UPDATE jobs SET run_at = id;
"""
COUNT, GROUPED = bad("PGL501")
PLAIN, CLAIMED, COLLECTED = good("PGL501")
LOCKING = "SELECT id FROM jobs WHERE status = 'ready' FOR UPDATE SKIP LOCKED"


def hold(lab: Lab, rows: int) -> None:
    """Another session locks the first rows, and will roll back."""
    lab.session(begin=True).run("SELECT FROM jobs WHERE id <= $1 FOR UPDATE", rows)


def test_held_rows_do_not_count(lab: Lab, proved: Callable[[str], None]) -> None:
    hold(lab, 4)
    seen, least = (
        lab.session().value(COUNT),
        lab.session().value(COUNT.replace("count(*)", "min(id)")),
    )
    counted = lab.locks(COUNT)
    assert "compute count over a SELECT without a locking clause" in advice("PGL501", COUNT)
    true = lab.session().value(PLAIN)
    lab.end_sessions()
    hold(lab, 10)
    busy = lab.session().value(COUNT)
    assert (seen, least, busy, true, counted) == (6, 5, 0, 10, (1, 10))
    proved(
        f"with 4 of {true} rows held elsewhere count says {seen} and min(id) {least}, with all"
        f" held {busy}; without the clause {true}"
    )


def test_the_least_of_each_queue_is_another(lab: Lab) -> None:
    before = lab.session().run(GROUPED)
    hold(lab, 4)
    assert sorted(before) == [("a", 2), ("b", 1)]
    assert sorted(lab.session().run(GROUPED)) == [("a", 6), ("b", 5)]


def test_the_count_locks_what_it_counts(lab: Lab) -> None:
    lab.session(begin=True).run(COUNT)
    assert lab.session().ids(LOCKING) == []


def test_without_skipping_it_waits_and_tells_the_truth(lab: Lab) -> None:
    worker, reader = lab.session(begin=True), lab.session()
    worker.run("UPDATE jobs SET status = 'done' WHERE id <= 4")
    running = reader.start(COUNT.replace("SKIP LOCKED", ""))
    assert running.waits()
    worker.run("COMMIT")
    assert running.ids() == [6]


@pytest.mark.parametrize("sql", [CLAIMED, COLLECTED])
def test_the_size_of_a_claim_is_true(lab: Lab, sql: str) -> None:
    hold(lab, 4)
    claim = lab.session(begin=True)
    answer: Any = claim.value(sql)
    own = [row for row in lab.locked() if row > 4]
    assert answer in (len(own), own)
    assert len(own) == 6
