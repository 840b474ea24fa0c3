"""PGL106: a claim that is a lock keeps its transaction open; a claim that is written does not."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from proofs.sessions import statements
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE noise AS SELECT n FROM generate_series(1, 100) AS n;
"""
BEGIN, SELECT, UPDATE, COMMIT = statements(bad("PGL106")[0])
(ONE_STATEMENT,) = good("PGL106")


def removed_by_vacuum(lab: Lab) -> int:
    """How many of 100 rows that were just deleted VACUUM can take away."""
    lab.run("TRUNCATE noise; INSERT INTO noise SELECT generate_series(1, 100)")
    lab.run("DELETE FROM noise; VACUUM noise")
    return 100 - int(lab.value("SELECT pg_stat_get_dead_tuples('noise'::regclass)"))


def between_claim_and_work(lab: Lab) -> tuple[int, int]:
    """Rows locked, and what VACUUM removes, while the application has the row in hand."""
    return len(lab.locked()), removed_by_vacuum(lab)


def test_lock_and_transaction_last(lab: Lab, proved: Callable[[str], None]) -> None:
    worker = lab.session()
    assert worker.ids(f"{BEGIN}; {SELECT}") == [1]
    split = between_claim_and_work(lab)
    worker.run(f"{UPDATE}; {COMMIT}", 1)
    assert worker.ids(ONE_STATEMENT) == [2]
    written = between_claim_and_work(lab)
    assert (split, written) == ((1, 0), (0, 100))
    proved(
        f"between the two statements {split[0]} row is locked and VACUUM removes {split[1]} of"
        f" 100 dead rows of another table; after the claim in one statement {written[0]} and"
        f" {written[1]}"
    )


def test_a_guarded_update_changes_one_row_or_none(lab: Lab) -> None:
    assert "let each UPDATE by key test the state again" in advice("PGL106", bad("PGL106")[0])
    guarded = "UPDATE jobs SET status = 'running' WHERE id = $1 AND status = 'ready' RETURNING id"
    first, second = lab.session(begin=True), lab.session()
    assert first.ids(guarded, 1) == [1]
    running = second.start(guarded, 1)
    assert running.waits()
    first.run("COMMIT")
    assert running.ids() == []
