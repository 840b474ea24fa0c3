"""PGL110: under SKIP LOCKED the order is one among free rows."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE, mark
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = QUEUE
(BY_PRIORITY,) = bad("PGL110")
(BY_KEY,) = good("PGL110")


def order_of_work(lab: Lab, claim: str) -> list[int]:
    """The rows in which a worker claims while another has the foremost and then gives it back."""
    first, second = lab.sessions(2, begin=True)
    first.run(claim)
    running = second.start(claim)
    running.waits()
    first.run("ROLLBACK")
    done = running.ids()
    mark(second, done)
    return done + second.ids(claim)


def test_the_urgent_row_is_done_after_another(lab: Lab, proved: Callable[[str], None]) -> None:
    skipping = order_of_work(lab, BY_PRIORITY)
    lab.end_sessions()
    assert "one row at a time without SKIP LOCKED" in advice("PGL110", BY_PRIORITY)
    waiting = order_of_work(lab, BY_PRIORITY.replace("SKIP LOCKED", ""))
    lab.end_sessions()
    assert (skipping, waiting) == ([9, 10], [10, 9])
    assert order_of_work(lab, BY_KEY) == [2, 1]  # the same, where no order is promised
    proved(
        f"rows of priority {skipping[0]} and {skipping[1]} are done in this order, the urgent"
        f" one last, where a worker gave it back; without SKIP LOCKED {waiting[0]} comes first"
    )
