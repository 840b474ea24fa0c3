"""PGL111: a row that moved is locked at its new place, and missed there by the write."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = QUEUE
(BY_CTID,) = bad("PGL111")
(BY_KEY,) = good("PGL111")


def changed_after_a_move(lab: Lab, sql: str) -> int:
    """How many rows a claim changes of which another session has just updated one."""
    first, second = lab.session(begin=True), lab.session()
    first.run("UPDATE jobs SET payload = 'new' WHERE id = 1")
    running = second.start(sql.replace("SKIP LOCKED", ""))  # so that it meets the moved row
    assert running.waits()
    first.run("COMMIT")
    running.rows()
    return second.changed


def test_a_locked_row_is_not_changed(lab: Lab, proved: Callable[[str], None]) -> None:
    by_ctid = changed_after_a_move(lab, BY_CTID)
    lab.run("UPDATE jobs SET status = 'ready'")
    assert "a key that does not change" in advice("PGL111", BY_CTID)
    by_key = changed_after_a_move(lab, BY_KEY)
    assert (by_ctid, by_key) == (2, 3)
    proved(f"of 3 rows claimed, one of them just updated, {by_ctid} are changed; by key {by_key}")


@pytest.mark.parametrize(("column", "changed"), [("ctid", 2), ("id", 3)])
@pytest.mark.parametrize("write", ["DELETE", "array"])
def test_other_writes_miss_it_too(lab: Lab, column: str, changed: int, write: str) -> None:
    picked = f"SELECT {column} AS c FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 3 FOR UPDATE"
    sql = {
        "DELETE": f"WITH k AS ({picked}) DELETE FROM jobs USING k WHERE k.c = jobs.{column}",
        "array": f"DELETE FROM jobs WHERE {column} = ANY(ARRAY({picked}))",
    }[write]
    assert changed_after_a_move(lab, sql) == changed
    assert bool(advice("PGL111", sql)) == (column == "ctid")
