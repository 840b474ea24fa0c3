"""PGL105: workers that wait for one row work one at a time."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE, READY, TwoClaims, at_work_and_waiting, two_claims
from proofs.harness import Lab, statements
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE versions (id int PRIMARY KEY, document_id int, body text);
INSERT INTO versions VALUES (1, 7), (2, 7);
"""
TRANSACTION, UPDATE = bad("PGL105")
SKIPPING, MUTEX = good("PGL105")
SELECT = statements(TRANSACTION)[1]


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
        f"of 4 workers {selects[0]} has a row and {selects[1]} wait, with 9 rows free; with SKIP"
        f" LOCKED {skipping[0]} have one each"
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
