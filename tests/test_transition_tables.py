"""What a clause in a trigger's function does to transition tables, and what we say of it."""

from __future__ import annotations

import pytest
from conftest import Server

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text

SCRIPT = """
CREATE FUNCTION lock_changed() RETURNS trigger {volatility} LANGUAGE plpgsql AS $$
BEGIN
  {statement};
  RETURN NULL;
END $$;
CREATE TRIGGER lock_changed AFTER INSERT ON {table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION lock_changed();
"""
TABLES = """
CREATE EXTENSION pgrowlocks;
CREATE TABLE written (id int);
CREATE TABLE jobs (id int PRIMARY KEY);
CREATE TABLE changed (id int);
INSERT INTO jobs VALUES (1), (2);
INSERT INTO changed VALUES (1), (2), (3);
"""
RUN = """
BEGIN;
INSERT INTO written VALUES (2);
SELECT (SELECT count(*) FROM pgrowlocks('written')),
       (SELECT count(*) FROM pgrowlocks('jobs')), (SELECT count(*) FROM pgrowlocks('changed'));
ROLLBACK;
"""


@pytest.mark.parametrize(
    ("statement", "volatility", "locked", "says"),
    [
        ("PERFORM id FROM changed FOR UPDATE", "", "0|0|0", True),
        ("PERFORM id FROM changed FOR UPDATE", "STABLE", "0|0|0", True),
        ("EXECUTE 'SELECT id FROM changed FOR UPDATE'", "", "0|0|0", True),
        ("PERFORM 1 FROM (SELECT id FROM changed LIMIT 1) AS c FOR UPDATE", "", "0|0|0", True),
        ("PERFORM 1 FROM jobs JOIN changed USING (id) FOR UPDATE", "", "0|1|0", False),
        (
            "PERFORM 1 FROM jobs LEFT JOIN changed USING (id) ORDER BY id FOR UPDATE",
            *("", "0|2|0", False),
        ),
        ("PERFORM id FROM public.changed FOR UPDATE", "", "0|0|3", False),
    ],
)
def test_rows_locked(
    server: Server, statement: str, volatility: str, locked: str, says: bool
) -> None:
    script = SCRIPT.format(statement=statement, volatility=volatility, table="written")
    done = server.psql(TABLES + script + RUN, "-qAt", database=server.new_database())
    assert (done.stderr, done.stdout) == ("", f"{locked}\n")
    run = lint_text(script, "a.sql", Settings())
    assert ("PGL203" in {each.rule.code for each in run.findings}) is says
    assert {each.rule.code for each in run.findings}.isdisjoint({"PGL703", "PGL704", "PGL303"})


def test_a_view_reads_no_transition_table() -> None:
    script = "CREATE VIEW seen AS SELECT id FROM changed;\n" + SCRIPT.format(
        statement="PERFORM 1 FROM seen WHERE id = 7 FOR UPDATE", volatility="", table="written"
    )
    assert lint_text(script, "a.sql", Settings()).findings == ()


def test_what_the_file_has_a_table_of_too_is_unknown() -> None:
    script = SCRIPT.format(
        statement="PERFORM 1 FROM changed WHERE id = 7 FOR UPDATE", volatility="", table="written"
    )
    found = [each.rule.code for each in lint_text(script, "a.sql", Settings()).findings]
    assert found == ["PGL203"]
    assert lint_text(TABLES + script, "a.sql", Settings()).findings == ()
