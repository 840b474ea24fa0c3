"""PGL503: a list read with SKIP LOCKED lacks what others hold, and locks the rest."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE accounts (id int PRIMARY KEY, region int DEFAULT 4, balance int);
INSERT INTO accounts SELECT generate_series(1, 10);
"""
(READ,) = bad("PGL503")
PLAIN, CLAIM = good("PGL503")


def test_held_rows_are_missing(lab: Lab, proved: Callable[[str], None]) -> None:
    lab.session(begin=True).run("SELECT FROM accounts WHERE id <= 4 FOR UPDATE")
    before = len(lab.locked("accounts"))
    reader = lab.session(begin=True)
    read, locked = len(reader.run(READ)), len(lab.locked("accounts")) - before
    assert "read without a locking clause" in advice("PGL503", READ)
    plain = lab.session().run(PLAIN)
    assert (read, locked, len(plain)) == (6, 6, 10)
    proved(
        f"with 4 of {len(plain)} rows held elsewhere {read} are read, and locked; without the"
        f" clause {len(plain)}"
    )


def test_two_that_lock_exclusively_share_the_rows_out(lab: Lab) -> None:
    sql = READ.replace("SHARE", "UPDATE").rstrip(";\n")
    first, second = lab.sessions(2, begin=True)
    assert len(first.run(sql)) == 10
    assert second.run(sql) == []


def test_a_claim_asks_for_any_rows(lab: Lab) -> None:
    lab.session(begin=True).run("SELECT FROM jobs WHERE id <= 4 FOR UPDATE")
    assert lab.session().ids(CLAIM) == list(range(5, 11))
