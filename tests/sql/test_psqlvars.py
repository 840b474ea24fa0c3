"""psql's variables: what takes their place is as long, and parses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pglast import parser

from pglint_locks.sql.psqlvars import without_variables

REPLACED = {
    "SELECT :x, :'y', :\"z\"": "SELECT _x,  'y',  \"z\"",
    "SELECT * FROM :schema.:table WHERE :\"col\" = :'val'": (
        "SELECT * FROM _schema._table WHERE  \"col\" =  'val'"
    ),
    "SELECT :été, :1, :_a$": "SELECT _été, _1, __a$",
    "SELECT a FROM t LIMIT :n OFFSET:m": "SELECT a FROM t LIMIT _n OFFSET m",
    "DROP TABLE prefix_:suffix": "DROP TABLE prefix__suffix",
    "SELECT :{?x} AND:{?longer}": "SELECT  true AND true     ",
    "SELECT :x::int, :'y'::text": "SELECT _x::int,  'y'::text",
    "CALL f(a := :x, b => :y)": "CALL f(a := _x, b => _y)",
    ":explain SELECT 1": "         SELECT 1",
    " :a\n:b SELECT :c": "   \n   SELECT _c",
    "SELECT 1 = ANY(ARRAY[:a, :b])": "SELECT 1 = ANY(ARRAY[_a, _b])",
    "SELECT ARRAY [[:a], [:b]]": "SELECT ARRAY [[_a], [_b]]",
    "SELECT a[f(:x)]": "SELECT a[f(_x)]",
    # two colons in a subscript: the last is the slice's, unless one without a name is
    "SELECT a[:i:j]": "SELECT a[_i:j]",
    "SELECT a[:i : :j]": "SELECT a[_i : _j]",
    "SELECT a[:i + 1:2]": "SELECT a[_i + 1:2]",
}
KEPT = [
    *(
        "SELECT a::int, ':x', E'\\':x', $$:x$$, $a$:'x'$a$, \":x\" -- :x",
        "SELECT 1 /* :x /* */ :y */",
    ),
    *("SELECT a[1:2], a[:n], a[n:], a[:], a[:'n'], a[:n::int], a[1:n + 2]", "SELECT a$b$ FROM t"),
    *("SELECT a[1][:n]", "SELECT U&'\\0041:x'"),
]


@pytest.mark.parametrize("text", REPLACED)
def test_variables_are_replaced_and_the_statement_parses(text: str) -> None:
    replaced = without_variables(text)
    assert replaced == REPLACED[text]
    assert len(replaced) == len(text)
    parser.parse_sql(replaced)


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_variable_stays(text: str) -> None:
    assert without_variables(text) == text
    parser.parse_sql(text)


_PIECES = [
    *(":x", ":'x'", ':"x"', ":{?x}", "::", ":=", ":", "[", "]", "(", ")", "'", '"', "$$", "$a$"),
    *("E'", "\\'", "--", "\n", "/*", "*/", " ", "ARRAY", "a", "1", ",", "é", "LIMIT"),
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(_PIECES), max_size=16).map("".join))
def test_the_length_never_changes(text: str) -> None:
    replaced = without_variables(text)
    assert len(replaced) == len(text)
    kept = [(old, new) for old, new in zip(text, replaced, strict=True) if old not in ":{?}"]
    assert all(new in (old, " ", *"true") for old, new in kept)


@pytest.mark.parametrize("piece", ["[", "(", ":x", "[:x", "'", "$", "$a$", "/*", "E'\\", "a", ":"])
def test_time_grows_with_the_length_alone(piece: str) -> None:
    """Each takes well under a second; one that grew with the square would take minutes."""
    began = time.process_time()
    without_variables(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 10
