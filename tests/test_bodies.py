"""Function bodies end to end: places in the file, units, order, what is not read."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.run import Run


def lint(sql: str) -> Run:
    run = lint_text(sql, "f.sql", Settings())
    assert run.errors == ()
    return run


def found(run: Run, code: str) -> list[tuple[str, str, str | None]]:
    """Place, marked text and unit of a rule's findings."""
    return [
        (
            f"{each.source.position(each.span.start).row}:"
            f"{each.source.position(each.span.start).column}",
            each.source.text[each.span.start : each.span.end],
            each.unit,
        )
        for each in run.findings
        if each.rule.code == code
    ]


def test_statements_of_a_plpgsql_body_are_placed_in_the_file() -> None:
    run = lint(
        "CREATE FUNCTION app.next(q text, n integer DEFAULT 1) RETURNS SETOF jobs\n"
        "LANGUAGE plpgsql AS $body$\n"
        "DECLARE r jobs;\n"
        "BEGIN\n"
        "  FOR r IN SELECT * FROM jobs WHERE queue = q ORDER BY id OFFSET n FOR UPDATE LOOP\n"
        "    RETURN NEXT r;\n"
        "  END LOOP;\n"
        "END $body$;\n"
    )
    assert found(run, "PGL102") == [("5:59", "OFFSET n", "function app.next(text, integer)")]
    assert (run.clauses, run.analysed) == (1, 1)


def test_doubled_quotes_and_nested_literals_keep_their_places() -> None:
    run = lint(
        "CREATE PROCEDURE p() LANGUAGE plpgsql AS '\n"
        "BEGIN\n"
        "  EXECUTE format(''SELECT 1 FROM %I WHERE a = ''''x'''' OFFSET 5 FOR UPDATE'', ''t'');\n"
        "END';"
    )
    assert found(run, "PGL102") == [("3:57", "OFFSET 5", "procedure p()")]


def test_an_sql_body_is_read_as_a_script() -> None:
    run = lint(
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS\n"
        "  'SELECT 1; SELECT count(*) FROM (SELECT 1 FROM t WHERE a = ''é'' "
        "FOR UPDATE SKIP LOCKED) s';"
    )
    assert found(run, "PGL501") == [("2:21", "count", "function f()")]


def test_bodies_in_the_statements_own_grammar_have_a_unit() -> None:
    run = lint(
        "CREATE FUNCTION app.take(n integer, b text[]) RETURNS void\n"
        "BEGIN ATOMIC DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT n FOR UPDATE); END;"
    )
    assert found(run, "PGL101") == [("2:40", "IN", "function app.take(integer, text[])")]


def test_a_do_block_names_itself() -> None:
    run = lint("DO $$ BEGIN PERFORM 1 FROM t OFFSET 3 FOR UPDATE; END $$;")
    assert found(run, "PGL102") == [("1:30", "OFFSET 3", "do block")]


@pytest.mark.parametrize(
    ("between", "speaks"),
    [
        ("", True),
        ("IF n > 0 THEN UPDATE jobs SET a = 1 WHERE id = 7; END IF;", True),
        ("DELETE FROM jobs WHERE id = 7;", False),
    ],
)
def test_what_follows_a_lock_in_the_body_counts(between: str, speaks: bool) -> None:
    run = lint(
        "CREATE FUNCTION f(n integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
        f"PERFORM 1 FROM jobs WHERE id = 7 FOR UPDATE; {between}\n"
        "UPDATE jobs SET status = 'x' WHERE id = 7; END $$;"
    )
    assert bool(found(run, "PGL301")) == speaks


def test_arguments_and_variables_are_values_not_columns() -> None:
    run = lint(
        "CREATE FUNCTION f(job bigint) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v_id bigint;\n"
        "BEGIN PERFORM 1 FROM jobs WHERE id = job FOR UPDATE;\n"
        "PERFORM 1 FROM jobs WHERE id = v_id FOR UPDATE; END $$;"
    )
    assert found(run, "PGL402") == []


def test_a_body_in_another_language_is_counted_with_its_reason() -> None:
    run = lint(
        "CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ x('SELECT 1 FOR UPDATE') $$;"
    )
    assert (run.clauses, run.reasons) == (1, {"plpython3u function body": 1})


def test_a_volatile_body_is_fine_and_a_stable_one_is_refused() -> None:
    body = "LANGUAGE plpgsql {} AS $$ BEGIN PERFORM 1 FROM t WHERE id = 1 FOR UPDATE; END $$;"
    made = "CREATE FUNCTION f() RETURNS void "
    assert found(lint(made + body.format("VOLATILE")), "PGL704") == []
    assert len(found(lint(made + body.format("STABLE")), "PGL704")) == 1


def test_broken_statements_of_a_body_cost_themselves_alone() -> None:
    run = lint(
        "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
        "SELECT FROM FROM t FOR UPDATE;\n"
        "PERFORM 1 FROM t OFFSET 3 FOR UPDATE;\n"
        "END $$;"
    )
    assert [each[0] for each in found(run, "PGL102")] == ["3:18"]
    assert (run.clauses, run.analysed) == (2, 1)


def test_suppressions_work_inside_a_body() -> None:
    run = lint(
        "DO $$ BEGIN\n"
        "-- pglint: ignore[PGL102] nobody waits\n"
        "PERFORM 1 FROM t ORDER BY id OFFSET 3 FOR UPDATE;\n"
        "PERFORM 1 FROM t ORDER BY id OFFSET 4 FOR UPDATE; -- pglint: ignore[PGL102] nor here\n"
        "END $$;"
    )
    assert [finding.rule.code for finding in run.findings if finding.rule.code != "PGL603"] == []


def test_a_name_in_dynamic_sql_is_shown_with_what_is_put_into_it() -> None:
    run = lint(
        "DO $$ BEGIN EXECUTE format('SELECT 1 FROM pgmq.q_%s OFFSET 3 FOR UPDATE', name); END $$;"
    )
    assert {finding.table for finding in run.findings} == {"pgmq.q_{name}"}


_SHARE = "PERFORM 1 FROM t WHERE id = 1 FOR SHARE;"
_UPDATE = "UPDATE t SET a = 1 WHERE id = 1;"


@pytest.mark.parametrize(
    ("body", "speaks"),
    [
        (f"{_SHARE} {_UPDATE}", True),
        (f"{_SHARE} EXECUTE 'UPDATE t SET a = 1 WHERE id = 1';", True),
        (f"{_SHARE} IF NOT FOUND THEN RETURN; END IF; {_UPDATE}", True),
        (f"{_UPDATE} {_SHARE}", False),
        (f"IF a THEN {_SHARE} ELSE {_UPDATE} END IF;", False),
        (f"IF a THEN {_SHARE} RETURN; END IF; {_UPDATE}", False),
        (f"BEGIN {_SHARE} EXCEPTION WHEN OTHERS THEN {_UPDATE} END;", False),
        (f"{_SHARE} COMMIT; {_UPDATE}", False),
    ],
)
def test_only_what_runs_after_a_lock_is_later(body: str, speaks: bool) -> None:
    made = "CREATE PROCEDURE p(a boolean) LANGUAGE plpgsql AS"
    assert bool(found(lint(f"{made} $$ BEGIN {body} END $$;"), "PGL302")) == speaks


def test_a_scrolling_cursor_is_refused_once_it_is_opened() -> None:
    cursor = "DECLARE c SCROLL CURSOR FOR SELECT 1 FROM t WHERE id = 1 FOR UPDATE;"
    assert len(found(lint(f"DO $$ {cursor} BEGIN OPEN c; END $$;"), "PGL706")) == 1
    assert found(lint(f"DO $$ {cursor} BEGIN NULL; END $$;"), "PGL706") == []


def test_a_body_in_a_body() -> None:
    run = lint(
        "DO $a$ BEGIN EXECUTE $b$ DO $c$ BEGIN\n"
        "PERFORM 1 FROM t OFFSET 3 FOR UPDATE; END $c$ $b$; END $a$"
    )
    assert found(run, "PGL102") == [("2:18", "OFFSET 3", "do block > do block")]


def test_comments_in_a_body_suppress() -> None:
    lock = "PERFORM 1 FROM t OFFSET 3 FOR UPDATE;"
    run = lint(f"DO $$ BEGIN\n-- pglint: ignore[PGL102]\n{lock}\n{lock}\nEND $$;")
    assert found(run, "PGL102") == [("4:18", "OFFSET 3", "do block")]
    assert found(run, "PGL002") == []


@pytest.mark.parametrize(
    ("sql", "clauses"),
    [
        ("CREATE FUNCTION f( RETURNS int AS $$ -- for update\nSELECT 1 FOR UPDATE $$;", 1),
        ("CREATE OR REPLACE PROCEDURE p() NONSENSE AS 'SELECT 1 FOR UPDATE';", 1),
        ("DO LANGUAGE LANGUAGE sql $$ BEGIN PERFORM 1 FOR SHARE; END $$;", 1),
        ("CREATE TABLE t( DEFAULT 'for update';", 0),
        ("CREATE POLICY p ON ON t FOR UPDATE;", 0),
    ],
)
def test_locks_in_a_routine_that_does_not_parse_are_counted(sql: str, clauses: int) -> None:
    run = lint(f"SELECT 1 FOR KEY SHARE; {sql}")
    assert (run.clauses, run.analysed) == (clauses + 1, 1)
    assert run.reasons == ({"syntax error": 1} if clauses else {})
    assert len(found(run, "PGL001")) == clauses


@pytest.mark.parametrize(("other", "speaks"), [("n", True), ("m", False)])
@pytest.mark.parametrize("table", ["%I", "app.%I", "%I.jobs", "queue_%s"])
def test_what_is_put_into_dynamic_sql_is_told_apart(table: str, other: str, speaks: bool) -> None:
    made = "CREATE FUNCTION f(n text, m text) RETURNS void LANGUAGE plpgsql AS $_$ BEGIN\n"
    two = (
        f"EXECUTE format('SELECT 1 FROM {table} WHERE id = 1 FOR SHARE', n);\n"
        f"EXECUTE format('UPDATE {table} SET a = 2 WHERE id = 1', {other}); END $_$;"
    )
    one = (
        f"EXECUTE format('DELETE FROM {table} WHERE id IN "
        f"(SELECT id FROM {table} LIMIT 3 FOR UPDATE)', n, {other}); END $_$;"
    )
    assert bool(found(lint(made + two), "PGL302")) == speaks
    assert bool(found(lint(made + one), "PGL101")) == speaks
