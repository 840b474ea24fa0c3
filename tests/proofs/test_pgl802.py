"""PGL802: a bounded locking sub-SELECT that the plan runs again locks more than its LIMIT."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.plans import codes_on, plan_of_page, planner, shape
from rulepages import bad, good

SCHEMA = """
CREATE TABLE jobs (id int PRIMARY KEY, status text);
CREATE TABLE runs (id int PRIMARY KEY, job int, note text);
INSERT INTO jobs SELECT n, 'ready' FROM generate_series(1, 100) AS n;
INSERT INTO runs SELECT n, 1000 + n, 'old' FROM generate_series(1, 1000) AS n;
ANALYZE;
INSERT INTO runs SELECT n, n - 2000, NULL FROM generate_series(2001, 2100) AS n;
"""
[LOOP], [ONCE] = bad("PGL802"), good("PGL802")


def test_each_run_locks_rows_of_its_own(lab: Lab, proved: Callable[[str], None]) -> None:
    """Another claimer holds ten rows while the first runs pass, and gives them back in between."""
    assert codes_on(lab, LOOP) == ["PGL802"]
    assert "PGL802" not in codes_on(lab, ONCE)
    looped, once = locked_by(lab, LOOP), locked_by(lab, ONCE)
    assert (looped, once) == (20, 10)
    proved(
        f"LIMIT 10, and another session's claim that ends between two runs: {looped} rows locked "
        f"in a nested loop, {once} with WITH … AS MATERIALIZED"
    )


def locked_by(lab: Lab, update: str) -> int:
    """How many rows an UPDATE locks while another claim ends halfway through it."""
    other, gate, worker = lab.sessions(3, begin=True)
    other.run("SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE")
    gate.run("SELECT pg_advisory_xact_lock(802)")
    # The second row of runs is read once the gate is open.
    halfway = "CASE WHEN runs.id = 2002 THEN pg_advisory_xact_lock(802) IS NOT NULL ELSE true END"
    running = worker.start(update.replace("runs.note IS NULL", f"runs.note IS NULL AND {halfway}"))
    assert running.waits()
    other.run("ROLLBACK")
    gate.run("ROLLBACK")
    running.rows()
    locked = len(lab.locked())
    worker.run("ROLLBACK")
    lab.end_sessions()
    return locked


def test_the_plans_of_the_page_are_the_servers(lab: Lab) -> None:
    with planner(lab) as asked:
        for text in (LOOP, ONCE):
            sql = text[text.index("UPDATE" if text is LOOP else "WITH") :].rstrip().rstrip(";")
            found = asked.plan(sql)
            assert not isinstance(found, str)
            assert shape(found) == shape(plan_of_page(text))
