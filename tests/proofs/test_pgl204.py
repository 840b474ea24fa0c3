"""PGL204: a view that locks does so for everybody who reads it."""

from __future__ import annotations

from collections.abc import Callable

from proofs.claims import QUEUE
from proofs.harness import Lab
from proofs.sessions import Session, statements
from rulepages import advice, bad, good

SCHEMA = f"""
{QUEUE}
CREATE TABLE orders (id int PRIMARY KEY);
CREATE TABLE lines (id int PRIMARY KEY, order_id int REFERENCES orders);
INSERT INTO orders SELECT generate_series(1, 5);
INSERT INTO lines SELECT n, n FROM generate_series(1, 5) AS n;
ALTER TABLE lines ENABLE ROW LEVEL SECURITY;
"""
LOCKING_VIEW, LOCKING_POLICY = bad("PGL204")
VIEW_AND_CLAIM, POLICY = good("PGL204")
READ_ONLY = "25006"


def become_a_reader(lab: Lab, session: Session, *grants: str) -> None:
    """Turn into a role with these rights alone; it was never there once the session is undone."""
    role = f"pglint_reader_{lab.schema}"
    session.run(f"CREATE ROLE {role}; GRANT USAGE ON SCHEMA {lab.schema} TO {role}")
    for grant in grants:
        session.run(f"GRANT {grant} TO {role}")
    session.run(f"SET ROLE {role}")


def locked_by_count(lab: Lab) -> tuple[int, int]:
    """How many rows a role counts that may only SELECT from the view, and how many it locks."""
    reader = lab.session(begin=True)
    become_a_reader(lab, reader, "SELECT ON ready_jobs")
    counted, locked = reader.value("SELECT count(*) FROM ready_jobs"), len(lab.locked())
    lab.end_sessions()
    return counted, locked


def test_every_reader_locks(lab: Lab, proved: Callable[[str], None]) -> None:
    lab.run(LOCKING_VIEW)
    counted, locked = locked_by_count(lab)
    failure = lab.session().error("BEGIN READ ONLY; SELECT id FROM ready_jobs")
    lab.end_sessions()
    lab.run("DROP VIEW ready_jobs")
    view, claim = statements(VIEW_AND_CLAIM)
    assert "leave FOR UPDATE out here" in advice("PGL204", LOCKING_VIEW)
    lab.run(view)
    cured = locked_by_count(lab)
    assert failure == READ_ONLY
    assert ((counted, locked), cured, lab.locks(claim)) == ((10, 10), (10, 0), (10, 10))
    proved(
        f"`SELECT count(*)` by a role that may only SELECT from the view locks {locked} rows,"
        f" and {cured[1]} where the clause stands in the claim; in a read-only transaction it"
        f" fails ({failure})"
    )


def test_writers_wait_for_readers(lab: Lab) -> None:
    lab.run(LOCKING_VIEW)
    reader, writer = lab.session(begin=True), lab.session()
    with reader.connection.cursor().copy("COPY (SELECT id FROM ready_jobs) TO STDOUT") as copy:
        assert len(list(copy)) == 10
    assert writer.start("UPDATE jobs SET status = 'done' WHERE id = 1").waits()
    lab.end_sessions()
    lab.run("DROP VIEW ready_jobs;" + statements(VIEW_AND_CLAIM)[0])
    assert lab.session().error("BEGIN READ ONLY; SELECT id FROM ready_jobs") is None


def test_a_materialized_view_locks_when_it_is_refreshed(lab: Lab) -> None:
    lab.run(LOCKING_VIEW.replace("VIEW", "MATERIALIZED VIEW"))
    session = lab.session(begin=True)
    session.run("REFRESH MATERIALIZED VIEW ready_jobs")
    assert len(lab.locked()) == 10


def test_a_policy_locks_on_every_query(lab: Lab) -> None:
    def locked_orders() -> int:
        reader = lab.session(begin=True)
        become_a_reader(lab, reader, "SELECT ON lines", "SELECT, UPDATE ON orders")
        assert reader.value("SELECT count(*) FROM lines") == 5
        locked = len(lab.locked("orders"))
        lab.end_sessions()
        return locked

    lab.run(LOCKING_POLICY)
    assert locked_orders() == 5
    lab.run("DROP POLICY visible ON lines")
    lab.run(POLICY)
    lab.run("CREATE POLICY readable ON lines FOR SELECT USING (true)")
    assert locked_orders() == 0
