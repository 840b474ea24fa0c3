"""PGL109: a LIMIT above the lock, with a sort between the two, comes too late."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs.claims import QUEUE
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
INSERT INTO jobs (id, priority, queue) SELECT n, n, 'a' FROM generate_series(11, 20) AS n;
"""
SORTED, DISTINCT = bad("PGL109")
ONE_LEVEL, SORTED_AGAIN = good("PGL109")
CTE = "WITH c AS (SELECT id FROM jobs FOR UPDATE) SELECT * FROM c"


def test_all_rows_are_locked(lab: Lab, proved: Callable[[str], None]) -> None:
    returned, locked = lab.locks(SORTED)
    assert (returned, locked) == (3, 20)
    assert lab.locks(DISTINCT) == (1, 20)
    assert "at the level of the locking clause" in advice("PGL109", SORTED)
    assert {lab.locks(sql) for sql in (ONE_LEVEL, SORTED_AGAIN)} == {(3, 3)}
    proved(f"the first example returns {returned} rows and locks {locked}, its good twins lock 3")


@pytest.mark.parametrize(
    ("sql", "returned", "locked"),
    [
        ("SELECT * FROM (SELECT id FROM jobs ORDER BY id FOR UPDATE) s ORDER BY 1 LIMIT 3", 3, 20),
        ("SELECT id FROM (SELECT id FROM jobs FOR UPDATE) s UNION SELECT 99 LIMIT 3", 3, 20),
        (f"{CTE} ORDER BY id LIMIT 3", 3, 20),
        ("SELECT * FROM (SELECT id FROM jobs OFFSET 0) s ORDER BY id LIMIT 3 FOR UPDATE", 3, 20),
        ("SELECT * FROM (SELECT id FROM jobs LIMIT 6 FOR UPDATE) s ORDER BY id LIMIT 3", 3, 6),
        ("SELECT * FROM (SELECT id FROM jobs) s ORDER BY id LIMIT 3 FOR UPDATE", 3, 3),
        ("SELECT * FROM (SELECT id FROM jobs ORDER BY id FOR UPDATE) s LIMIT 3", 3, 3),
        (f"{CTE} LIMIT 3", 3, 3),
        ("SELECT id FROM (SELECT id FROM jobs FOR UPDATE) s UNION ALL SELECT 99 LIMIT 3", 3, 3),
    ],
)
def test_how_many_are_locked(lab: Lab, sql: str, returned: int, locked: int) -> None:
    assert lab.locks(sql) == (returned, locked)
    assert bool(advice("PGL109", sql)) == (locked > returned)
