"""What EXECUTE runs: the text, the way back to the file, and what cannot be known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pglint_locks.sources.literals import literal_unit
from pglint_locks.sources.plpgsql import Body, BodyStatement, Filling, Role, read_body
from pglint_locks.sources.units import SqlUnit
from pglint_locks.sql.parse import Parsed, parse
from pglint_locks.text import Piece, SourceMap, SourceText, Span


def read(text: str) -> Body:
    return read_body(SqlUnit.whole_file(SourceText("body", text)))


def dynamic(text: str) -> list[BodyStatement]:
    return [statement for statement in read(text).statements if statement.role is Role.DYNAMIC]


def texts(text: str) -> list[str]:
    return [" ".join(statement.unit.text.split()) for statement in dynamic(text)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'SELECT 1 FOR UPDATE'", "SELECT 1 FOR UPDATE"),
        ("'SELECT ''a'' FOR UPDATE'", "SELECT 'a' FOR UPDATE"),
        (r"E'SELECT \'a\' \n\u00e9'", "SELECT 'a' é"),
        ("$q$SELECT 'a' FOR UPDATE$q$", "SELECT 'a' FOR UPDATE"),
        ("('SELECT 1')::text", "SELECT 1"),
        ("'SELECT '\n  '1'", "SELECT 1"),
        ("'SELECT 1 FROM ' || t || ' FOR UPDATE'", "SELECT 1 FROM _h FOR UPDATE"),
        ("'SELECT 1 FROM q_' || t || ' FOR UPDATE'", "SELECT 1 FROM q__h FOR UPDATE"),
        ("'SELECT 1 FROM ' || t::regclass || ', ' || u", "SELECT 1 FROM _h, _h2"),
        ("'SELECT 1 FROM ' || t || ', ' || t", "SELECT 1 FROM _h, _h"),
        ("'SELECT 1 FROM ' || quote_ident(t) || ' x'", "SELECT 1 FROM _h x"),
        ("'SELECT 1 WHERE a = ' || quote_literal(t)", "SELECT 1 WHERE a = '_h'"),
        ("'SELECT 1 WHERE a = ''' || t || ''''", "SELECT 1 WHERE a = '_h'"),
        ("'SELECT 1 WHERE a IN ' || list", "SELECT 1 WHERE a IN (_h)"),
        ("'SELECT 1 WHERE a = $' || n", "SELECT 1 WHERE a = $1"),
        ("'SELECT 1 FROM t x ' || w || ' FOR UPDATE'", "SELECT 1 FROM t x FOR UPDATE"),
        ("'SELECT ' || 5 || ' FROM t'", "SELECT 5 FROM t"),
        ("concat('SELECT ', a, ' FROM t')", "SELECT _h FROM t"),
        ("format('SELECT 1 FROM %I FOR UPDATE', t)", "SELECT 1 FROM _h FOR UPDATE"),
        ("pg_catalog.format('SELECT %% 1')", "SELECT % 1"),
        (
            "format('SELECT 1 FROM %I.%I WHERE a = %L', s, t, v)",
            "SELECT 1 FROM _h._h2 WHERE a = '_h3'",
        ),
        ("format('SELECT 1 FROM %1$I a, %1$I b, %2$s', t, u)", "SELECT 1 FROM _h a, _h b, _h2"),
        ("format('SELECT 1 FROM %2$I, %I', t, u, v)", "SELECT 1 FROM _h, _h2"),
        ("format('SELECT %-10s, %*s', a, 3, b)", "SELECT _h, _h2"),
        ("format('SELECT 1 FROM %I', 'jobs')", "SELECT 1 FROM jobs"),
        ("format('SELECT 1 FROM %I', 'My Jobs')", 'SELECT 1 FROM "My Jobs"'),
        ("format('SELECT %L', 'it''s')", "SELECT 'it''s'"),
        ("format('SELECT 1 %s', 'FOR UPDATE')", "SELECT 1 FOR UPDATE"),
        ("format($f$SELECT $$a$$ FROM %I$f$, t)", "SELECT $$a$$ FROM _h"),
        ("format('SELECT 1 FROM %I ' || 'FOR UPDATE', t)", "SELECT 1 FROM _h FOR UPDATE"),
        (
            "format('SELECT 1 FROM t %s FOR UPDATE LIMIT %s', w, n)",
            "SELECT 1 FROM t _h FOR UPDATE LIMIT _h2",
        ),
        (
            "'SELECT 1 FROM t' || CASE WHEN a || b THEN ' FOR UPDATE' ELSE '' END",
            "SELECT 1 FROM t FOR UPDATE",
        ),
        ("format('SELECT %s FROM t', CASE WHEN a THEN 'x' ELSE 'y' END)", "SELECT _h FROM t"),
    ],
)
def test_expressions(expression: str, expected: str) -> None:
    assert texts(f"BEGIN EXECUTE {expression}; END") == [expected]


@pytest.mark.parametrize(
    ("command", "runs_as", "target"),
    [
        ("EXECUTE 'SELECT 1';", Role.STATEMENT, None),
        ("EXECUTE 'SELECT 1' INTO STRICT x, y USING 1, (SELECT 2);", Role.STATEMENT, None),
        ("EXECUTE 'SELECT 1' USING 1 INTO x;", Role.STATEMENT, None),
        ("RETURN QUERY EXECUTE 'SELECT 1' USING 2;", Role.RETURN_QUERY, None),
        ("FOR r IN EXECUTE 'SELECT 1' USING 2 LOOP NULL; END LOOP;", Role.LOOP, "r"),
        ("OPEN c NO SCROLL FOR EXECUTE 'SELECT 1' USING 2;", Role.CURSOR, "c"),
    ],
)
def test_what_it_is_run_for(command: str, runs_as: Role, target: str | None) -> None:
    (statement,) = dynamic(f"BEGIN {command} END")
    assert (statement.unit.text, statement.runs_as, statement.target) == (
        "SELECT 1",
        runs_as,
        target,
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("DECLARE s text := 'SELECT 1'; BEGIN EXECUTE s; END", ["SELECT 1"]),
        ("DECLARE s CONSTANT text = 'SELECT 1'; BEGIN EXECUTE s; END", ["SELECT 1"]),
        ("BEGIN s := 'SELECT 1'; s := s || ' FROM t'; EXECUTE s; END", ["SELECT 1 FROM t"]),
        ("BEGIN s := 'SELECT 1'; EXECUTE s || ' FROM t'; END", ["SELECT 1 FROM t"]),
        ("BEGIN t := 'x'; s := format('SELECT 1 FROM %I', t); EXECUTE s; END", ["SELECT 1 FROM x"]),
        (
            "BEGIN s := 'SELECT 1'; EXECUTE s; s := 'SELECT 2'; EXECUTE s; END",
            ["SELECT 1", "SELECT 2"],
        ),
        (
            "BEGIN IF a THEN s := 'SELECT 1'; ELSE s := 'SELECT 2'; END IF; EXECUTE s; END",
            ["SELECT 1", "SELECT 2"],
        ),
        (
            "DECLARE s text := 'SELECT 1'; BEGIN IF a THEN s := 'SELECT 2'; END IF; EXECUTE s; END",
            ["SELECT 1", "SELECT 2"],
        ),
        ("BEGIN IF a THEN s := 'SELECT 1'; ELSE EXECUTE s; END IF; END", []),
        (
            "BEGIN s := 'SELECT 1 FROM t'; IF a THEN s := s || ' WHERE b'; END IF;"
            " s := s || ' FOR UPDATE'; EXECUTE s; END",
            ["SELECT 1 FROM t FOR UPDATE"],
        ),
        (
            "BEGIN s := 'SELECT 1 FROM t'; IF a THEN s := s || ' FOR UPDATE'; END IF;"
            " EXECUTE s; END",
            ["SELECT 1 FROM t FOR UPDATE"],
        ),
        (
            "BEGIN s := 'SELECT 1'; LOOP s := s || ', 2'; END LOOP; s := s || ' FROM t';"
            " EXECUTE s; END",
            ["SELECT 1 FROM t"],
        ),
        ("BEGIN LOOP s := 'SELECT 1'; EXECUTE s; s := s || ' x'; END LOOP; END", ["SELECT 1"]),
        ("BEGIN SELECT q INTO s FROM texts; EXECUTE s; END", []),
        ("BEGIN SELECT q INTO s FROM texts; s := 'SELECT 1'; EXECUTE s; END", ["SELECT 1"]),
        ("DECLARE s text; BEGIN EXECUTE s; END", []),
        ("BEGIN s := s || 'SELECT 1'; EXECUTE s; END", []),
    ],
)
def test_variables(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


def test_the_filling_of_a_gap_is_remembered() -> None:
    (statement,) = dynamic("BEGIN EXECUTE format('SELECT 1 FROM %I x %s FOR UPDATE', t, w); END")
    text = statement.unit.text
    seen = [(text[gap.span.start : gap.span.end], gap.filling, gap.opens) for gap in statement.gaps]
    assert seen == [("_h", Filling.IDENTIFIER, False), ("", Filling.NOTHING, True)]


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("EXECUTE replace('SELECT 1 FROM @ FOR UPDATE', '@', t);", ["spliced text"]),
        ("EXECUTE 'SELECT 1 FROM ' || f('x FOR UPDATE');", ["spliced text"]),
        ("s := 'SELECT 1 FROM t FOR UPDATE'; s := upper(s); EXECUTE s;", ["spliced text"]),
        ("EXECUTE q || ' FOR ' || 'UPDATE';", ["spliced text"]),
        ("EXECUTE format('SELECT 1 FROM t FOR %s', q);", ["spliced text"]),
        ("EXECUTE format('%s FOR %s', q, 'UPDATE');", ["spliced text"]),
        ("EXECUTE 'SELECT (((' || t || ' FOR UPDATE';", ["spliced text"]),
        ("RETURN 'SELECT 1 FROM t FOR UPDATE';", ["SQL text run elsewhere"]),
        (
            "PERFORM dblink_exec('SELECT 1 FROM t FOR UPDATE -- for share');",
            ["SQL text run elsewhere"],
        ),
        ("RAISE NOTICE 'SELECT 1 FROM t FOR UPDATE';", []),
        ("PERFORM log('waiting for update');", []),
        ("EXECUTE 'SELECT 1 FROM t FOR UPDATE';", []),
        ("EXECUTE replace('SELECT 1', '1', t);", []),
        ("EXECUTE f(t);", []),
    ],
)
def test_locks_in_text_that_is_not_known_are_named(body: str, reasons: list[str]) -> None:
    text = f"BEGIN {body} END"
    found = read(text).not_analysed
    assert [item.reason for item in found] == reasons
    assert all(text.startswith("FOR", item.span.start) for item in found)


def test_text_without_gaps_that_does_not_parse_is_left_to_the_parser() -> None:
    (statement,) = dynamic("BEGIN EXECUTE 'SELECT FROM WHERE FOR UPDATE'; END")
    assert not isinstance(parse(statement.unit.text), Parsed)


def test_doubling_text_ends() -> None:
    lines = "".join(f"v{n + 1} := v{n} || v{n};\n" for n in range(30))
    assert (
        len(dynamic(f"BEGIN v0 := 'SELECT 1;'; {lines} EXECUTE v30; EXECUTE 'SELECT 2'; END")) == 1
    )


# --- the way back -----------------------------------------------------------------


def place(text: str, words: str) -> str:
    """What stands in the file where the dynamic statement has those words."""
    (statement,) = dynamic(text)
    start = statement.unit.text.index(words)
    span = statement.unit.map.file_span(Span(start, start + len(words)))
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("body", "words", "expected"),
    [
        ("EXECUTE 'SELECT ''ä'' FOR UPDATE';", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE 'SELECT ''ä'' FOR UPDATE';", "'ä'", "''ä''"),
        (r"EXECUTE E'SELECT \'\U0001F600\'\r\n\tFOR UPDATE';", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE $q$SELECT\r\n\t1 FOR UPDATE$q$;", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE format('SELECT 1 FROM %2$I FOR UPDATE', a, b);", "_h", "%2$I"),
        ("EXECUTE format('SELECT %% 1 FOR UPDATE', a);", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE format('SELECT %% 1 FOR UPDATE', a);", "%", "%%"),
        ("EXECUTE 'SELECT 1 FROM ' || f(x) || ' FOR UPDATE';", "_h", "f(x)"),
        ("EXECUTE 'SELECT 1 FROM ' || f(x) || ' FOR UPDATE';", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE 'SELECT 1 FOR ' || /* c */ 'UPDATE';", "FOR UPDATE", "FOR ' || /* c */ 'UPDATE"),
        ("s := 'SELECT 1'; s := s || ' FOR UPDATE'; EXECUTE s;", "FOR UPDATE", "FOR UPDATE"),
        ("EXECUTE format('SELECT 1 %s', 'FOR UPDATE');", "FOR UPDATE", "FOR UPDATE"),
    ],
)
def test_places(body: str, words: str, expected: str) -> None:
    assert place(f"BEGIN {body} END", words) == expected


def test_places_through_nested_literals() -> None:
    file = "x AS 'BEGIN\r\n EXECUTE ''SELECT ''''ü'''' FOR UPDATE''; END'"
    source = SourceText("f", file)
    whole = SqlUnit.whole_file(source)
    body = literal_unit(whole, Span(file.index("'"), len(file)))
    (statement,) = read_body(body).statements
    assert statement.unit.text == "SELECT 'ü' FOR UPDATE"
    at = statement.unit.text.index("'ü'")
    span = statement.unit.map.file_span(Span(at, at + 3))
    assert file[span.start : span.end] == "''''ü''''"
    at = statement.unit.text.index("FOR")
    span = statement.unit.map.file_span(Span(at, at + len("FOR UPDATE")))
    assert file[span.start : span.end] == "FOR UPDATE"
    assert tuple(source.position(span.start)) == (2, 29)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("''", ""),
        ("'a''b'", "a'b"),
        ("n'a'", "a"),
        (r"E'\x41\101\u0042\U00000043\b\f\n\r\t\\\'\q'", "AABC\b\f\n\r\t\\'q"),
        (r"e'\ud83d\x0'", "\ufffd\ufffd"),
        (r"U&'d\0061t\+000061\\'", "data\\"),
        ("$$a'b$$", "a'b"),
        ("$q$ $$ $q$", " $$ "),
        ("'a' -- c'\n /* ' */ 'b'", "ab"),
        ("X'1F'", ""),
    ],
)
def test_literals(literal: str, value: str) -> None:
    assert (
        literal_unit(SqlUnit.whole_file(SourceText("f", literal)), Span(0, len(literal))).text
        == value
    )


@given(st.text(alphabet="a'ä\\\n€"), st.integers(1, 3))
def test_nested_quoting_is_undone_character_by_character(text: str, depth: int) -> None:
    file = text
    for _ in range(depth):
        file = "'" + file.replace("'", "''") + "'"
    unit = SqlUnit.whole_file(SourceText("f", file))
    for _ in range(depth):
        unit = literal_unit(unit, Span(0, len(unit.text)))
    assert unit.text == text
    for offset, character in enumerate(text):
        span = unit.map.file_span(Span(offset, offset + 1))
        expected = "'" * 2**depth if character == "'" else character
        assert file[span.start : span.end] == expected


# --- maps ---------------------------------------------------------------------------


def test_parts_and_compositions_of_maps() -> None:
    # The file `a''bcd` gives the unit `a'bcd`.
    outer = SourceMap(
        (
            Piece(Span(0, 1), Span(10, 11)),
            Piece(Span(1, 2), Span(11, 13)),
            Piece(Span(2, 5), Span(13, 16)),
        )
    )
    assert outer.part(Span(1, 4)).pieces == (
        Piece(Span(0, 1), Span(11, 13)),
        Piece(Span(1, 3), Span(13, 15)),
    )
    assert outer.part(Span(3, 3)).pieces == (Piece(Span(0, 0), Span(14, 14)),)
    inner = SourceMap(
        (
            Piece(Span(0, 3), Span(0, 3)),
            Piece(Span(3, 10), Span(1, 3)),
            Piece(Span(10, 12), Span(3, 5)),
        )
    )
    assert outer.composed(inner).pieces == (
        Piece(Span(0, 1), Span(10, 11)),
        Piece(Span(1, 2), Span(11, 13)),
        Piece(Span(2, 3), Span(13, 14)),
        Piece(Span(3, 10), Span(11, 14)),
        Piece(Span(10, 12), Span(14, 16)),
    )


_pieces = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=8)


def _map(lengths: list[tuple[int, int]]) -> SourceMap:
    pieces, unit, file = [], 0, 0
    for unit_length, file_length in lengths:
        pieces.append(Piece(Span(unit, unit + unit_length), Span(file, file + file_length)))
        unit, file = unit + unit_length, file + file_length
    return SourceMap(tuple(pieces))


@given(_pieces, st.data())
def test_a_part_maps_as_the_whole_does(lengths: list[tuple[int, int]], data: st.DataObject) -> None:
    # Substitutions of one character each, which cannot be cut.
    whole = _map([(n, n) if n == m else (1, m) for n, m in lengths])
    length = whole.pieces[-1].unit.end
    start = data.draw(st.integers(0, length - 1))
    end = data.draw(st.integers(start + 1, length))
    part = whole.part(Span(start, end))
    for offset in range(end - start):
        one = Span(offset, offset + 1)
        assert part.file_span(one) == whole.file_span(one.shifted(start))
        composed = whole.composed(SourceMap.identity(end - start, start))
        assert composed.file_span(one) == whole.file_span(one.shifted(start))


def test_a_text_of_many_parts_is_one_statement() -> None:
    columns = "".join(f" || ', a{index}'" for index in range(900))
    for expression in (f"'SELECT 1'{columns} || ' FROM t'", "(" * 150 + "'SELECT 1'" + ")" * 150):
        [statement] = read(f"BEGIN EXECUTE {expression}; END").statements
        assert statement.unit.text.startswith("SELECT 1")
