"""PGL101: a locking sub-SELECT that is run again takes other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from proofs.harness import Lab
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE jobs (id bigint PRIMARY KEY, status text, queue int, payload int DEFAULT 0);
CREATE INDEX ON jobs (status);
"""
UPDATE, DELETE = bad("PGL101")
ARRAY, WITH = good("PGL101")

SET = "UPDATE jobs SET status = 'running'"
TEN = "SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED"
OF_QUEUE = (
    "SELECT x.id FROM jobs AS x WHERE x.queue = jobs.queue AND x.status = 'ready'"
    " ORDER BY x.id LIMIT 10 FOR UPDATE SKIP LOCKED"
)
RUN_AGAIN = {
    "in": f"{SET} WHERE id IN ({TEN})",
    "delete": f"DELETE FROM jobs WHERE id IN ({TEN})",
    "any": f"{SET} WHERE id = ANY ({TEN})",
    "parentheses": f"{SET} WHERE id IN (({TEN}))",
    "row": f"{SET} WHERE (id, status) IN ({TEN.replace('SELECT id', 'SELECT id, status')})",
    "limit-above": f"{SET} WHERE id IN"
    f" (SELECT s.id FROM ({TEN.replace('LIMIT 10', '')}) AS s LIMIT 10)",
    "nested": f"{SET} WHERE id IN (SELECT s.id FROM (SELECT r.id FROM ({TEN}) r) s)",
    "one": f"{SET} WHERE id IN ({TEN.replace('10', '1')})",
    "wait": f"{SET} WHERE id IN ({TEN.replace('SKIP LOCKED', '')})",
    "nowait": f"{SET} WHERE id IN ({TEN.replace('SKIP LOCKED', 'NOWAIT')})",
    "key-share": f"{SET} WHERE id IN ({TEN.replace('UPDATE', 'KEY SHARE')})",
    "from": f"{SET} FROM ({TEN}) AS s WHERE s.id = jobs.id",
    "using": f"DELETE FROM jobs USING ({TEN}) AS s WHERE s.id = jobs.id",
    "merge": f"MERGE INTO jobs USING ({TEN}) AS s ON s.id = jobs.id WHEN MATCHED THEN DELETE",
    "exists": f"{SET} WHERE EXISTS (SELECT FROM ({TEN}) AS s WHERE s.id = jobs.id)",
    "ctid": f"{SET} WHERE ctid IN ({TEN.replace('SELECT id', 'SELECT ctid')})",
    "writing-cte": f"WITH u AS ({SET} WHERE id IN ({TEN}) RETURNING 1) SELECT FROM u",
    "cte-body": f"WITH c AS (SELECT id FROM jobs WHERE id IN ({TEN}))"
    f" {SET} FROM c WHERE c.id = jobs.id",
}
RUN_ONCE = {
    "array": f"{SET} WHERE id = ANY(ARRAY({TEN}))",
    "unnest": f"{SET} WHERE id IN (SELECT unnest(ARRAY({TEN})))",
    "cte-from": f"WITH c AS ({TEN}) {SET} FROM c WHERE c.id = jobs.id",
    "cte-in": f"WITH c AS NOT MATERIALIZED ({TEN}) {SET} WHERE id IN (SELECT id FROM c)",
    "cte-using": f"WITH c AS ({TEN}) DELETE FROM jobs USING c WHERE c.id = jobs.id",
    "cte-exists": f"WITH c AS ({TEN}) {SET} WHERE EXISTS (SELECT FROM c WHERE c.id = jobs.id)",
    "inner-cte": f"{SET} WHERE id IN (WITH c AS ({TEN}) SELECT id FROM c)",
}
SCALAR = f"{SET} WHERE id = ({TEN.replace('10', '1')})"


def burst(lab: Lab, rows: int, status: str = "ready") -> None:
    """Jobs that come in, and of which the statistics know nothing."""
    lab.run(f"INSERT INTO jobs SELECT n, '{status}', n % 3 FROM generate_series(1, $1) AS n", rows)


def prepared_on_idle_queue(lab: Lab, sql: str, rows: int = 500, status: str = "ready") -> int:
    """How many rows a statement writes that was prepared while the queue was empty."""
    lab.run("TRUNCATE jobs; ANALYZE jobs")
    worker = lab.session()
    worker.run(f"PREPARE claim AS {sql}")
    worker.run("EXECUTE claim")
    burst(lab, rows, status)
    return worker.writes("EXECUTE claim")


def with_old_statistics(lab: Lab, sql: str) -> int:
    """How many rows it writes when 300 jobs came in after the last ANALYZE: default settings."""
    lab.run("TRUNCATE jobs")
    lab.run("INSERT INTO jobs SELECT n, 'done' FROM generate_series(1001, 21000) AS n")
    lab.run("ANALYZE jobs")
    burst(lab, 300)
    return lab.session().writes(sql)


def with_nested_loops(lab: Lab, sql: str) -> int:
    """How many of 500 rows it writes when the planner has to use nested loops."""
    lab.run("TRUNCATE jobs")
    burst(lab, 500)
    lab.run("ANALYZE jobs")
    worker = lab.session()
    for method in ("hashjoin", "mergejoin", "sort", "hashagg", "material", "memoize"):
        worker.run(f"SET enable_{method} = off")
    return worker.writes(sql)


def test_limit_stops_binding(lab: Lab, proved: Callable[[str], None]) -> None:
    idle, late, forced = (
        prepared_on_idle_queue(lab, UPDATE),
        with_old_statistics(lab, UPDATE),
        with_nested_loops(lab, UPDATE),
    )
    assert (idle, late, forced) == (500, 300, 500)
    for cure in (ARRAY, WITH):
        assert prepared_on_idle_queue(lab, cure) == 10
        assert with_old_statistics(lab, cure) == 10
        assert with_nested_loops(lab, cure) == 10
    proved(
        f"the first example updates {late} rows where 300 came in after the last ANALYZE,"
        f" {idle} of 500 where it was prepared on an empty table; `ARRAY(…)` and `WITH` 10 each"
        " time"
    )


def test_delete_using_exceeds_its_limit(lab: Lab) -> None:
    assert prepared_on_idle_queue(lab, DELETE, 1500, "done") == 1500
    assert "MATERIALIZED" in advice("PGL101", DELETE)
    _, _, old = DELETE.partition("USING (")
    locking, _, _ = old.partition(") AS old")
    moved = (
        f"WITH old AS MATERIALIZED ({locking}) DELETE FROM jobs USING old WHERE old.id = jobs.id"
    )
    assert prepared_on_idle_queue(lab, moved, 1500, "done") == 1000


def test_advice_for_in_is_what_runs_once() -> None:
    assert "id = ANY(ARRAY(SELECT … LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED))" in advice(
        "PGL101", UPDATE
    )


@pytest.mark.parametrize("form", RUN_AGAIN)
def test_forms_that_are_run_again(lab: Lab, form: str) -> None:
    sql = RUN_AGAIN[form]
    written = prepared_on_idle_queue(lab, sql)
    assert written == (11 if form == "cte-body" else 500)  # that one: 500 under nested loops
    assert written == 500 or with_nested_loops(lab, sql) == 500
    assert advice("PGL101", sql)


@pytest.mark.parametrize("form", RUN_ONCE)
def test_forms_that_are_run_once(lab: Lab, form: str) -> None:
    assert prepared_on_idle_queue(lab, RUN_ONCE[form]) == 10
    assert with_nested_loops(lab, RUN_ONCE[form]) == 10
    assert not advice("PGL101", RUN_ONCE[form])


def test_one_scalar_is_one(lab: Lab) -> None:
    assert prepared_on_idle_queue(lab, SCALAR) == with_nested_loops(lab, SCALAR) == 1
    assert not advice("PGL101", SCALAR)


@pytest.mark.parametrize(
    "sql", [f"{SET} WHERE id IN ({OF_QUEUE})", f"{SET} WHERE id = ANY(ARRAY({OF_QUEUE}))"]
)
def test_correlated_is_run_again_in_each_plan(lab: Lab, sql: str) -> None:
    burst(lab, 500)
    lab.run("ANALYZE jobs")
    assert lab.session().writes(sql) == 500  # 10 for each of 3 queues are meant
    assert "does not refer to jobs outside" in advice("PGL101", sql)
    once = (
        "WITH c AS MATERIALIZED (SELECT s.id FROM (SELECT DISTINCT queue FROM jobs) AS q, LATERAL"
        f" ({OF_QUEUE.replace('jobs.queue', 'q.queue')}) AS s)"
        f" {SET} FROM c WHERE c.id = jobs.id"
    )
    assert lab.session().writes(once) == 30


@pytest.mark.parametrize(("calls", "written"), [(5, 10), (6, 500)])
def test_with_parameters_the_plan_of_the_sixth_call_stays(
    lab: Lab, calls: int, written: int
) -> None:
    worker = lab.session()
    lab.run("ANALYZE jobs")
    worker.run(f"PREPARE claim (int) AS {SET} WHERE id IN ({TEN.replace('10', '$1')})")
    for _ in range(calls):
        worker.run("EXECUTE claim (10)")
    burst(lab, 500)
    assert worker.writes("EXECUTE claim (10)") == written


@pytest.mark.parametrize("cure", [ARRAY, WITH])
def test_no_claim_is_double_or_lost(lab: Lab, cure: str) -> None:
    burst(lab, 600)
    claim = cure.replace("RETURNING jobs.*", "").strip().rstrip(";") + " RETURNING jobs.id"
    claimed: Counter[int] = Counter()

    def work(_: int) -> None:
        worker = lab.session()
        while ids := worker.ids(claim):
            claimed.update(ids)

    def disturb(number: int) -> None:
        noise = lab.session()
        for row in range(number, 600, 7):
            noise.run("UPDATE jobs SET payload = payload + 1 WHERE id = $1", row)

    with ThreadPoolExecutor(6) as threads:
        done = [*threads.map(work, range(4)), *threads.map(disturb, range(2))]
    assert len(done) == 6
    assert set(claimed.values()) == {1}
    assert len(claimed) == 600


def test_a_select_may_lock_what_it_does_not_return(lab: Lab) -> None:
    burst(lab, 500)
    lab.run("ANALYZE jobs")
    holder, gate, reader = lab.sessions(3, begin=True)
    holder.run("SELECT FROM jobs WHERE id <= 10 FOR UPDATE")
    gate.run("SELECT pg_advisory_xact_lock(15)")
    for method in ("hashjoin", "mergejoin", "sort", "hashagg", "material", "memoize"):
        reader.run(f"SET LOCAL enable_{method} = off")
    halfway = "CASE WHEN id = 15 THEN pg_advisory_xact_lock(15)::text = '' ELSE true END"
    running = reader.start(f"SELECT id FROM jobs WHERE {halfway} AND id IN ({TEN})")
    assert running.waits()
    holder.run("ROLLBACK")
    gate.run("ROLLBACK")
    assert running.ids() == [11, 12, 13, 14]
    assert lab.locked() == list(range(1, 21))
