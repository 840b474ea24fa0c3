"""PGL302: two that share a row and both go on to change it wait for each other."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import DEADLOCK, statements
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE accounts (id int PRIMARY KEY, balance int);
INSERT INTO accounts VALUES (7, 100);
CREATE TABLE parents (id int PRIMARY KEY);
CREATE TABLE children (parent_id int REFERENCES parents);
INSERT INTO parents VALUES (7);
"""
STATEMENT, TRANSACTION = bad("PGL302")
CURED, GATE = good("PGL302")
RACES = 10
ONE_DIES = [DEADLOCK, None]


def ends(lab: Lab, lock: str, write: str) -> list[str | None]:
    """How two transactions end which both lock, if they can, before either of them writes."""
    made = []
    for worker in lab.sessions(2, begin=True):
        running = worker.start(lock)
        running.waits()
        made.append((worker, running))
    runs = [worker.start(f"{write}; COMMIT") for worker, _ in made]
    return sorted((each.error() for each in runs), key=str)


def test_each_race_is_a_deadlock(lab: Lab, proved: Callable[[str], None]) -> None:
    gate = "SELECT FROM accounts WHERE id = 7 FOR SHARE"
    races = [sorted(lab.collide(gate, (STATEMENT,), (STATEMENT,)), key=str) for _ in range(RACES)]
    deadlocks = races.count(ONE_DIES)
    assert deadlocks == RACES
    assert "FOR NO KEY UPDATE" in advice("PGL302", STATEMENT)
    cured = [lab.collide(gate, (CURED,), (CURED,)) for _ in range(RACES)]
    assert cured == [[None, None]] * RACES
    proved(
        f"{deadlocks} of {RACES} races of the first example end in a deadlock (40P01), with"
        " FOR NO KEY UPDATE none"
    )


def test_a_key_share_and_then_delete(lab: Lab) -> None:
    _, lock, write, _ = statements(TRANSACTION)
    assert ends(lab, lock, write) == ONE_DIES
    lab.run("INSERT INTO parents VALUES (7) ON CONFLICT DO NOTHING")
    assert "FOR UPDATE" in advice("PGL302", TRANSACTION)
    assert ends(lab, lock.replace("KEY SHARE", "UPDATE"), write) == [None, None]


def test_a_key_share_and_then_a_child_row(lab: Lab) -> None:
    _, lock, write, _ = statements(GATE)
    assert ends(lab, lock, write) == [None, None]


def test_skipping_and_refusing_to_wait_do_not_help(lab: Lab) -> None:
    lock = "SELECT FROM accounts WHERE id = 7 FOR SHARE"
    for policy in ("SKIP LOCKED", "NOWAIT"):
        assert ends(lab, f"{lock} {policy}", "UPDATE accounts SET balance = 1") == ONE_DIES
