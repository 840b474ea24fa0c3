"""PGL301: FOR UPDATE keeps child rows out, for nothing where no key changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from proofs.sessions import DEADLOCK, LOCK_NOT_AVAILABLE, statements
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE jobs (id int PRIMARY KEY, status text DEFAULT 'ready');
CREATE TABLE runs (job_id int REFERENCES jobs);
INSERT INTO jobs SELECT generate_series(1, 5);
CREATE TABLE accounts (id int PRIMARY KEY, balance int DEFAULT 500);
CREATE TABLE entries (account_id int REFERENCES accounts, amount int);
INSERT INTO accounts VALUES (1), (2);
CREATE TABLE mixed (
    id int PRIMARY KEY, plain int, indexed int, partial int, folded text, included int,
    one int UNIQUE DEFERRABLE, two int, three int, UNIQUE (two, three)
);
CREATE INDEX ON mixed (indexed);
CREATE UNIQUE INDEX ON mixed (partial) WHERE partial > 0;
CREATE UNIQUE INDEX ON mixed (lower(folded));
CREATE UNIQUE INDEX ON mixed (id) INCLUDE (included);
INSERT INTO mixed (id) VALUES (1);
"""
CLAIM, BALANCE = bad("PGL301")
WEAK_CLAIM, SUM, DELETE = good("PGL301")
CHILD = "INSERT INTO runs VALUES (1)"
ENTRY = "INSERT INTO entries VALUES (1, 10)"


def child_waits(lab: Lab, script: str, child: str, *values: object) -> bool:
    """Whether the INSERT of a child row waits for a transaction that has not committed yet."""
    lab.session().run(
        "; ".join(each for each in ("BEGIN", *statements(script)) if each != "COMMIT")
    )
    waits = lab.session().start(child, *values).waits()
    lab.end_sessions()
    return waits


def test_child_rows_wait_for_nothing(lab: Lab, proved: Callable[[str], None]) -> None:
    assert child_waits(lab, CLAIM, CHILD)
    assert child_waits(lab, BALANCE, ENTRY)
    assert "FOR NO KEY UPDATE" in advice("PGL301", BALANCE)
    weaker = BALANCE.replace("FOR UPDATE", "FOR NO KEY UPDATE")
    assert not child_waits(lab, WEAK_CLAIM, CHILD)
    assert not child_waits(lab, weaker, ENTRY)
    lab.session(begin=True).run(CHILD)
    strong, weak = lab.session().writes(CLAIM), lab.session().writes(WEAK_CLAIM)
    assert (strong, weak) == (4, 5)
    proved(
        "INSERT of a child row hangs behind FOR UPDATE and not behind FOR NO KEY UPDATE;"
        f" while one is not committed, the bad claim takes {strong} of 5 parents, the good one"
        f" {weak}"
    )


@pytest.mark.parametrize(
    "write",
    ["UPDATE accounts SET balance = 0", "DELETE FROM accounts", "SELECT FROM accounts FOR UPDATE"],
)
def test_the_weaker_lock_keeps_out_the_same_writers(lab: Lab, write: str) -> None:
    lab.session(begin=True).run("SELECT FROM accounts FOR NO KEY UPDATE")
    assert lab.session().start(write).waits()


def test_an_uncommitted_child_row_holds_up_the_stronger_lock(lab: Lab) -> None:
    lab.session(begin=True).run(ENTRY)
    parent = "SELECT FROM accounts WHERE id = 1 FOR"
    assert lab.session().start(f"{parent} UPDATE").waits()
    assert lab.session().error(f"{parent} UPDATE NOWAIT") == LOCK_NOT_AVAILABLE
    assert lab.session().error(f"{parent} NO KEY UPDATE NOWAIT") is None


def test_two_that_insert_and_then_lock_the_parent_deadlock(lab: Lab) -> None:
    first, second = lab.sessions(2, begin=True)
    for session in (first, second):
        session.run(ENTRY)
    runs = [
        s.start("SELECT FROM accounts WHERE id = 1 FOR UPDATE; COMMIT") for s in (first, second)
    ]
    assert sorted((each.error() for each in runs), key=str) == [DEADLOCK, None]
    for session in lab.sessions(2, begin=True):
        session.run(ENTRY)
        session.start("SELECT FROM accounts WHERE id = 1 FOR NO KEY UPDATE; COMMIT").rows()


def test_the_stronger_lock_keeps_new_entries_out_of_the_sum(lab: Lab) -> None:
    assert child_waits(lab, SUM, ENTRY)
    assert not child_waits(lab, SUM.replace("FOR UPDATE", "FOR NO KEY UPDATE"), ENTRY)


def test_delete_takes_the_strong_lock_by_itself(lab: Lab) -> None:
    assert child_waits(lab, DELETE.replace("done", "ready"), CHILD)


@pytest.mark.parametrize(
    ("column", "value", "mode"),
    [
        *((name, "1", "No Key Update") for name in ("plain", "indexed", "partial", "included")),
        ("folded", "'a'", "No Key Update"),
        ("id", "id", "No Key Update"),
        *((name, "5", "Update") for name in ("id", "one", "two", "three")),
    ],
)
def test_which_lock_an_update_takes_itself(lab: Lab, column: str, value: str, mode: str) -> None:
    lab.session(begin=True).run(f"UPDATE mixed SET {column} = {value}")
    assert lab.value("SELECT modes[1] FROM pgrowlocks('mixed')") == mode
