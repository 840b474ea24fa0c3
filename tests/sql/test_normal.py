"""Expressions that mean the same and are spelt in two ways."""

from __future__ import annotations

import pytest

from pglint_locks.sql.normal import normal_expression


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("status IN ('a', 'b')", "(status = ANY (ARRAY['a'::text, 'b'::text]))"),
        (
            "s IN ('a', 'b')",
            "((s)::text = ANY ((ARRAY['a'::character varying, 'b'::varchar])::text[]))",
        ),
        ("a NOT IN (1, 2)", "(a <> ALL (ARRAY[1, 2]))"),
        ("a BETWEEN 1 AND 2", "((a >= 1) AND (a <= 2))"),
        ("a NOT BETWEEN 1 AND 2", "((a < 1) OR (a > 2))"),
        ("a LIKE 'x%'", "(a ~~ 'x%'::text)"),
        ("a = -1", "(a = '-1'::integer)"),
        ("jobs.a IS NULL AND b AND c != 2", "((a IS NULL) AND b AND (c <> 2))"),
        ("a AND (b AND c)", "(a AND b AND c)"),
        ("(d AT TIME ZONE 'UTC')::date", "((d AT TIME ZONE 'UTC'::text))::date"),
        ("extract(year FROM d)", "EXTRACT(year FROM d)"),
        ("lower(x) || 'a'", "(lower((x)::text) || 'a'::text)"),
        ("app.f(a)", "app.f(a)"),
        ("NOT done", "(NOT done)"),
        ("a = 1 and", " a =  1 and "),
    ],
)
def test_two_spellings_of_one(written: str, shown: str) -> None:
    assert normal_expression(written) == normal_expression(shown)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = 1", "a = 2"),
        ("a = 1", "a <> 1"),
        ("a = ANY (ARRAY[1])", "a = ALL (ARRAY[1])"),
        ("a IN (1, 2)", "a IN (2, 1)"),
        ("a IS NULL", "a IS NOT NULL"),
        ("a AND b OR c", "a AND (b OR c)"),
        ("a BETWEEN 1 AND 2", "a NOT BETWEEN 1 AND 2"),
        ("lower(a)", "upper(a)"),
        ("a -> 'b'", "a ->> 'b'"),
        ("a", "a +"),
    ],
)
def test_what_is_different_stays_so(one: str, other: str) -> None:
    assert normal_expression(one) != normal_expression(other)
