"""Each locking clause's span, against an oracle: blank it, and one SELECT loses it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pglast import ast, parser

from pglint_locks.sql.clauses import clauses_by_select, find_clauses
from pglint_locks.sql.tokens import Tokens
from pglint_locks.sql.walk import descendants

STRENGTHS = ["FOR UPDATE", "for no key update", "FOR /* c */ SHARE", "FOR KEY SHARE"]
POLICIES = ["", " NOWAIT", " SKIP LOCKED"]


@st.composite
def locking(draw: st.DrawFn) -> str:
    names = draw(st.sampled_from(["", " OF t", ' OF t, "ü"']))
    return draw(st.sampled_from(STRENGTHS)) + names + draw(st.sampled_from(POLICIES))


@st.composite
def selects(draw: st.DrawFn, depth: int = 2) -> str:
    """A SELECT whose every clause may hold a sub-SELECT, locking or not."""

    def nested(otherwise: str) -> str:
        if depth and draw(st.integers(0, 3)) == 0:
            return f"({draw(selects(depth=depth - 1))})"
        return otherwise

    cte = f"WITH c AS {nested('(SELECT 1)')} " if draw(st.booleans()) else ""
    item = nested("t")
    source = item if item == "t" else f"{item} AS t"
    join = f' JOIN "ü" ON {nested("true")}' if draw(st.booleans()) else ""
    lock = draw(locking()) if draw(st.integers(0, 2)) else ""
    extra = f" {draw(locking())}" if lock and draw(st.integers(0, 4)) == 0 else ""
    limit = f"LIMIT {nested('3')} OFFSET {nested('$1')}" if draw(st.booleans()) else ""
    tail = f"{lock}{extra} {limit}" if draw(st.booleans()) else f"{limit} {lock}{extra}"
    order = f"ORDER BY {nested('a')}" if draw(st.booleans()) else ""
    return (
        f"{cte}SELECT {nested('a')}, substring('é' FOR update) FROM {source}{join} "
        f"WHERE b = {nested('1')} AND x IN (1) GROUP BY {nested('g')} {order} {tail}"
    )


def owners(node: ast.Node) -> list[int]:
    """The number of clauses of each SELECT, in the order of the walk."""
    return [
        len(below.lockingClause or ())
        for below in descendants(node)
        if isinstance(below, ast.SelectStmt)
    ]


@settings(max_examples=150, deadline=None)
@given(selects())
def test_each_clause_is_given_to_the_select_that_loses_it(sql: str) -> None:
    tree = parser.parse_sql(sql)[0].stmt
    clauses = find_clauses(Tokens(sql))
    given_to = clauses_by_select(tree, clauses)
    assert given_to is not None
    nodes = [below for below in descendants(tree) if isinstance(below, ast.SelectStmt)]
    before = owners(tree)
    for index, node in enumerate(nodes):
        for clause in given_to.get(id(node), ()):
            start, end = clause.span.start, clause.span.end
            blanked = sql[:start] + " " * (end - start) + sql[end:]
            after = owners(parser.parse_sql(blanked)[0].stmt)
            assert after[index] == before[index] - 1
            assert sum(after) == sum(before) - 1


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 1 FROM t FOR UPDATE", ["FOR UPDATE"]),
        (
            "SELECT 1 FROM t FOR/**/NO -- c\n KEY UPDATE OF a , b NOWAIT LIMIT 1",
            ["FOR/**/NO -- c\n KEY UPDATE OF a , b NOWAIT"],
        ),
        (
            'SELECT 1 FROM t FOR SHARE OF a.b, "c".d FOR KEY SHARE SKIP LOCKED',
            ['FOR SHARE OF a.b, "c".d', "FOR KEY SHARE SKIP LOCKED"],
        ),
        ("SELECT substring(a FOR share), overlay(a placing b from 1 for update) FROM t", []),
        ("SELECT 'for update' FROM t -- for update", []),
        (
            "CREATE POLICY p ON t FOR UPDATE USING (id IN (SELECT id FROM u FOR SHARE))",
            ["FOR SHARE"],
        ),
        ("SELECT 1 FROM t FOR READ ONLY", []),
        ("SELECT 1 FROM t FOR UPDATE OF skip SKIP LOCKED", ["FOR UPDATE OF skip SKIP LOCKED"]),
    ],
)
def test_clauses_are_found_from_for_to_the_last_word(sql: str, words: list[str]) -> None:
    assert [sql[c.span.start : c.span.end] for c in find_clauses(Tokens(sql))] == words


def test_a_multi_assignment_holds_its_sub_select_once() -> None:
    sql = "UPDATE t SET (a, b) = (SELECT a, b FROM u FOR UPDATE) WHERE id = 1"
    clauses = find_clauses(Tokens(sql))
    given_to = clauses_by_select(parser.parse_sql(sql)[0].stmt, clauses)
    assert given_to is not None
    assert [len(own) for own in given_to.values()] == [1]


def test_a_tree_of_another_text_is_refused() -> None:
    tree = parser.parse_sql("SELECT 1 FROM t FOR UPDATE")[0].stmt
    assert clauses_by_select(tree, find_clauses(Tokens("SELECT 1 FROM t"))) is None
