"""PGL604: outside a transaction the lock is gone before the next statement."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from proofs.sessions import statements
from rulepages import bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE accounts (id int PRIMARY KEY, balance int);
INSERT INTO accounts VALUES (1, 100);
"""
LOCK, UPDATE = statements(bad("PGL604")[0])
IN_TRANSACTION, ONE_STATEMENT = good("PGL604")
OTHER = "UPDATE accounts SET balance = 0 WHERE id = 1"


def test_another_gets_between_the_two_statements(lab: Lab, proved: Callable[[str], None]) -> None:
    script = lab.session()
    script.run(LOCK)
    alone = len(lab.locked("accounts"))
    slipped_in = not lab.session().start(OTHER).waits()
    begin, lock, *_ = statements(IN_TRANSACTION)
    script.run(f"{begin}; {lock}")
    held = len(lab.locked("accounts"))
    assert (alone, slipped_in, held) == (0, True, 1)
    assert lab.session().start(OTHER).waits()
    proved(
        f"between the two statements {alone} rows are locked and another session's UPDATE goes"
        f" through; after BEGIN {held} is, and it waits"
    )


def test_one_statement_is_a_transaction_of_its_own(lab: Lab) -> None:
    first, second = lab.session(begin=True), lab.session()
    assert first.ids(ONE_STATEMENT) == [1]
    assert second.ids(ONE_STATEMENT) == [2]
