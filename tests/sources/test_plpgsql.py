"""Reading PL/pgSQL bodies: which SQL, with which role, in what order, and where in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pglast import parser

from pglint_locks.sources.plpgsql import (
    Body,
    BodyStatement,
    Follows,
    Role,
    body_script,
    follows,
    may_follow,
    read_body,
)
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.text import SourceText, Span


def read(text: str) -> Body:
    return read_body(SqlUnit.whole_file(SourceText("body", text)))


def found(text: str) -> list[str]:
    """Role and text of each statement, white space made one space."""
    return [
        f"{statement.role.name} {' '.join(statement.unit.text.split())}"
        for statement in read(text).statements
    ]


def named(text: str) -> dict[str, BodyStatement]:
    """The statements of a body by the table that each of them reads: `SELECT 1 FROM a`."""
    statements = read(text).statements
    return {statement.unit.text.split()[-1]: statement for statement in statements}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("SELECT a INTO x FROM t FOR UPDATE;", "STATEMENT SELECT a FROM t FOR UPDATE"),
        ("SELECT a FROM t FOR UPDATE INTO STRICT x, y.z;", "STATEMENT SELECT a FROM t FOR UPDATE"),
        ("SELECT INTO x a FROM t FOR UPDATE;", "STATEMENT SELECT a FROM t FOR UPDATE"),
        ("SELECT a, b INTO x, y FROM t;", "STATEMENT SELECT a, b FROM t"),
        (
            "INSERT INTO t VALUES (1) RETURNING id INTO x;",
            "STATEMENT INSERT INTO t VALUES (1) RETURNING id",
        ),
        (
            "WITH c AS (INSERT INTO t DEFAULT VALUES RETURNING a) SELECT a INTO x FROM c;",
            "STATEMENT WITH c AS (INSERT INTO t DEFAULT VALUES RETURNING a) SELECT a FROM c",
        ),
        (
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE;",
            "STATEMENT MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        ),
        ("PERFORM a FROM t FOR SHARE;", "PERFORM SELECT a FROM t FOR SHARE"),
        ("perform\n1;", "PERFORM SELECT 1"),
        ("FOR r IN SELECT 1 FOR UPDATE LOOP NULL; END LOOP;", "LOOP SELECT 1 FOR UPDATE"),
        ("FOR r IN (SELECT 1) LOOP END LOOP;", "LOOP (SELECT 1)"),
        (
            "FOR r IN UPDATE t SET a = 1 RETURNING a LOOP END LOOP;",
            "LOOP UPDATE t SET a = 1 RETURNING a",
        ),
        ("RETURN QUERY SELECT 1;", "RETURN_QUERY SELECT 1"),
        ("RETURN QUERY WITH a AS (SELECT 1) TABLE a;", "RETURN_QUERY WITH a AS (SELECT 1) TABLE a"),
        ("x := (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ("x[1] := (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ("r.f = (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ('"X" := a FROM t FOR UPDATE;', "EXPRESSION SELECT a FROM t FOR UPDATE"),
        ("open := (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ("RETURN (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ("RETURN NEXT (SELECT 1);", "EXPRESSION SELECT (SELECT 1)"),
        ("EXIT WHEN EXISTS (SELECT 1);", "EXPRESSION SELECT EXISTS (SELECT 1)"),
        ("ASSERT (SELECT true), 'no';", "EXPRESSION SELECT (SELECT true)"),
        ("RAISE NOTICE '% %', 1, (SELECT 2);", "EXPRESSION SELECT (SELECT 2)"),
        ("RAISE USING message = (SELECT 'x');", "EXPRESSION SELECT (SELECT 'x')"),
        ("IF EXISTS (SELECT 1) THEN END IF;", "EXPRESSION SELECT EXISTS (SELECT 1)"),
        ("WHILE EXISTS (SELECT 1) LOOP END LOOP;", "EXPRESSION SELECT EXISTS (SELECT 1)"),
        ("CASE (SELECT 1) WHEN 1 THEN NULL; END CASE;", "EXPRESSION SELECT (SELECT 1)"),
        ("FOREACH x IN ARRAY ARRAY(SELECT 1) LOOP END LOOP;", "EXPRESSION SELECT ARRAY(SELECT 1)"),
        ("FOR i IN 1..(SELECT 5) LOOP END LOOP;", "EXPRESSION SELECT (SELECT 5)"),
        ("OPEN c FOR SELECT 1;", "CURSOR SELECT 1"),
        ("OPEN c SCROLL FOR SELECT 1;", "CURSOR SELECT 1"),
        ("COMMIT;", "TRANSACTION COMMIT"),
        ("ROLLBACK AND CHAIN;", "TRANSACTION ROLLBACK AND CHAIN"),
        (
            "UPDATE t SET a = 1 WHERE CURRENT OF c;",
            "STATEMENT UPDATE t SET a = 1 WHERE CURRENT OF c",
        ),
        ("CREATE TABLE IF NOT EXISTS t (a int);", "STATEMENT CREATE TABLE IF NOT EXISTS t (a int)"),
        (
            "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b);",
            "STATEMENT CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)",
        ),
        ("CALL p((SELECT 1));", "STATEMENT CALL p((SELECT 1))"),
        (
            "SELECT CASE WHEN a THEN 1 ELSE 2 END\nFROM t;",
            "STATEMENT SELECT CASE WHEN a THEN 1 ELSE 2 END FROM t",
        ),
    ],
)
def test_each_command_gives_its_statement(command: str, expected: str) -> None:
    assert found(f"DECLARE x int; BEGIN {command} END") == [expected]
    statement = read(f"BEGIN {command} END").statements[0]
    assert isinstance(parse(statement.unit.text), Parsed)


@pytest.mark.parametrize(
    "command",
    [
        "x := 1;",
        "NULL;",
        "RETURN;",
        "RAISE EXCEPTION 'select 1 for update: %', a;",
        "GET STACKED DIAGNOSTICS x = MESSAGE_TEXT;",
        "FETCH NEXT FROM c INTO x;",
        "MOVE c; CLOSE c;",
        "FOR i IN REVERSE 10..1 BY 2 LOOP END LOOP;",
        "FOR r IN c LOOP END LOOP;",
        "FOR r IN c(1, a => 2) LOOP END LOOP;",
        "IF a IS DISTINCT FROM b THEN x := extract(day FROM d); END IF;",
        "OPEN c(1);",
        "<<outer>> LOOP EXIT outer; END LOOP outer;",
    ],
)
def test_commands_without_sql_give_nothing(command: str) -> None:
    assert found(f"BEGIN {command} END") == []


def test_declarations() -> None:
    body = read(
        """#variable_conflict use_column
        #print_strict_params on
        <<main>>
        DECLARE
            a CONSTANT int NOT NULL DEFAULT (SELECT 1);
            b t.c%TYPE := (SELECT 2);
            f text[] = ARRAY(SELECT 3);
            n ALIAS FOR $1;
            k NO SCROLL CURSOR (p int, q int) FOR SELECT 4 FOR UPDATE;
            s SCROLL CURSOR IS SELECT 5;
            u CURSOR FOR SELECT 6;
            select_ text; "BEGIN" int;
        BEGIN
            OPEN k(1, 2);
            FOR r IN u LOOP NULL; END LOOP;
        END main;"""
    )
    seen = [
        (statement.role.name, statement.unit.text, statement.scroll, statement.opened)
        for statement in body.statements
    ]
    assert seen == [
        ("EXPRESSION", "SELECT (SELECT 1)", None, True),
        ("EXPRESSION", "SELECT (SELECT 2)", None, True),
        ("EXPRESSION", "SELECT ARRAY(SELECT 3)", None, True),
        ("CURSOR", "SELECT 4 FOR UPDATE", False, True),
        ("CURSOR", "SELECT 5", True, False),
        ("CURSOR", "SELECT 6", None, True),
    ]


def test_a_whole_body_in_order() -> None:
    body = """
    BEGIN
        IF a THEN
            SELECT 1;
        ELSIF b THEN
            BEGIN
                SELECT 2;
            EXCEPTION
                WHEN unique_violation OR sqlstate '23503' THEN SELECT 3;
                WHEN OTHERS THEN RAISE;
            END;
        ELSE
            CASE x WHEN 1, 2 THEN SELECT 4; ELSE SELECT 5; END CASE;
        END IF;
        CASE WHEN a THEN SELECT 6; WHEN b THEN SELECT 7; END CASE;
        <<l>>
        FOR r IN SELECT 8 LOOP
            CONTINUE l WHEN r.a = 1; -- SELECT 'no' FOR UPDATE
            SELECT 9;
        END LOOP l;
        /* SELECT 0; */ SELECT 10;
    END;
    """
    assert [text.split()[-1] for text in found(body)] == [str(n) for n in range(1, 11)]
    assert [comment.text for comment in read(body).comments] == [
        "-- SELECT 'no' FOR UPDATE",
        "/* SELECT 0; */",
    ]


# --- broken bodies ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "texts"),
    [
        ("SELECT 'it's b' FOR UPDATE;\nSELECT 1;\nSELECT 'x' FOR UPDATE;", ["1", "UPDATE"]),
        ('SELECT "a FROM t;\nSELECT 1;\nSELECT 2;', ["1", "2"]),
        ("EXECUTE $q$ SELECT;\nSELECT 1;", ["1"]),
        ("SELECT (a FROM t;\nSELECT 1;", ["1"]),
        ("SELECT a) FROM t;\nSELECT 1;", ["1"]),
        ("/* never closed;\nSELECT 1;", ["1"]),
        ("SELECT FROM WHERE;\nSELECT 1;", ["1"]),
        ("SELECT 1\n", ["1"]),
        ("IF a THEN SELECT 1; SELECT 2;", ["1", "2"]),
        ("IF a SELECT 0;\nSELECT 1;", ["1"]),
        ("END IF; END LOOP; ELSE SELECT 1; WHEN x THEN SELECT 2;", ["1", "2"]),
        ("FOR r IN SELECT 1;\nSELECT 2;", ["1", "2"]),
        ("SELECT 1\nIF a THEN\nSELECT 2\nEND IF;\nSELECT 3;", ["1", "2", "3"]),
        ("SELECT 1\nx := 2;\nSELECT 3;", ["1", "3"]),
        ("SELECT FROM WHERE\nEND;\nSELECT 1;", ["1"]),
        ("PERFORM 1 FROM a\nWHERE b\nRETURN;\nSELECT 2;", ["b", "2"]),
        ("x := (SELECT 1)\nUPDATE t SET a = 2;\nSELECT 3;", ["1)", "2", "3"]),
        (") ] ;; << >> := .. SELECT 0;\nSELECT 1;", ["1"]),
    ],
)
def test_what_cannot_be_read_costs_itself_alone(broken: str, texts: list[str]) -> None:
    readable = [
        statement.unit.text.split()[-1]
        for statement in read(f"BEGIN\n{broken}\nEND;").statements
        if isinstance(parse(statement.unit.text), Parsed)
    ]
    assert readable == texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "BEGIN",
        "DECLARE",
        "DECLARE x",
        "FOR",
        "FOR x IN",
        "EXECUTE",
        "EXECUTE format(",
        "EXECUTE 'a' || ",
        "OPEN",
        "OPEN c FOR",
        "RETURN QUERY",
        "RETURN QUERY EXECUTE",
        "RAISE USING",
        "GET",
        "CASE",
        "END",
        "<<",
        "#",
        "x :=",
        "SELECT INTO",
        "SELECT a INTO STRICT",
        "PERFORM",
        "EXIT WHEN",
        "FOREACH x IN ARRAY",
    ],
)
def test_half_typed_bodies_are_read(text: str) -> None:
    for body in (text, f"BEGIN {text}", f"BEGIN {text};", f"DECLARE {text}; BEGIN {text} END"):
        read(body)


@settings(deadline=None)
@given(st.text(alphabet="BEGINDLARS:=;'\"$()[]. \n|/*-#<>x1"), st.data())
def test_nothing_makes_the_reader_fail(text: str, data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(_WORDS), max_size=40))
    read(text)
    read(" ".join(words))


_WORDS = """BEGIN END ; IF THEN ELSE ELSIF LOOP END_LOOP FOR r IN SELECT 1 FOR UPDATE := x DECLARE
EXCEPTION WHEN CASE RETURN QUERY EXECUTE format( 'a%I' ) || USING INTO $$ ' << >> .. ( [ ] , EXIT
PERFORM RAISE OPEN c CURSOR COMMIT = . E'\\ -- /* */ sql""".replace("END_LOOP", "END LOOP").split()


def test_size_is_no_trouble() -> None:
    deep = "BEGIN " * 20_000 + "SELECT 1; " + "END; " * 20_000
    assert len(read(deep).statements) == 1
    unit = SqlUnit.whole_file(SourceText("body", "BEGIN SELECT 1; IF a THEN " * 2_000))
    script = body_script(read_body(unit), unit)
    assert [script.later(index)[-1] for index in (0, 1000)] == [99, 1099]
    assert len(read("IF a THEN SELECT 1;\n" * 3_000).statements) == 3_000
    assert len(read("SELECT 1\nPERFORM 2\n" * 2_000).statements) > 1_000
    read("SELECT 'a;\n" * 5_001)
    read("SELECT $a$ b;\n" * 5_001)


# --- where in the file ------------------------------------------------------------


def test_places_across_line_ends_tabs_and_letters() -> None:
    text = "BEGIN\r\n\tIF x = 'äöü' THEN\r\n\t\tPERFORM größe FROM täfel FOR UPDATE;\r\n"
    text += "\tEND IF;\r\nEND"
    (statement,) = read(text).statements
    source = SourceText("body", text)
    where = statement.unit.text.index("FOR")
    span = statement.unit.map.file_span(Span(where, where + len("FOR UPDATE")))
    assert text[span.start : span.end] == "FOR UPDATE"
    assert (source.position(span.start).row, source.position(span.start).column) == (3, 28)


def test_the_word_that_asks_for_an_expression_stands_for_select() -> None:
    text = "BEGIN ELSE IF EXISTS (SELECT 1 FOR UPDATE) THEN x := (SELECT 2); END"
    spans = [
        statement.unit.map.file_span(Span(0, len("SELECT"))) for statement in read(text).statements
    ]
    assert [text[span.start : span.end] for span in spans] == ["IF", ":="]


_piece = st.sampled_from(
    [
        "SELECT a, 'ä''b' INTO x, y FROM t /* c */ WHERE b = $q$;$q$ FOR UPDATE;",
        "PERFORM\ta FROM t -- c;\n FOR SHARE;",
        'IF EXISTS (SELECT 1 FROM "ü;" FOR UPDATE) THEN',
        "ELSE",
        "END IF;",
        "FOR r IN SELECT '€' FOR UPDATE LOOP",
        "END LOOP;",
        "x := (SELECT E'\\'' FOR UPDATE);",
        "RETURN QUERY SELECT 1\r\nFOR NO KEY UPDATE;",
        "BEGIN",
        "EXCEPTION WHEN OTHERS THEN",
        "END;",
        "INSERT INTO t VALUES (1) RETURNING a INTO STRICT x;",
        "it's;\n",
        "OPEN c FOR SELECT 1 FOR UPDATE;",
    ]
)


@given(st.lists(_piece, max_size=12), st.sampled_from([" ", "\n", "\r\n", "\t"]))
@settings(max_examples=150, deadline=None)
def test_characters_lead_back_to_the_same_characters(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces)
    for statement in read(text).statements:
        lead = len("SELECT ") if statement.role in (Role.EXPRESSION, Role.PERFORM) else 0
        assert statement.unit.map.pieces[-1].unit.end == len(statement.unit.text)
        for offset in range(lead, len(statement.unit.text)):
            span = statement.unit.map.file_span(Span(offset, offset + 1))
            seen = statement.unit.text[offset]
            assert seen in (text[span.start : span.end], " ")


# --- against PostgreSQL's own reader ------------------------------------------------

_ORACLE_BODIES = [
    """DECLARE r record; c CURSOR FOR SELECT 1 FOR UPDATE; x int := (SELECT 2); y int;
    BEGIN
      PERFORM 1; SELECT 3 INTO r; SELECT 3, 4 INTO x, y; SELECT INTO x 5;
      FOR r IN SELECT * FROM t LOOP UPDATE t SET a = 1; END LOOP;
      IF EXISTS (SELECT 6) THEN x := (SELECT 7); ELSIF (SELECT true) THEN DELETE FROM t;
      ELSE INSERT INTO t VALUES (8) RETURNING a INTO x; END IF;
      RETURN (SELECT 9);
    END""",
    """<<o>> DECLARE i int; s refcursor; t text; a int[];
    BEGIN
      <<l>> FOR i IN 1..10 LOOP CONTINUE l WHEN EXISTS (SELECT 1); SELECT 2; END LOOP l;
      WHILE (SELECT true) LOOP EXIT; END LOOP;
      OPEN s FOR SELECT 3 FOR UPDATE; FETCH s INTO i; CLOSE s;
      CASE WHEN (SELECT true) THEN SELECT 4; ELSE SELECT 5; END CASE;
      BEGIN SELECT 6; EXCEPTION WHEN division_by_zero THEN SELECT 7; END;
      FOREACH i IN ARRAY ARRAY(SELECT 8) LOOP PERFORM 9; END LOOP;
      GET DIAGNOSTICS i = ROW_COUNT; RAISE NOTICE '%', (SELECT 10); ASSERT (SELECT true);
      WITH w AS (SELECT CASE WHEN true THEN 1 END AS c) SELECT c INTO i FROM w;
      RETURN 1;
    END o""",
]


def _queries(node: Any) -> list[str]:
    if isinstance(node, list):
        return [query for item in node for query in _queries(item)]
    if not isinstance(node, dict):
        return []
    if "PLpgSQL_expr" in node:
        return [node["PLpgSQL_expr"]["query"]]
    return [query for value in node.values() for query in _queries(value)]


def _compact(text: str) -> str:
    return " ".join(text.split()).removeprefix("SELECT ")


@pytest.mark.parametrize("body", _ORACLE_BODIES)
def test_the_statements_are_those_that_postgresql_reads(body: str) -> None:
    function = f"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $body${body}$body$"
    queries = _queries(json.loads(parser.parse_plpgsql_json(function)))
    commands = "SELECT INSERT UPDATE DELETE MERGE WITH VALUES".split()
    expected = sorted(
        _compact(query.split(":=")[-1])
        for query in queries
        if "(SELECT" in query or query.split()[0] in commands
    )
    assert sorted(_compact(statement.unit.text) for statement in read(body).statements) == expected


# --- what follows what --------------------------------------------------------------

N, M, A = Follows.NEVER, Follows.MAYBE, Follows.ALWAYS


@pytest.mark.parametrize(
    ("body", "forth", "back"),
    [
        ("SELECT a; SELECT b;", A, N),
        ("SELECT a; BEGIN SELECT b; END;", A, N),
        ("BEGIN SELECT a; END; SELECT b;", A, N),
        ("SELECT a; IF x THEN SELECT b; END IF;", M, N),
        ("IF x THEN SELECT a; END IF; SELECT b;", A, N),
        ("IF x THEN SELECT a; ELSE SELECT b; END IF;", N, N),
        ("IF x THEN SELECT a; ELSIF y THEN SELECT b; END IF;", N, N),
        ("CASE WHEN x THEN SELECT a; ELSE SELECT b; END CASE;", N, N),
        ("CASE x WHEN 1 THEN SELECT a; WHEN 2 THEN SELECT b; END CASE;", N, N),
        ("LOOP IF x THEN SELECT a; ELSE SELECT b; END IF; END LOOP;", M, M),
        ("LOOP SELECT a; SELECT b; END LOOP;", A, M),
        ("SELECT a; LOOP SELECT b; END LOOP;", A, N),
        ("SELECT a; WHILE x LOOP SELECT b; END LOOP;", M, N),
        ("FOR r IN SELECT a LOOP SELECT b; END LOOP;", A, N),
        ("SELECT a; FOR i IN 1..3 LOOP SELECT b; END LOOP;", M, N),
        ("BEGIN SELECT a; EXCEPTION WHEN OTHERS THEN SELECT b; END;", N, N),
        ("SELECT a; BEGIN NULL; EXCEPTION WHEN OTHERS THEN SELECT b; END;", M, N),
        ("BEGIN SELECT a; EXCEPTION WHEN OTHERS THEN NULL; END; SELECT b;", A, N),
        ("SELECT a; RETURN; SELECT b;", N, N),
        ("SELECT a; IF x THEN RETURN; END IF; SELECT b;", A, N),
        ("IF x THEN SELECT a; RETURN; END IF; SELECT b;", N, N),
        ("IF x THEN SELECT a; RAISE EXCEPTION 'x'; END IF; SELECT b;", N, N),
        ("IF x THEN SELECT a; RAISE NOTICE 'x'; END IF; SELECT b;", A, N),
        ("SELECT a; IF x THEN RETURN; ELSE RETURN; END IF; SELECT b;", N, N),
        ("SELECT a; BEGIN RETURN; END; SELECT b;", N, N),
        ("SELECT a; RETURN NEXT 1; SELECT b;", A, N),
        ("LOOP SELECT a; EXIT; SELECT b; END LOOP;", N, N),
        ("LOOP SELECT a; EXIT WHEN x; SELECT b; END LOOP;", A, M),
        ("LOOP IF x THEN SELECT a; EXIT; END IF; END LOOP; SELECT b;", A, N),
        ("LOOP IF x THEN SELECT a; CONTINUE; END IF; SELECT b; END LOOP;", M, M),
        ("LOOP IF x THEN SELECT a; EXIT; END IF; SELECT b; END LOOP;", N, M),
        ("<<o>> LOOP LOOP SELECT a; CONTINUE o; END LOOP; SELECT b; END LOOP;", M, M),
        ("<<o>> LOOP LOOP SELECT a; EXIT o; END LOOP; SELECT b; END LOOP;", N, M),
        ("SELECT a; COMMIT; SELECT b;", N, N),
        ("SELECT a; IF x THEN COMMIT; END IF; SELECT b;", A, N),
        ("IF x THEN SELECT a; COMMIT; END IF; SELECT b;", N, N),
        ("SELECT a; IF x THEN ROLLBACK; SELECT b; END IF;", N, N),
        ("LOOP SELECT a; SELECT b; COMMIT; END LOOP;", A, N),
        ("LOOP COMMIT; SELECT a; SELECT b; END LOOP;", A, N),
        ("IF x THEN NULL; ELSIF EXISTS (SELECT a) THEN SELECT b; END IF;", M, N),
        ("IF x THEN SELECT a; ELSIF EXISTS (SELECT 1 FROM b) THEN NULL; END IF;", N, N),
    ],
)
def test_what_follows_what(body: str, forth: Follows, back: Follows) -> None:
    by_name = {
        statement.unit.text.rstrip(")").split()[-1]: statement
        for statement in read(f"BEGIN {body} END").statements
    }
    a, b = by_name["a"], by_name["b"]
    assert (follows(a, b), follows(b, a)) == (forth, back)
    assert may_follow(a, b) == (forth is not N)


def test_a_statement_follows_itself_in_a_loop_only() -> None:
    plain, looped = read("BEGIN SELECT a; LOOP SELECT b; END LOOP; END").statements
    assert (follows(plain, plain), follows(looped, looped)) == (N, M)


def test_commit_and_chain_is_told() -> None:
    first, second = read("BEGIN COMMIT; COMMIT AND CHAIN; END").statements
    assert (first.chained, second.chained) == (False, True)


def test_a_body_as_one_script() -> None:
    text = """BEGIN
        PERFORM 1 FROM ä FOR UPDATE;
        EXECUTE 'DELETE FROM b; /* c */ DELETE FROM ''d''';
        IF x THEN COMMIT; ELSE x := (SELECT e); END IF;
        SELECT f;
    END"""
    unit = SqlUnit.whole_file(SourceText("body", text))
    script = body_script(read_body(unit), unit)
    assert [chunk.text for chunk in script.script.chunks] == [
        "SELECT  1 FROM ä FOR UPDATE",
        "DELETE FROM b",
        "DELETE FROM 'd'",
        "COMMIT",
        "SELECT (SELECT e)",
        "SELECT f",
    ]
    assert [comment.text for comment in script.script.comments] == ["/* c */"]
    for chunk in script.script.chunks:
        assert script.unit.text[chunk.span.start : chunk.span.end] == chunk.text
    places = [script.unit.map.file_span(chunk.span) for chunk in script.script.chunks]
    assert [text[place.start : place.end] for place in places] == [
        "PERFORM 1 FROM ä FOR UPDATE",
        "DELETE FROM b",
        "DELETE FROM ''d''",
        "COMMIT",
        ":= (SELECT e)",
        "SELECT f",
    ]
    assert script.later(0) == (1, 2, 3, 4, 5)
    assert script.later(1) == (2, 3, 4, 5)
    assert script.later(3) == (5,)
    assert script.later(4) == (5,)
    assert script.earlier(5) == (0, 1, 2, 3, 4)


def test_an_empty_body_is_an_empty_script() -> None:
    unit = SqlUnit.whole_file(SourceText("body", "BEGIN END"))
    assert body_script(read_body(unit), unit).unit.text == ""


def test_a_lock_behind_what_cannot_be_read_is_counted() -> None:
    text = "DECLARE a int; x\nBEGINx SELECT id INTO a FROM t FOR NO KEY UPDATE; END"
    [unread] = read(text).not_analysed
    assert (unread.reason, unread.span.start) == ("syntax error", text.index("FOR"))
    assert read(text.replace("x\nBEGINx", "\nBEGIN")).not_analysed == ()
    assert read("BEGIN FOR update IN 1..2 LOOP NULL; END LOOP; END").not_analysed == ()
