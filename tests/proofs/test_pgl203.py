"""PGL203: a locking clause with no table below it locks nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE old_jobs (LIKE jobs);
CREATE FUNCTION next_jobs(number int) RETURNS TABLE (id int) LANGUAGE sql
    AS 'SELECT id FROM jobs ORDER BY id LIMIT number';
"""
EXISTS, FUNCTION, VALUES, UNION_VIEW, TRANSITION = bad("PGL203")
INSIDE, JOINED, PARENTS = good("PGL203")


def test_no_row_is_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    seen = [lab.locks(sql) for sql in (EXISTS, FUNCTION, VALUES, UNION_VIEW)]
    assert seen == [(1, 0), (10, 0), (2, 0), (1, 0)]
    assert "put FOR SHARE inside the sub-SELECT that reads jobs" in advice("PGL203", EXISTS)
    cured = [lab.locks(sql) for sql in (INSIDE, JOINED)]
    assert cured == [(1, 1), (10, 10)]
    proved(
        f"the bad examples return {', '.join(str(rows) for rows, _ in seen)} rows and lock"
        f" {sum(locked for _, locked in seen)}; the good ones lock {cured[0][1]} and"
        f" {cured[1][1]}"
    )


def test_the_next_session_changes_the_row_at_once(lab: Lab) -> None:
    change = "UPDATE jobs SET status = 'gone' WHERE id = 7"
    reader, writer = lab.session(begin=True), lab.session()
    reader.run(EXISTS)
    assert not writer.start(change).waits()
    reader.run(INSIDE)
    assert writer.start(change).waits()


@pytest.mark.parametrize(("trigger", "waits"), [(TRANSITION, False), (PARENTS, True)])
def test_a_transition_table_holds_no_parent(lab: Lab, trigger: str, waits: bool) -> None:
    inserter, deleter = lab.session(begin=True), lab.session()
    inserter.run("ALTER TABLE jobs ADD parent_id int; CREATE TABLE parents (id int)")
    inserter.run("INSERT INTO parents VALUES (1)")
    inserter.run(trigger)
    inserter.run("COMMIT; BEGIN")
    inserter.run("INSERT INTO jobs (id, parent_id) VALUES (1000, 1)")
    assert deleter.start("DELETE FROM parents").waits() == waits
