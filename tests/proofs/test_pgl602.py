"""PGL602: a row that does not exist cannot be locked."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import UNIQUE_VIOLATION, statements
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE users (id serial PRIMARY KEY, email text, name text);
CREATE TABLE firms (id int PRIMARY KEY);
INSERT INTO firms VALUES (7);
"""
UNIQUE = "ALTER TABLE users ADD UNIQUE (email)"
EMAIL = "a@b.c"
TRANSACTION, STATEMENT = bad("PGL602")
ON_CONFLICT, ADVISORY = good("PGL602")


def both_insert(
    lab: Lab, script: str, isolation: str = "READ COMMITTED"
) -> tuple[int, bool, str | None]:
    """The rows after two sessions, whether the second waited, and the SQLSTATE it failed with.

    They go step by step, the first one ahead; where the second waits the first goes to its end.
    """
    steps = [step for step in statements(script) if step not in ("BEGIN", "COMMIT")]
    first, second = lab.sessions(2)
    for session in (first, second):
        session.run(f"BEGIN ISOLATION LEVEL {isolation}")
    waited, left = False, []
    for step in steps:
        first.run(step, EMAIL, "A")
        if waited:
            left.append(step)
        else:
            running = second.start(step, EMAIL, "A")
            waited = running.waits()
    first.run("COMMIT")
    failure = running.error()
    for step in left if failure is None else ():
        second.run(step, EMAIL, "A")
    second.run("COMMIT")
    rows = lab.value("SELECT count(*) FROM users")
    lab.run("TRUNCATE users")
    return rows, waited, failure


def test_both_insert(lab: Lab, proved: Callable[[str], None]) -> None:
    two = [both_insert(lab, sql) for sql in (TRANSACTION, STATEMENT)]
    assert two == [(2, False, None)] * 2
    advisory = both_insert(lab, ADVISORY)
    assert advisory == (1, True, None)
    told = advice("PGL602", TRANSACTION)
    assert "unique constraint on email and INSERT … ON CONFLICT" in told
    assert "advisory lock on the key first" in told
    lab.run(UNIQUE)
    refused = both_insert(lab, TRANSACTION)
    assert refused == (1, True, UNIQUE_VIOLATION)
    conflict = both_insert(lab, ON_CONFLICT)
    assert conflict == (1, True, None)
    proved(
        f"two sessions insert {two[0][0]} rows and neither waits; with a unique constraint the"
        f" second waits and fails ({refused[2]}), with ON CONFLICT or the advisory lock there"
        f" is {conflict[0]}"
    )


def test_a_snapshot_does_not_help(lab: Lab) -> None:
    assert both_insert(lab, TRANSACTION, "REPEATABLE READ") == (2, False, None)
    lab.run(UNIQUE)
    assert both_insert(lab, TRANSACTION, "REPEATABLE READ") == (1, True, UNIQUE_VIOLATION)


def test_another_rows_lock_has_to_be_taken_before_the_check(lab: Lab) -> None:
    _, check, insert, _ = statements(TRANSACTION)
    firm = "SELECT id FROM firms WHERE id = 7 FOR NO KEY UPDATE"
    within = check.replace("FROM users", "FROM users, firm").replace("SELECT id", "SELECT users.id")
    within = f"WITH firm AS MATERIALIZED ({firm}) {within.replace('UPDATE', 'UPDATE OF users')}"
    assert both_insert(lab, f"{within}; {insert}") == (2, True, None)
    assert advice("PGL602", f"BEGIN; {within}; {insert}; COMMIT")
    assert not advice("PGL602", f"BEGIN; {firm}; {check}; {insert}; COMMIT")
    first, second = lab.sessions(2, begin=True)
    assert first.run(f"{firm}; {check}", EMAIL) == []
    running = second.start(f"{firm}; {check}", EMAIL)
    assert running.waits()
    first.run(f"{insert}; COMMIT", EMAIL, "A")
    assert len(running.rows()) == 1  # it sees the row, and need not insert
