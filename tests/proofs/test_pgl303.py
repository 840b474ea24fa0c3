"""PGL303: a clause without OF locks the rows of every table in the join."""

from __future__ import annotations

from collections.abc import Callable

from proofs.harness import Lab
from proofs.sessions import DEADLOCK, LOCK_NOT_AVAILABLE
from rulepages import advice, bad, good

SCHEMA = """
CREATE TABLE parents (id int PRIMARY KEY, paused boolean DEFAULT false, note text);
INSERT INTO parents VALUES (1);
CREATE TABLE jobs (id int PRIMARY KEY, parent_id int DEFAULT 1, status text DEFAULT 'ready');
INSERT INTO jobs SELECT generate_series(1, 6);
CREATE TABLE customers (id int PRIMARY KEY, name text);
INSERT INTO customers VALUES (1, 'a');
CREATE TABLE orders (id int PRIMARY KEY, customer_id int DEFAULT 1);
INSERT INTO orders VALUES (7), (8);
ANALYZE;
"""
CLAIM, PLAIN = bad("PGL303")
OF_JOBS, SUBLINK = good("PGL303")


def second_worker(lab: Lab, claim: str) -> tuple[list[int], list[int]]:
    """What the second of two workers gets, and which rows it alone has locked then."""
    first, second = lab.sessions(2, begin=True)
    assert first.ids(claim) == [1, 2]
    before = lab.locked()
    got = second.ids(claim)
    kept = [row for row in lab.locked() if row not in before]
    lab.end_sessions()
    return got, kept


def test_the_second_worker_gets_nothing(lab: Lab, proved: Callable[[str], None]) -> None:
    got, kept = second_worker(lab, CLAIM)
    assert (got, kept) == ([], [3, 4, 5, 6])
    assert "write FOR UPDATE OF" in advice("PGL303", CLAIM)
    cured = [second_worker(lab, sql) for sql in (OF_JOBS, SUBLINK)]
    assert cured == [([3, 4], [3, 4])] * 2
    proved(
        f"the second worker gets {len(got)} of 4 free jobs and locks {len(kept)}; with OF j it"
        f" gets {len(cured[0][0])} and locks these"
    )


def test_a_parent_that_is_updated_empties_the_queue(lab: Lab) -> None:
    lab.session(begin=True).run("UPDATE parents SET note = 'x'")
    assert lab.session().ids(CLAIM) == []
    assert lab.session().ids(OF_JOBS) == [1, 2]


def test_a_view_of_a_join_locks_the_tables_below_it(lab: Lab) -> None:
    view = "CREATE VIEW work AS SELECT j.id FROM jobs AS j JOIN parents AS p ON p.id = j.parent_id"
    claim = "SELECT id FROM work ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED"
    lab.run(view)
    assert second_worker(lab, claim) == ([], [3, 4, 5, 6])
    assert "join the table whose rows are meant to the view, and write FOR UPDATE OF it" in (
        advice("PGL303", f"{view}; {claim}")
    )
    joined = claim.replace("work", "jobs JOIN work USING (id)").replace("UPDATE", "UPDATE OF jobs")
    assert second_worker(lab, joined) == ([3, 4], [3, 4])


def test_a_lock_of_its_own_for_the_parent_does_no_harm(lab: Lab) -> None:
    both = OF_JOBS.rstrip().rstrip(";") + " FOR KEY SHARE OF p"
    assert second_worker(lab, both) == ([3, 4], [3, 4])
    assert lab.session(begin=True).ids(both) == [1, 2]
    assert lab.session().start("DELETE FROM parents").waits()


def test_rows_that_are_only_read_are_locked(lab: Lab) -> None:
    lab.session(begin=True).run(PLAIN)
    assert lab.session().start("UPDATE customers SET name = 'b' WHERE id = 1").waits()
    assert lab.session().error(PLAIN.replace("7 FOR UPDATE", "8 FOR UPDATE NOWAIT")) == (
        LOCK_NOT_AVAILABLE
    )
    lab.end_sessions()
    assert "write FOR UPDATE OF" in advice("PGL303", PLAIN)
    lab.session(begin=True).run(PLAIN.replace("FOR UPDATE", "FOR UPDATE OF o"))
    assert not lab.session().start("UPDATE customers SET name = 'b' WHERE id = 1").waits()


def test_two_orders_of_the_tables_deadlock(lab: Lab) -> None:
    turned = PLAIN.replace("orders AS o JOIN customers AS c", "customers AS c JOIN orders AS o")
    assert turned != PLAIN
    gate = "SELECT FROM orders WHERE id = 7 FOR UPDATE"
    assert sorted(lab.collide(gate, (PLAIN,), (turned,)), key=str) == [DEADLOCK, None]
    plain, turned = (sql.replace("FOR UPDATE", "FOR UPDATE OF o") for sql in (PLAIN, turned))
    assert lab.collide(gate, (plain,), (turned,)) == [None, None]
