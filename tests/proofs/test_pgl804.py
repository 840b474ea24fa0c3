"""PGL804: without an index each poll of a claim reads the table."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from proofs.harness import Lab
from rulepages import advice, bad, good

from pglint_locks.testing.fixtures import schema_lines

# The ready ones are the last.
ROWS = """
INSERT INTO jobs
SELECT n, CASE WHEN n > 99990 THEN 'ready' ELSE 'done' END, now() + n * interval '1 s'
  FROM generate_series(1, 100000) AS n;
ANALYZE;
"""
(BY_TIME, BY_KEY), [INDEXED] = bad("PGL804"), good("PGL804")
SCHEMA = "\n".join(schema_lines(BY_TIME)) + ROWS


def rows_read(lab: Lab, claim: str) -> int:
    """How many rows the scan of a claim gives and throws away."""
    plan = lab.run(f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF) {claim}")
    text = "\n".join(line for (line,) in plan)
    scan = re.search(r"Scan.*?on jobs.*?actual (?:time=\S+ )?rows=(\d+)", text)
    removed = re.search(r"Rows Removed by Filter: (\d+)", text)
    assert scan is not None, text
    return int(scan[1]) + int(removed[1] if removed else 0)


def test_each_poll_reads_the_table(lab: Lab, proved: Callable[[str], None]) -> None:
    lab.run("SET max_parallel_workers_per_gather = 0")
    unserved, in_order = rows_read(lab, BY_TIME), rows_read(lab, BY_KEY)
    said = advice("PGL804", BY_TIME)
    assert said == schema_lines(INDEXED)[-1].rstrip(";")
    lab.run(said)
    lab.run("ANALYZE jobs")
    served = rows_read(lab, INDEXED)
    assert (unserved, in_order, served) == (100_000, 100_000, 10)
    proved(
        f"100,000 rows, the last 10 of them ready: a poll reads {unserved:,} rows without an index,"
        f" {in_order:,} along the primary key, {served} with the index that the advice names"
    )


@pytest.mark.parametrize(
    ("index", "serves"),
    [
        ("(created_at) WHERE status = 'ready'", True),
        ("(created_at) WHERE status IN ('ready', 'retry')", True),
        ("(status)", True),
        ("(created_at) WHERE status = 'failed'", False),
    ],
)
def test_which_partial_indexes_serve(lab: Lab, index: str, serves: bool) -> None:
    lab.run(f"CREATE INDEX ON jobs {index}; ANALYZE jobs")
    assert (rows_read(lab, BY_TIME) < 1000) == serves
