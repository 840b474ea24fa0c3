"""PGL502: under SKIP LOCKED a row that is held counts as one that is not there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from proofs.sessions import UNIQUE_VIOLATION
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE shows (id int PRIMARY KEY);
INSERT INTO shows VALUES (1), (2);
CREATE TABLE seats (id int PRIMARY KEY, show int, sold boolean DEFAULT false);
INSERT INTO seats VALUES (1, 1), (7, 2);
"""
EXISTS, INSERT, SOLD_OUT = bad("PGL502")
PLAIN, TRY_LOCK, ON_CONFLICT = good("PGL502")
HELD = "(SELECT id FROM seats WHERE id = 7 FOR UPDATE SKIP LOCKED)"


@pytest.fixture(autouse=True)
def held(lab: Lab) -> None:
    """Somebody looks at seat 7 and will roll back."""
    lab.session(begin=True).run("SELECT FROM seats WHERE id = 7 FOR UPDATE")


def test_the_row_counts_as_absent(lab: Lab, proved: Callable[[str], None]) -> None:
    there, failure, sold_out = (
        lab.session().value(EXISTS),
        lab.session().error(INSERT),
        lab.session().ids(SOLD_OUT),
    )
    assert (there, failure, sold_out) == (False, UNIQUE_VIOLATION, [2])
    assert lab.session().value(PLAIN) is True
    assert "test without a locking clause" in advice("PGL502", SOLD_OUT)
    assert lab.session().ids(SOLD_OUT.replace("FOR SHARE SKIP LOCKED", "")) == []
    proved(
        f"with seat 7 held elsewhere EXISTS says {str(there).lower()}, the INSERT fails with"
        f" {failure}, and a show with a free seat is listed as sold out; without the clause"
        " none of it"
    )


def test_waiting_gives_the_true_answer(lab: Lab) -> None:
    assert "lock without SKIP LOCKED and wait" in advice("PGL502", EXISTS)
    running = lab.session().start(EXISTS.replace("SKIP LOCKED", ""))
    assert running.waits()
    lab.made[0].run("ROLLBACK")
    assert running.ids() == [True]


def test_a_try_lock_says_not_now(lab: Lab) -> None:
    assert lab.session().ids(TRY_LOCK) == []
    assert not advice("PGL502", TRY_LOCK)


def test_on_conflict_needs_no_test(lab: Lab) -> None:
    session = lab.session()
    session.run(ON_CONFLICT)
    assert session.changed == 0


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (f"SELECT NOT EXISTS {HELD}", True),
        (f"SELECT {HELD} IS NULL", True),
        (f"SELECT 7 NOT IN {HELD}", True),
        (f"SELECT 7 <> ALL {HELD}", True),
        (f"SELECT count(*) FROM (SELECT 7 EXCEPT SELECT id FROM {HELD} AS s) AS missing", 1),
    ],
)
def test_other_questions_are_answered_as_falsely(lab: Lab, question: str, answer: object) -> None:
    assert lab.session().value(question) == answer
    assert lab.session().value(question.replace("FOR UPDATE SKIP LOCKED", "")) == (not answer)
    assert advice("PGL502", question)
