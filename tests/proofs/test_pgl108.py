"""PGL108: rows are sorted before they are locked, and not again."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from proofs.sessions import statements
from rulepages import advice, bad, good

SCHEMA = QUEUE
WAITING = statements(bad("PGL108")[0])[1]
SKIPPING = statements(good("PGL108")[0])[1]


def after_the_first_row_sinks(lab: Lab, sql: str) -> tuple[list[int], int]:
    """What a query returns and locks where the first row sinks while it is waited for."""
    writer, reader = lab.session(begin=True), lab.session(begin=True)
    writer.run("UPDATE jobs SET priority = 0 WHERE id = 10")
    running = reader.start(sql)
    running.waits()
    writer.run("COMMIT")
    ids, locked = running.ids(), len(lab.locked())
    lab.end_sessions()
    lab.run("UPDATE jobs SET priority = id")
    return ids, locked


def test_the_order_is_that_before_the_wait(lab: Lab, proved: Callable[[str], None]) -> None:
    stale, _ = after_the_first_row_sinks(lab, WAITING)
    assert stale == [10, 9, 8]
    skipping, _ = after_the_first_row_sinks(lab, SKIPPING)
    assert skipping == [9, 8, 7]
    told, skipped = (", ".join(map(str, ids)) for ids in (stale, skipping))
    proved(
        f"row {stale[0]} sinks from the first place to the last while it is waited for, and"
        f" the first three are rows {told}; with SKIP LOCKED {skipped}"
    )


def test_what_the_advice_says_of_sorting_again(lab: Lab) -> None:
    assert "order, not which ones a LIMIT took" in advice("PGL108", bad("PGL108")[0])
    locking = WAITING.replace("SELECT id", "SELECT id, priority")
    again = f"WITH c AS ({locking}) SELECT id FROM c ORDER BY priority DESC, id"
    assert after_the_first_row_sinks(lab, again) == ([9, 8, 10], 3)
    outside = (
        "SELECT id FROM (SELECT id, priority FROM jobs FOR NO KEY UPDATE) AS s"
        " ORDER BY priority DESC, id LIMIT 3"
    )
    assert after_the_first_row_sinks(lab, outside) == ([9, 8, 7], 10)
