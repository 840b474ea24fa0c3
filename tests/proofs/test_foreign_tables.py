"""Foreign tables: what becomes of a locking clause over rows that are another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs.harness import Lab
from proofs.sessions import Running
from psycopg.conninfo import conninfo_to_dict

SCHEMA = """
CREATE TABLE jobs (id int PRIMARY KEY, status text DEFAULT 'ready');
INSERT INTO jobs SELECT generate_series(1, 5);
"""
_WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE application_name = 'postgres_fdw' AND wait_event_type = 'Lock'
"""


@pytest.fixture
def far(lab: Lab) -> Lab:
    """A lab with `far_jobs`, the table jobs as postgres_fdw sees it."""
    dsn = conninfo_to_dict(lab.dsn)
    host, port, user = dsn.get("host"), dsn.get("port", "5432"), dsn.get("user")
    lab.run("CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public")
    lab.run(
        f"CREATE SERVER far_{lab.schema} FOREIGN DATA WRAPPER postgres_fdw"
        f" OPTIONS (host '{host}', port '{port}', dbname '{dsn['dbname']}')"
    )
    lab.run(f"CREATE USER MAPPING FOR CURRENT_USER SERVER far_{lab.schema} OPTIONS (user '{user}')")
    lab.run(
        f"CREATE FOREIGN TABLE far_jobs (id int, status text) SERVER far_{lab.schema}"
        f" OPTIONS (schema_name '{lab.schema}', table_name 'jobs')"
    )
    return lab


@pytest.mark.parametrize("policy", ["SKIP LOCKED", "NOWAIT"])
def test_the_wait_policy_is_not_sent(far: Lab, policy: str) -> None:
    holder = far.session(begin=True)
    holder.run("SELECT FROM jobs WHERE id = 1 FOR UPDATE")
    begun = far.session().start(f"SELECT id FROM far_jobs ORDER BY id LIMIT 2 FOR UPDATE {policy}")
    # The other server's session waits for the row, and this one for the other server.
    claim = Running(begun.future, lambda: bool(far.value(_WAITING)))
    assert claim.waits()
    holder.run("COMMIT")
    assert claim.rows() == [(1,), (2,)]


def test_lines_of_a_file_take_the_clause(lab: Lab, tmp_path: Path) -> None:
    lines = tmp_path / "jobs.csv"
    lines.write_text("1,ready\n2,ready\n")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    lab.run("CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public")
    lab.run(f"CREATE SERVER files_{lab.schema} FOREIGN DATA WRAPPER file_fdw")
    lab.run(
        f"CREATE FOREIGN TABLE lines (id int, status text) SERVER files_{lab.schema}"
        f" OPTIONS (filename '{lines}', format 'csv')"
    )
    lab.session(begin=True).run("SELECT id FROM lines FOR UPDATE")
    assert lab.session().run("SELECT id FROM lines FOR UPDATE NOWAIT") == [(1,), (2,)]
