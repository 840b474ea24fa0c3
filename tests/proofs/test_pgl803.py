"""PGL803: under a generic plan a partial index does not serve a parameter."""

from __future__ import annotations

import re
from collections.abc import Callable

from proofs.harness import Lab
from proofs.plans import codes_on, plan_of_page, planner, shape
from rulepages import bad, good

from pglint_locks.testing.fixtures import schema_lines

[PARAMETER], [CONSTANT] = bad("PGL803"), good("PGL803")
ROWS = """
INSERT INTO jobs
SELECT n, CASE WHEN n > 59990 THEN 'ready' ELSE 'done' END, now() + n * interval '1 s'
  FROM generate_series(1, 60000) AS n;
ANALYZE;
"""
SCHEMA = "\n".join(schema_lines(PARAMETER)) + ROWS


def claim(text: str) -> str:
    return text[text.index("SELECT") :].rstrip().rstrip(";")


def rows_read(lab: Lab, script: str) -> int:
    """How many rows the scan of a plan gives and throws away."""
    session = lab.session()
    session.run("SET max_parallel_workers_per_gather = 0; SET plan_cache_mode = force_generic_plan")
    session.run(f"PREPARE claim AS {script}")
    values = "('ready')" if "$1" in script else ""
    plan = session.run(f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF) EXECUTE claim{values}")
    text = "\n".join(line for (line,) in plan)
    scan = re.search(r"Scan.*?on jobs.*?actual (?:time=\S+ )?rows=(\d+)", text)
    removed = re.search(r"Rows Removed by Filter: (\d+)", text)
    assert scan is not None, text
    return int(scan[1]) + int(removed[1] if removed else 0)


def test_a_parameter_reads_the_table(lab: Lab, proved: Callable[[str], None]) -> None:
    assert codes_on(lab, PARAMETER) == ["PGL803"]
    assert codes_on(lab, CONSTANT) == []
    by_parameter, by_constant = rows_read(lab, claim(PARAMETER)), rows_read(lab, claim(CONSTANT))
    assert (by_parameter, by_constant) == (60_000, 10)
    proved(
        "60,000 rows, 10 of them ready, a partial index for these: a poll by the generic plan "
        f"reads {by_parameter:,} rows with status = $1, {by_constant} with status = 'ready'"
    )


def test_the_plans_of_the_page_are_the_servers(lab: Lab) -> None:
    with planner(lab) as asked:
        for text in (PARAMETER, CONSTANT):
            found = asked.plan(claim(text))
            assert not isinstance(found, str)
            assert shape(found) == shape(plan_of_page(text))
