"""Functions, procedures and DO blocks: what they are called, and where their bodies are."""

from __future__ import annotations

import pytest

from pglint_locks.sources.routines import Routine, read_routine
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.text import SourceText, Span


def routine(sql: str, before: str = "") -> Routine:
    unit = SqlUnit.whole_file(SourceText("f.sql", before + sql))
    parsed = parse(sql)
    assert isinstance(parsed, Parsed)
    found = read_routine(parsed, unit, len(before))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("head", "label"),
    [
        ("FUNCTION app.claim(integer)", "function app.claim(integer)"),
        ("FUNCTION Claim()", "function Claim()"),
        (
            "FUNCTION f(a int, b  varchar ( 10 ), c text[])",
            "function f(int, varchar ( 10 ), text[])",
        ),
        (
            "FUNCTION f(a int DEFAULT 1, b numeric(5,2) = 2, c t.x%TYPE)",
            "function f(int, numeric(5,2), t.x%TYPE)",
        ),
        (
            "FUNCTION f(IN a int, OUT b int, INOUT c int, VARIADIC d int[])",
            "function f(int, int, int[])",
        ),
        (
            "FUNCTION f(timestamp with time zone, double precision)",
            "function f(timestamp with time zone, double precision)",
        ),
        ('FUNCTION "Ä b".f("T y", /* c */ int)', 'function "Ä b".f("T y", int)'),
        ("PROCEDURE p(a int, OUT b text)", "procedure p(int, text)"),
    ],
)
def test_labels(head: str, label: str) -> None:
    returns = "" if head.startswith("PROCEDURE") or "OUT" in head else "RETURNS int"
    found = routine(f"CREATE OR REPLACE {head} {returns} LANGUAGE plpgsql AS 'BEGIN END'")
    assert found.label == label
    assert found.body is not None
    assert found.body.label == label


@pytest.mark.parametrize(
    ("sql", "language", "body"),
    [
        ("CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ B $$", "plpgsql", " B "),
        ("CREATE FUNCTION f() RETURNS int AS $x$ B $x$ LANGUAGE 'plpgsql'", "plpgsql", " B "),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE 'plpgsql' AS 'it''s'", "plpgsql", "it's"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE PLpgSQL AS E'a\\n'", "plpgsql", "a\n"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "sql", "SELECT 1"),
        (
            "CREATE FUNCTION f(a text DEFAULT 'x') RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "sql",
            "SELECT 1",
        ),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1", "sql", "SELECT 1"),
        ("CREATE FUNCTION f() RETURNS int RETURN 1", "sql", "SELECT 1"),
        ("CREATE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC SELECT 'x'; END", "sql", "SELECT 'x';"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'obj', 'sym'", "c", None),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'x'", "internal", None),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS 'x'", "plpython3u", None),
        ("DO $$ B $$", "plpgsql", " B "),
        ("DO LANGUAGE plpgsql 'B'", "plpgsql", "B"),
        ("DO 'B' LANGUAGE 'plpgsql'", "plpgsql", "B"),
        ("DO LANGUAGE 'plperl' 'B'", "plperl", None),
    ],
)
def test_bodies(sql: str, language: str, body: str | None) -> None:
    found = routine(sql)
    assert found.language == language
    assert (found.body and found.body.text) == body
    assert found.body is None or found.other_text is None


def test_text_in_another_language() -> None:
    found = routine("CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS 'x'")
    assert found.other_text is not None
    assert found.other_text.text == "x"


def test_a_do_block_has_no_name() -> None:
    found = routine("DO $$BEGIN END$$")
    assert (found.label, found.name, found.argument_types) == ("do block", None, ())
    assert found.may_end_transactions


def test_properties() -> None:
    plain = routine("CREATE FUNCTION a.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'")
    assert (plain.volatility, plain.strict, plain.returns_set) == ("volatile", False, False)
    assert (plain.security_definer, plain.has_set_option, plain.is_procedure) == (False,) * 3
    assert (plain.name, plain.argument_types) == ("a.f", ("int",))
    assert not plain.may_end_transactions
    full = routine(
        "CREATE FUNCTION f() RETURNS SETOF int STABLE STRICT SECURITY DEFINER"
        " SET search_path TO a LANGUAGE sql AS 'SELECT 1'"
    )
    assert (full.volatility, full.strict, full.returns_set) == ("stable", True, True)
    assert (full.security_definer, full.has_set_option) == (True, True)
    table = routine(
        "CREATE FUNCTION f() RETURNS TABLE (a int) IMMUTABLE LANGUAGE sql AS 'SELECT 1'"
    )
    assert (table.volatility, table.returns_set, table.argument_types) == ("immutable", True, ())
    called = routine(
        "CREATE FUNCTION f() RETURNS int CALLED ON NULL INPUT SECURITY INVOKER"
        " LANGUAGE sql AS 'SELECT 1'"
    )
    assert (called.strict, called.security_definer) == (False, False)
    assert routine("CREATE PROCEDURE p() LANGUAGE sql AS 'SELECT 1'").may_end_transactions


def test_no_routine() -> None:
    parsed = parse("SELECT 1")
    assert isinstance(parsed, Parsed)
    assert read_routine(parsed, SqlUnit.whole_file(SourceText("f", "SELECT 1")), 0) is None


@pytest.mark.parametrize("quote", ["'", "$$", "$ä$", "E'"])
def test_places_in_a_body(quote: str) -> None:
    before = "-- größe\r\nSELECT 'ü';\r\n"
    closing = "'" if quote.endswith("'") else quote
    body = f"{quote}SELECT 1\r\n\tFOR UPDATE{closing}"
    sql = f"CREATE FUNCTION f(ä int) RETURNS int LANGUAGE sql AS {body}"
    found = routine(sql, before)
    assert found.body is not None
    at = found.body.text.index("FOR UPDATE")
    span = found.body.map.file_span(Span(at, at + len("FOR UPDATE")))
    assert (before + sql)[span.start : span.end] == "FOR UPDATE"
    assert tuple(found.body.source.position(span.start)) == (4, 2)
