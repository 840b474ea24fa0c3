"""PGL603: locking each row of a table writes each row."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from proofs.harness import Lab
from proofs.sessions import statements
from rulepages import advice, bad, good

ROWS = 10_000
SCHEMA = f"""
CREATE TABLE prices (id int PRIMARY KEY, product int, amount numeric DEFAULT 1);
INSERT INTO prices SELECT n, n % 1000 FROM generate_series(1, {ROWS}) AS n;
ANALYZE;
"""
_, EACH_ROW, _ = statements(bad("PGL603")[0])
IN_WITH = bad("PGL603")[1]
_, TABLE, UPDATE, _ = statements(good("PGL603")[0])
SOME = good("PGL603")[1]


def wal(lab: Lab, sql: str, *values: object) -> tuple[int, int]:
    """Records and bytes that a statement writes to the WAL."""
    found = lab.session().value(f"EXPLAIN (ANALYZE, WAL, FORMAT JSON) {sql}", *values)
    (plan,) = found if isinstance(found, list) else json.loads(found)
    node: dict[str, Any] = plan["Plan"]
    return node["WAL Records"], node["WAL Bytes"]


def test_each_row_is_written(lab: Lab, proved: Callable[[str], None]) -> None:
    records, size = wal(lab, EACH_ROW)
    assert records >= ROWS
    assert size >= 50 * ROWS
    assert wal(lab, "SELECT * FROM prices") == (0, 0)
    returned, locked = lab.locks(EACH_ROW, "prices")
    assert (returned, locked) == (ROWS, ROWS)
    assert "LOCK TABLE prices" in advice("PGL603", bad("PGL603")[0])
    _, locked_by_table = lab.locks(TABLE, "prices")
    assert locked_by_table == 0
    some = lab.session(begin=True)
    assert len(some.run(SOME, 7)) == len(lab.locked("prices")) == 10
    proved(
        f"the first example locks {locked:,} rows one by one and writes at least one WAL"
        f" record and 50 bytes for each; LOCK TABLE locks {locked_by_table}"
    )


def test_a_locking_with_query_does_the_same(lab: Lab) -> None:
    locking = IN_WITH[IN_WITH.index("SELECT") : IN_WITH.index(")")]
    assert lab.locks(locking, "prices") == (ROWS, ROWS)
    assert lab.session().writes(IN_WITH) == lab.session().writes(UPDATE) == ROWS


def test_new_rows_come_in_between_locked_ones(lab: Lab) -> None:
    new = "INSERT INTO prices VALUES (0)"
    lab.session(begin=True).run(EACH_ROW)
    assert not lab.session(begin=True).start(new).waits()
    lab.end_sessions()
    lab.session(begin=True).run(TABLE)
    assert lab.session().start(new).waits()
