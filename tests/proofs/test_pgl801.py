"""PGL801: where no table stands below LockRows, no row is locked."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.plans import codes_on
from rulepages import bad, good

SCHEMA = """
CREATE TABLE jobs (id int PRIMARY KEY, status text);
CREATE TABLE old_jobs (LIKE jobs INCLUDING ALL);
INSERT INTO jobs SELECT n, 'ready' FROM generate_series(1, 20) AS n;
INSERT INTO old_jobs SELECT n, 'done' FROM generate_series(21, 40) AS n;
CREATE VIEW open_jobs AS SELECT id FROM jobs UNION SELECT id FROM old_jobs;
ANALYZE;
"""
[VIEW], [TABLE] = bad("PGL801"), good("PGL801")


def test_a_plan_without_lockrows_locks_nothing(lab: Lab, proved: Callable[[str], None]) -> None:
    assert codes_on(lab, VIEW) == ["PGL801"]
    assert "PGL801" not in codes_on(lab, TABLE)
    of_view, of_table = lab.locks(VIEW), lab.locks(TABLE)
    assert lab.locks(VIEW, "old_jobs")[1] == 0
    assert (of_view, of_table) == ((40, 0), (20, 20))
    proved(
        f"{of_view[0]} rows read through the view, {of_view[1]} locked, without a word; "
        f"{of_table[0]} of the table read, {of_table[1]} locked"
    )
