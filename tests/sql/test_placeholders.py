"""Placeholders of drivers and templates: what takes their place is as long, and parses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.sql.fillings import fill
from pglint_locks.sql.parse import Parsed, Unparsed, parse
from pglint_locks.sql.standins import STAND_IN, as_written

# What each statement's names stand for, in the order of the text.
READ = {
    "SELECT a FROM %{t} WHERE b = %<c>s FOR UPDATE": ["%{t}", "%<c>s"],
    "SELECT a FROM t WHERE b = ? AND c=? LIMIT ? FOR UPDATE": ["?", "?", "?"],
    "SELECT d ? 'k', d ? ?, d ?| ?, d ?& ARRAY[?] FROM t WHERE a=?-1": ["?", "?", "?", "?"],
    "SELECT a FROM t WHERE b @? ? AND c @@ ? AND d ?? 'k' AND e ??| ?": ["?", "?", "?"],
    "SELECT a FROM t WHERE b IN (?) AND c IN ? AND d NOT IN %s": ["?", "?", "%s"],
    "SELECT a FROM t WHERE b = %s AND c = %(name)s LIMIT %d": ["%s", "%(name)s", "%d"],
    "SELECT a FROM %s WHERE b = ANY(%s)": ["%s", "%s"],
    "SELECT a FROM t WHERE b < now() - INTERVAL ? AND c = ?": ["?"],
    "SELECT a FROM t WHERE b < now() - INTERVAL :x AND c IN :ids": [":ids"],
    "SELECT a FROM t WHERE id = :id! AND b = ?": [":id!", "?"],
    "SELECT ${cols} FROM ${schema}.${table} WHERE ${cond} ORDER BY ${by}": [
        *("${cols}", "${schema}", "${table}", "${cond}", "${by}"),
    ],
    "SELECT a FROM jobs_{year} WHERE j.{col} = #{id} AND b <@ c": ["jobs_{year}", "{col}", "#{id}"],
    "SELECT a FROM t WHERE b = @name AND c<@d AND e = %s": ["@name", "%s"],
    "SELECT a FROM t WHERE b = $name AND c = $1 AND d = $$ $x $$": ["$name"],
    "INSERT INTO {t} ({cols}) VALUES ({vals})": ["{t}", "{cols}", "{vals}"],
    "INSERT INTO t (a, b) VALUES %s RETURNING *": ["%s"],
    "UPDATE t SET {changes} WHERE id = ?": ["{changes}", "?"],
    "SELECT a FROM ({query}) q": ["{query}"],
    "SELECT a FROM t FOR UPDATE {wait}": [],
    "{hint} SELECT a FROM t WHERE b = %s": ["%s"],
    "SELECT a FROM {{ ref('a b') }} WHERE b = %s": ["{{ ref('a b') }}", "%s"],
    "SELECT a FROM t WHERE b {op} 3": [],
    "SELECT a FROM t FETCH FIRST ? ROWS ONLY": ["?"],
    "SELECT a[:n], a[1:n] FROM t WHERE b = ? AND c::int = ?::int": ["?", "?"],
    "SELECT a FROM t WHERE b = '?' AND c = E'\\'?' AND d = ? -- ?": ["?"],
}
OPEN = [
    "SELECT a FROM t {where} FOR UPDATE",
    "SELECT a FROM t WHERE {condition} FOR UPDATE",
    "SELECT a FROM t WHERE b = 1 %s FOR UPDATE",
    "SELECT a FROM t FOR UPDATE {wait}",
]


@pytest.mark.parametrize("text", READ)
def test_a_statement_with_placeholders_parses(text: str) -> None:
    parsed = parse(text)
    assert isinstance(parsed, Parsed)
    assert list(parsed.parameters.values()) == READ[text]
    assert parsed.tokens.text == text
    for token in parsed.tokens:
        assert 0 <= token.span.start < token.span.end <= len(text)


@pytest.mark.parametrize("text", OPEN)
def test_clauses_may_come_in(text: str) -> None:
    parsed = parse(text)
    assert isinstance(parsed, Parsed)
    assert parsed.open


@pytest.mark.parametrize("text", ["SELECT a FROM t WHERE b = {x} FOR UPDATE", "SELECT ? FOR SHARE"])
def test_no_clause_may_come_in(text: str) -> None:
    parsed = parse(text)
    assert isinstance(parsed, Parsed)
    assert not parsed.open


@pytest.mark.parametrize(
    "text", ["SELECT a FROM t WHERE b = ? AND FOR UPDATE", "SELECT a FROM {t} WHERE AND FOR UPDATE"]
)
def test_the_message_names_what_is_written(text: str) -> None:
    result = parse(text)
    assert isinstance(result, Unparsed)
    assert STAND_IN.search(result.message) is None
    assert text[result.span.start : result.span.end] in result.message


def test_a_template_that_is_not_read_is_no_syntax_error() -> None:
    run = lint_text("SELECT a FROM {t} WHERE AND FOR UPDATE;", "a.sql", Settings())
    assert run.findings == ()
    assert [item.reason for item in run.not_analysed] == ["unread template"]


def test_findings_name_what_is_written() -> None:
    text = "SELECT a FROM {table} WHERE status = %s FOR UPDATE;"
    (finding,) = lint_text(text, "a.sql", Settings()).findings
    assert finding.rule.code == "PGL402"
    assert finding.table == "{table}"
    assert "rows of {table} in" in finding.message


def test_a_column_that_is_not_known_may_be_the_key() -> None:
    for text in (
        "SELECT a FROM t WHERE {c} = 1 FOR UPDATE",
        "SELECT a FROM t WHERE t.{c} = ? FOR UPDATE",
    ):
        assert lint_text(text, "a.sql", Settings()).findings == ()


def test_as_written_leaves_other_text_alone() -> None:
    assert as_written("rows of jobs", {"jobs": "x"}) == "rows of jobs"


_PIECES = [
    *("?", "%s", "%(a)s", ":x", "@n", "${t}", "{t}", "#{i}", "$n", "{{ r('x') }}", "{% if %}"),
    *("SELECT a FROM t WHERE b = ", " IN ", " NOT IN ", ",", "(", ")", "'", '"', "$$", "E'", "\\"),
    *(
        "--",
        "\n",
        "/*",
        "*/",
        " ",
        "a",
        "1",
        ".",
        "{",
        "}",
        "{{",
        "[",
        "]",
        "é",
        " LIMIT ",
        " SET ",
    ),
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_the_length_never_changes(text: str) -> None:
    errors = iter([0, len(text), 5, len(text) // 2, None])
    filled = fill(text, lambda _: next(errors))
    if filled is None:
        return
    assert len(filled.text) == len(text)
    assert [sign for sign in filled.text if sign in "\r\n"] == [
        sign for sign in text if sign in "\r\n"
    ]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="abc 019_.,()='\"\n;-+*/<>", max_size=40))
def test_text_without_placeholders_has_none(text: str) -> None:
    assert fill(text, lambda _: 0) is None


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "?",
            "%s",
            "{",
            "{{",
            "${",
            "${{}",
            "<%",
            "{%",
            "@",
            "$a",
            "$a$",
            "/*",
            "E'",
            "a?",
            "IN ?,",
        )
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    """Each takes some seconds at most; one that grew with the square would take minutes."""
    began = time.process_time()
    lint_text(f"SELECT {piece * (30_000 // len(piece))} FOR UPDATE AND", "a.sql", Settings())
    fill("SELECT " + piece * (100_000 // len(piece)), lambda _: 0)
    assert time.process_time() - began < 10


# What goes in may be what each of these speaks of.
UNSURE = [
    "BEGIN; SELECT id FROM jobs WHERE id = 1 FOR UPDATE; UPDATE jobs SET {changes}; COMMIT;",
    "UPDATE t SET {c} = 1 WHERE id = ANY(ARRAY(SELECT id FROM t LIMIT 1 FOR UPDATE SKIP LOCKED));",
    "SELECT id FROM {a} WHERE id = 1 FOR UPDATE OF {b};",
    "WITH c AS (SELECT id FROM t LIMIT 1 FOR UPDATE) SELECT * FROM {source} LIMIT 1;",
    "WITH c AS (SELECT id FROM t LIMIT 1) SELECT * FROM {source} WHERE id = 1 FOR UPDATE;",
    "SELECT a FROM t ORDER BY a DESC LIMIT 5 FOR UPDATE;SELECT a FROM t ORDER BY a {d} FOR UPDATE",
    "BEGIN; SELECT a FROM t WHERE id = ? FOR SHARE; UPDATE t SET b = 1 WHERE id = ?; COMMIT;",
]


@pytest.mark.parametrize("text", UNSURE)
def test_nothing_is_said_of_what_may_go_in(text: str) -> None:
    assert lint_text(text, "a.sql", Settings()).findings == ()


def test_what_is_written_alike_is_the_same_value_in_two_statements() -> None:
    text = (
        "BEGIN; SELECT a, %(b)s FROM t WHERE id = %(id)s FOR SHARE;"
        "UPDATE t SET b = 1 WHERE id = %(id)s; COMMIT;"
    )
    codes = [finding.rule.code for finding in lint_text(text, "a.sql", Settings()).findings]
    assert codes == ["PGL302"]
