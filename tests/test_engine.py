"""The pipeline end to end on text: recovery, odd input, counts."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Finding
from pglint_locks.rules import RULES
from pglint_locks.run import Run
from pglint_locks.selection import resolve

HAZARD = "SELECT * FROM t OFFSET 5 FOR UPDATE;"


FEW = resolve(RULES, ("PGL001", "PGL102", "PGL201"))


def lint(sql: str, name: str = "q.sql") -> Run:
    return lint_text(sql, name, Settings(enabled=FEW))


def places(run: Run) -> list[str]:
    return [f"{finding.rule.code} {place(finding)}" for finding in run.findings]


def place(finding: Finding) -> str:
    position = finding.source.position(finding.span.start)
    return f"{position.row}:{position.column}"


def test_a_broken_statement_costs_itself_alone() -> None:
    run = lint(f"{HAZARD}\nSELECT FROM FROM t FOR UPDATE;\n{HAZARD}\n")
    assert places(run) == ["PGL102 1:17", "PGL001 2:13", "PGL102 3:17"]
    assert (run.statements, run.clauses, run.analysed) == (3, 3, 2)
    assert run.reasons == {"syntax error": 1}


def test_a_broken_statement_without_a_lock_is_not_spoken_of() -> None:
    run = lint(f"SELECT FROM FROM t;\n{HAZARD}")
    assert places(run) == ["PGL102 2:17"]


@pytest.mark.parametrize("stray", ["SELECT 'it's broken;", 'SELECT "a FROM b;', "SELECT $$ x;"])
def test_a_stray_quote_costs_its_statement_alone(stray: str) -> None:
    run = lint(f"{stray}\n{HAZARD}\nSELECT 'x', \"y\";\n{HAZARD}\n")
    assert places(run) == ["PGL102 2:17", "PGL102 4:17"]


def test_psql_variables_and_commands_are_no_errors() -> None:
    run = lint(
        "\\set n 5\nSELECT :n, :'name', :\"col\" FROM :tab OFFSET :n FOR UPDATE \\gset\n"
        "SELECT a::int, b[1:2] FROM t OFFSET :n FOR UPDATE;\n"
    )
    assert places(run) == ["PGL102 2:38", "PGL102 3:30"]


def test_copy_data_is_no_sql() -> None:
    run = lint(f"COPY t FROM stdin;\nit's FOR UPDATE;\t'\n\\.\n{HAZARD}")
    assert places(run) == ["PGL102 4:17"]
    assert run.clauses == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "1+" * 60_000 + "1 FROM t FOR UPDATE;",
        "SELECT 1 UNION ALL " * 20_000 + "SELECT 1 FROM t FOR UPDATE;",
        "SELECT " + "(" * 9_000 + "1" + ")" * 9_000 + " FROM t FOR UPDATE;",
        "SELECT * FROM (" * 900 + "SELECT * FROM t" + ") s" * 900 + " FOR UPDATE;",
    ],
    ids=["operators", "union", "parentheses", "sub-selects"],
)
def test_deep_statements_end_nothing(sql: str) -> None:
    run = lint(f"{sql}\n{HAZARD}")
    assert run.errors == ()
    assert "PGL102 2:17" in places(run)
    assert run.clauses == 2


def test_a_huge_statement_is_refused_by_name() -> None:
    run = lint("SELECT 1 UNION ALL " * 200_000 + f"SELECT 1 FROM t FOR UPDATE;\n{HAZARD}")
    assert places(run) == ["PGL001 1:3800017", "PGL102 2:17"]
    assert "too large" in run.findings[0].message
    assert run.reasons == {"too large": 1}


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SELECT `id` FROM t OFFSET 5 FOR UPDATE;", "q.sql"),
        ("SELECT id FROM t OFFSET 5 FOR UPDATE; SELECT 1 FROM t LOCK IN SHARE MODE;", "q.sql"),
        ("SELECT id FROM t FOR UPDATE WAIT 5;", "q.sql"),
        (HAZARD, "db/mysql/q.sql"),
        (HAZARD, "schema.sqlite.sql"),
    ],
)
def test_another_databases_sql_is_counted_and_left_alone(sql: str, name: str) -> None:
    run = lint(sql, name)
    assert run.findings == ()
    assert run.clauses >= 1
    assert run.reasons == {"another database's SQL": run.clauses}


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        (HAZARD + " SELECT 'a `quoted` word', 'LOCK IN SHARE MODE' -- `x`\n;", "q.sql"),
        (HAZARD, "oracles/price_oracle.sql"),
    ],
)
def test_words_of_other_databases_in_literals_and_names_are_none(sql: str, name: str) -> None:
    assert places(lint(sql, name)) == ["PGL102 1:17"]


def test_columns_count_code_points_and_rows_end_at_any_line_end() -> None:
    run = lint(f"SELECT '😀é\t' FROM t OFFSET 5 FOR UPDATE;\r{HAZARD}\r\n{HAZARD}\n{HAZARD}")
    assert places(run) == ["PGL102 1:21", "PGL102 2:17", "PGL102 3:17", "PGL102 4:17"]


def test_limit_0_silences_all() -> None:
    assert lint("SELECT * FROM t ORDER BY random() LIMIT 0 OFFSET 5 FOR UPDATE;").findings == ()


def test_clauses_in_comments_strings_and_policies_are_not_counted() -> None:
    run = lint(
        "-- FOR UPDATE\nSELECT 'FOR UPDATE' /* FOR SHARE */;\n"
        "CREATE POLICY p ON t FOR UPDATE USING (true);\nSELECT substring(a FOR update) FROM t;"
    )
    assert (run.clauses, run.findings) == (0, ())


def test_the_same_input_gives_the_same_findings_in_order() -> None:
    sql = f"{HAZARD}\n{HAZARD}\nWITH c AS (SELECT 1) SELECT * FROM c FOR UPDATE;"
    first, second = lint(sql), lint(sql)
    assert places(first) == places(second) == ["PGL102 1:17", "PGL102 2:17", "PGL201 3:38"]


def test_two_clauses_over_one_table_are_spoken_of_once() -> None:
    run = lint("SELECT id FROM t ORDER BY id OFFSET 5 FOR UPDATE FOR SHARE OF t;")
    assert [place for place in places(run) if place.startswith("PGL102")] == ["PGL102 1:30"]


def test_the_parsers_words_are_cut_to_a_line() -> None:
    run = lint("SELECT 1 FROM t FOR UPDATE $x$ " + "word " * 5_000)
    (finding,) = run.findings
    assert finding.rule.code == "PGL001"
    assert len(finding.message) < 200


def test_a_rule_that_is_off_leaves_its_suppressions_alone() -> None:
    settings = Settings(severity={"PGL102": None})
    run = lint_text(f"-- pglint: ignore[PGL102]\n{HAZARD}", "q.sql", settings)
    assert [finding.rule.code for finding in run.findings if finding.rule.code == "PGL002"] == []


def test_a_long_transaction_is_linted_in_little_more_than_its_length() -> None:
    pair = "SELECT 1 FROM t WHERE id = 1 FOR UPDATE; UPDATE t SET n = 1 WHERE id = 1;\n"
    run = lint(f"BEGIN;\n{pair * 600}COMMIT;")
    assert run.clauses == run.analysed == 600


def test_a_table_named_by_a_psql_variable_is_called_as_it_is_written() -> None:
    (finding,) = lint("SELECT id FROM :schema.:tab OFFSET 4 FOR UPDATE;").findings
    assert finding.table == ":schema.:tab"
