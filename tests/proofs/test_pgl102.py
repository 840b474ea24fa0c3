"""PGL102: rows that OFFSET counts off are locked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE jobs (id int PRIMARY KEY, status text DEFAULT 'ready');
INSERT INTO jobs SELECT generate_series(1, 20);
CREATE TABLE articles (id int PRIMARY KEY, title text);
INSERT INTO articles SELECT generate_series(1, 100);
ANALYZE;
"""
PAGE, QUEUE_PAGE, OUTSIDE = bad("PGL102")
BY_KEY, QUEUE, PICKED = good("PGL102")


def test_skipped_rows_are_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    returned, locked = lab.locks(PAGE, "articles")
    assert (returned, locked) == (20, 60)
    told = advice("PGL102", PAGE)
    assert "page by key instead" in told
    assert "pick the ids without a lock and lock them by id" in told
    cured = {lab.locks(sql, "articles") for sql in (BY_KEY, PICKED)}
    assert cured == {(20, 20)}
    outside = lab.locks(OUTSIDE)
    assert outside == (3, 8)
    proved(
        f"the first example returns {returned} rows and locks {locked}, its good twins lock"
        f" {returned}; the third returns {outside[0]} and locks {outside[1]}"
    )


def test_two_workers_leave_rows_to_nobody(lab: Lab) -> None:
    first, second = lab.sessions(2, begin=True)
    assert first.ids(QUEUE) == [1, 2, 3]
    assert second.ids(QUEUE_PAGE) == [7, 8, 9]
    assert lab.locked() == list(range(1, 10))


def test_two_workers_without_offset_share_them_out(lab: Lab) -> None:
    first, second = lab.sessions(2, begin=True)
    assert first.ids(QUEUE) == [1, 2, 3]
    assert second.ids(QUEUE) == [4, 5, 6]
    assert lab.locked() == list(range(1, 7))


JOBS = "SELECT id FROM jobs ORDER BY id"


@pytest.mark.parametrize(
    ("sql", "returned", "locked"),
    [
        *((f"{JOBS} LIMIT 3 OFFSET 5 FOR UPDATE {w}", 3, 8) for w in ("", "SKIP LOCKED", "NOWAIT")),
        (f"{JOBS} OFFSET 5 FOR UPDATE", 15, 20),
        (f"{JOBS} LIMIT 3 OFFSET 100 FOR UPDATE", 0, 20),
        (f"SELECT * FROM ({JOBS} FOR UPDATE) AS s ORDER BY id LIMIT 3 OFFSET 5", 3, 20),
        (f"SELECT * FROM ({JOBS} LIMIT 3 OFFSET 5) AS s FOR UPDATE", 3, 8),
        (f"WITH c AS ({JOBS} LIMIT 3 OFFSET 5 FOR UPDATE) SELECT * FROM c", 3, 8),
        (f"{JOBS} LIMIT 3 OFFSET 0 FOR UPDATE", 3, 3),
        (f"{JOBS} LIMIT 3 OFFSET NULL FOR UPDATE", 3, 3),
        (f"SELECT id FROM jobs WHERE id IN ({JOBS} LIMIT 3 OFFSET 5) FOR UPDATE", 3, 3),
    ],
)
def test_how_many_are_locked(lab: Lab, sql: str, returned: int, locked: int) -> None:
    assert lab.locks(sql) == (returned, locked)
