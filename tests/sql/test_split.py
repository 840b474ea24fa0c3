"""The splitter by itself: spans, blanks, comments, and what it does where psql gives up."""

from __future__ import annotations

import time

import pytest

from pglint_locks.sql.split import Script, recut, split
from pglint_locks.text import Span


def texts(script: str) -> list[str]:
    return [chunk.text for chunk in split(script).chunks]


def check(text: str, script: Script) -> None:
    """What holds for every script."""
    starts = [chunk.span.start for chunk in script.chunks]
    assert starts == sorted(set(starts))
    for chunk in script.chunks:
        assert len(chunk.text) == chunk.span.end - chunk.span.start > 0
        assert chunk.text == chunk.text.strip(" \t\n\r\f\v")
    for comment in script.comments:
        assert text[comment.span.start : comment.span.end] == comment.text


def test_spans_leave_out_what_is_around_a_statement() -> None:
    text = "-- first\n  SELECT 1 /* in */ + 2 -- behind\n ;/* between */ \n\fCOMMIT\v;\n"
    script = split(text)
    assert [text[c.span.start : c.span.end] for c in script.chunks] == [
        "SELECT 1 /* in */ + 2",
        "COMMIT",
    ]
    assert [c.text for c in script.comments] == [
        "-- first",
        "/* in */",
        "-- behind",
        "/* between */",
    ]
    check(text, script)


@pytest.mark.parametrize("text", ["", " \n\t", ";", ";;\n;", "-- c", "/* c */", "\\x\n", "\ufffe;"])
def test_texts_with_little_in_them(text: str) -> None:
    script = split(text)
    assert [c.text for c in script.chunks] == (["\ufffe"] if text == "\ufffe;" else [])
    check(text, script)


def test_comments_are_found_outside_of_literals_data_and_commands_only() -> None:
    text = (
        "SELECT '-- a', E'\\'/* b */', $$ -- c $$, \"/* d */\"; -- 1\r\n"
        "\\echo -- e /* f\n/* 2 /* nested */ */ COPY t FROM stdin; -- 3\n-- g\n\\.\n--4"
    )
    assert [c.text for c in split(text).comments] == [
        "-- 1",
        "/* 2 /* nested */ */",
        "-- 3",
        "--4",
    ]
    check(text, split(text))


def test_backslash_commands_in_a_statement_are_blanked() -> None:
    text = "SELECT 1\n\\set x 'a;\\'b' \\echo é;\r\n + 2 \\p \\\\ + 3\\: x;"
    [chunk] = split(text).chunks
    assert chunk.span == Span(0, len(text) - 1)
    assert (
        chunk.text
        == "SELECT 1\n" + " " * len("\\set x 'a;\\'b' \\echo é;") + "\r\n + 2       + 3 : x"
    )
    check(text, split(text))


def test_copy_data_in_a_statement_are_blanked() -> None:
    text = "COPY t FROM stdin; SELECT\n1;'\n\\.\n2, '\n';"
    assert texts(text) == ["COPY t FROM stdin", "SELECT\n   \n  \n2, '\n'"]


def test_data_without_an_end_are_data_unless_statements_follow() -> None:
    assert texts("COPY t FROM stdin;\na;b\n'c\n") == ["COPY t FROM stdin"]
    assert texts("COPY t FROM stdin;\nSELECT 1;\n") == ["COPY t FROM stdin", "SELECT 1"]
    assert texts("COPY t FROM 'f';\nSELECT 1;\n\\.\n") == ["COPY t FROM 'f'", "SELECT 1"]
    assert texts("COPY (SELECT a FROM stdin) TO STDOUT;\nSELECT 1;\n\\.\n") == [
        "COPY (SELECT a FROM stdin) TO STDOUT",
        "SELECT 1",
    ]


def test_the_query_of_a_slash_copy_is_a_statement() -> None:
    text = "SELECT 1\n\\copy (SELECT a FROM t FOR UPDATE) to out.csv csv header;\n, 2;\n"
    outer, inner = split(text).chunks
    assert inner.span.start == text.index("copy")
    assert inner.text == "copy (SELECT a FROM t FOR UPDATE) to '_____' csv header"
    assert outer.text.split() == ["SELECT", "1", ",", "2"]
    assert texts("\\copy t to 'x'\n\\copy t from pstdin\nSELECT 1;") == ["SELECT 1"]
    assert texts("\\copy t from stdin\n;'\n\\.\nSELECT 1;") == ["SELECT 1"]


def test_every_branch_is_read_but_one_of_a_statement_s_parts() -> None:
    assert texts("\\if :a\nSELECT 1;\n\\elif :b\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\n") == [
        "SELECT 1",
        "SELECT 2",
        "SELECT 3",
    ]
    [chunk, after] = split(
        "SELECT 1\n\\if :a\n, (2)\n\\else\n, ((3)\n\\endif\nFOR UPDATE;\nCOMMIT;"
    ).chunks
    assert chunk.text.split() == ["SELECT", "1", ",", "(2)", "FOR", "UPDATE"]
    assert after.first_words == ("commit",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("BEGIN", ("begin",)),
        ("Start  Transaction\nREAD ONLY", ("start", "transaction", "read", "only")),
        ("COMMIT AND CHAIN", ("commit", "and", "chain")),
        (
            "CREATE /* a /* b */ */ OR -- c\n REPLACE FUNCTION f()",
            ("create", "or", "replace", "function"),
        ),
        ("( (SELECT 1) )", ("select",)),
        ("EXPLAIN (ANALYZE) SELECT 1", ("explain",)),
        ("select'x'", ("select",)),
        ('select U&"x"', ("select",)),
        ("VALUES (1)", ("values",)),
        ("ROLLBACK TO é$1", ("rollback", "to", "é$1")),
        ("'x'", ()),
        ("(/* never", ()),
    ],
)
def test_first_words(text: str, words: tuple[str, ...]) -> None:
    assert split(text).chunks[0].first_words == words


# Where psql would read the rest of the script as one statement.
BROKEN = {
    "quote": ("SELECT 'a;\nSELECT 2;\nSELECT 3", ["SELECT 'a", "SELECT 2", "SELECT 3"]),
    "escape string": ("SELECT E'a\\';\nSELECT 2;", ["SELECT E'a\\'", "SELECT 2"]),
    "name": ('SELECT "a;\nSELECT 2;', ['SELECT "a', "SELECT 2"]),
    "dollar quote": ("DO $$ BEGIN;\nSELECT 2;", ["DO $$ BEGIN", "SELECT 2"]),
    "comment": ("SELECT 1; /* a;\nSELECT 2;", ["SELECT 1", "/* a", "SELECT 2"]),
    "comment in a statement": ("SELECT 1 /* a;\nSELECT 2;", ["SELECT 1 /* a", "SELECT 2"]),
    "parenthesis": ("SELECT (1; -- b\nSELECT 2;", ["SELECT (1", "SELECT 2"]),
    "body": (
        "CREATE FUNCTION f() BEGIN ATOMIC SELECT 1;\nSELECT 2;",
        ["CREATE FUNCTION f() BEGIN ATOMIC SELECT 1", "SELECT 2"],
    ),
    "no semicolon ends a line": ("SELECT '1; 2\r\n\r\nSELECT 3", ["SELECT '1; 2", "SELECT 3"]),
    "nothing to cut at": ("SELECT '1; 2", ["SELECT '1; 2"]),
    "what was whole stays whole": (
        "SELECT (1, $$;\n$$ /* ;\n */ -- ;\n;\nSELECT 2;",
        ["SELECT (1, $$;\n$$", "SELECT 2"],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_statement_costs_itself_alone(name: str) -> None:
    text, expected = BROKEN[name]
    script = split("BEGIN;\n" + text)
    assert [c.text for c in script.chunks] == ["BEGIN", *expected]
    broken = [c.text for c in script.chunks if c.unterminated]
    assert broken == [expected[1 if name == "comment" else 0]]
    check("BEGIN;\n" + text, script)


def test_a_statement_joined_by_stray_quotes_is_cut() -> None:
    text = (
        "SELECT 0; -- a\nUPDATE t SET a = 'it's'; -- b\nSELECT 'b' FOR UPDATE; /* c */\n"
        "SELECT 'c's';\nSELECT 4; -- e\nSELECT 5;\n"
    )
    script = split(text)
    assert [c.text[:8] for c in script.chunks] == ["SELECT 0", "UPDATE t", "SELECT 4", "SELECT 5"]
    again = recut(text, script, 1)
    assert again is not None
    assert [c.text for c in again.chunks] == [
        *("SELECT 0", "UPDATE t SET a = 'it's'", "SELECT 'b' FOR UPDATE", "SELECT 'c's'"),
        *("SELECT 4", "SELECT 5"),
    ]
    assert [c.unterminated for c in again.chunks] == [False, True, False, True, False, False]
    assert [c.text for c in again.comments] == ["-- a", "-- b", "/* c */", "-- e"]
    assert again.chunks[4:] == script.chunks[2:]
    check(text, again)
    assert recut(text, again, 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT ';', 2",
        "DO $$ BEGIN\n a;\n END $$",
        "SELECT /* ;\n */ 1 -- ;\n + 2",
    ],
)
def test_a_statement_without_a_swallowed_semicolon_is_not_cut(text: str) -> None:
    assert recut(text + ";", split(text + ";"), 0) is None


def test_cutting_again_and_again_has_an_end() -> None:
    text = "SELECT 'it's' FOR UPDATE;\n" * 4000
    script: Script | None = split(text)
    began, index, cuts = time.process_time(), 0, 0
    while script is not None and index < len(script.chunks):
        again = recut(text, script, index)
        cuts += again is not None
        script, index = again or script, index + 1
    assert cuts > 10
    assert time.process_time() - began < 20


ENDLESS = [
    *(
        "(",
        ")",
        "'",
        '"',
        "/*",
        "*/",
        "$",
        "$a$",
        "a$",
        "$1",
        "\\",
        "\\a",
        "\\;",
        "E'\\",
        "e'",
        "--\n",
    ),
    *(
        ";",
        "(;\n",
        "';\n",
        "/* ;\n",
        "$a$;\n",
        "(/**/",
        "begin ",
        "select 1\n\n",
        "x \\a ",
        "\\if\n(",
    ),
    *("copy t from stdin;\n", "copy t from stdin;'\n\\.\n", "\\copy t from stdin\n", "\n", "a"),
    "create function f() begin ;\n",
]


HEADS = ["'", "/*", "(", "$x$", "create function f() begin "]
LINES = ["select 1;\n", "-- it's;\n", "$a$;\n", "/**/"]


@pytest.mark.parametrize(
    ("head", "piece"),
    [*(("", piece) for piece in ENDLESS), *((head, line) for head in HEADS for line in LINES)],
)
def test_time_grows_with_the_length_alone(head: str, piece: str) -> None:
    """Each takes well under a second; one that grew with the square would take minutes."""
    text = head + piece * (50_000 // len(piece))
    began = time.process_time()
    script = split(text)
    assert time.process_time() - began < 10
    check(text, script)


def test_distinct_dollar_quotes_that_never_end() -> None:
    began = time.process_time()
    assert len(split("".join(f"$a{i}$;\n" for i in range(20_000))).chunks) == 20_000
    assert time.process_time() - began < 15
