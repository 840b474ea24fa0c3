"""The splitter against psql itself: what reaches a live server is what we call a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pglast import parser

from pglint_locks.sql.split import split

if TYPE_CHECKING:
    from conftest import Server

_ENTRY = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ UTC \[\d+\] ([A-Z]+):  ", re.MULTILINE)
_LOGGED = re.compile(r"(?:statement|execute [^:]*): ")
_MARKER = "SELECT 'end of script'"
# What psql asks on its own account, or on behalf of \gexec.
_PSQLS_OWN = re.compile(r"format_type\(tp, tpm\)|from gexec'$")


@pytest.fixture(scope="module")
def psql(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Psql:
    """A psql whose statements can be read back from the server's log."""
    database = server.new_database()
    setup = f"""
        ALTER DATABASE {database} SET log_statement = 'all';
        ALTER DATABASE {database} SET client_min_messages = 'error';
        CREATE TABLE t (a text, b text);
    """
    assert server.psql(setup, "-q", database=database).returncode == 0
    return Psql(server, database, tmp_path_factory.mktemp("scripts"))


class Psql:
    def __init__(self, server: Server, database: str, folder: Path) -> None:
        self.server, self.database, self.folder = server, database, folder

    def sent(self, *scripts: str) -> list[list[str]]:
        """For each script the messages that psql sends, run as a file of its own."""
        commands = []
        for number, script in enumerate(scripts):
            path = self.folder / f"{number}.sql"
            path.write_bytes(script.encode())
            commands += [rf"\i {path}", _MARKER + ";"]
        before = self.server.log.stat().st_size
        self.server.psql("\n".join(commands), "-q", database=self.database)
        log = self.server.log.read_bytes()[before:].decode()
        return list(_by_script(_statements(log)))


def _statements(log: str) -> Iterator[str]:
    last = ""
    _, *entries = _ENTRY.split(log)
    for kind, message in zip(entries[::2], entries[1::2], strict=True):
        message = message.removesuffix("\n").replace("\n\t", "\n")
        logged = _LOGGED.match(message)
        if kind == "LOG" and logged:
            last = message[logged.end() :]
            yield last
        elif kind == "STATEMENT" and message != last:  # refused before it was logged
            last = message
            yield message


def _by_script(statements: Iterator[str]) -> Iterator[list[str]]:
    found: list[str] = []
    for statement in statements:
        if statement == _MARKER + ";":
            yield found
            found = []
        elif tokens(statement) and not _PSQLS_OWN.search(statement):
            found.append(statement)


def tokens(statement: str) -> list[str]:
    """The server's own tokens, without comments; what its scanner refuses, by white space."""
    try:
        scanned = parser.scan(statement)
    except parser.ParseError:
        return statement.rstrip("; \n").split()
    found: list[str] = []
    for token in scanned:
        text = statement[token.start : token.end + 1]
        is_comment = token.name in ("SQL_COMMENT", "C_COMMENT")
        if not (is_comment or (text == ";" and found[-1:] in ([], [";"]))):
            found.append(" ".join(text.split()))  # COPY data in a literal are blanked
    return found[:-1] if found[-1:] == [";"] else found


def assert_as_sent(script: str, messages: list[str]) -> None:
    r"""Each message is one chunk, or several that `\;` joined."""
    chunks = [tokens(chunk.text) for chunk in split(script).chunks]
    at = 0
    for message in messages:
        wanted = tokens(message)
        for behind in range(at + 1, len(chunks) + 1):
            joined = [token for chunk in chunks[at:behind] for token in (";", *chunk)][1:]
            if joined == wanted:
                break
        else:
            pytest.fail(f"sent: {message!r}\nnext chunks: {chunks[at : at + 4]}\nof: {script!r}")
        at = behind
    assert at == len(chunks), f"never sent: {chunks[at:]}\nof: {script!r}"


SCRIPTS = {
    "plain": "SELECT 1;SELECT 2 ;\n\nSELECT\n3\n;",
    "no semicolon at the end": "SELECT 1;\nSELECT 2",
    "nothing in it": "-- a comment\n;;\n/* another; */\n",
    "literals": (
        'SELECT \'a;\'\'b\'; SELECT E\'a\\\';b\'; SELECT "a;""b" FROM (SELECT 1 AS "a;""b") s;'
    ),
    "prefixed literals": "SELECT U&'\\0041;', N'n;', B'01', X'1f'; SELECT nullE';' ;SELECT 1;",
    "escape string": "SELECT E'\\\\'; SELECT E'\\\\\\';'; SELECT ' \\'; SELECT 2;",
    "continued escape string": "SELECT E'a\\''\n'b;c';\nSELECT 2;",
    "dollar quotes": "SELECT $$;'$$; SELECT $a$ ; $$ $b$ ; $a$; SELECT $é$;$é$; SELECT 1;",
    "dollars that quote nothing": (
        "SELECT 1 AS a$b$, 2 AS c$b$; SELECT $1$$;$$; SELECT 1$$;$$; SELECT 12$x$;$x$;"
        "SELECT 1a$x$;SELECT 2$x$;"
    ),
    "comments": (
        "SELECT 1 -- it's; a\n + 2; /* it's; /* nested; */ still; */ SELECT 3 /* ; */;"
        "SELECT 4 /*/ ; */; SELECT 5 */* ; */ 6; SELECT 7 +-- ;\n 8;"
    ),
    "parentheses": (
        "SELECT (1; 2); SELECT ')'; SELECT (')(' || \"a;\" ; $$($$); SELECT ); SELECT 1;"
    ),
    "routine with a body": """
        CREATE FUNCTION f1() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 1;
        create or replace procedure p1(a int) begin atomic insert into t values ('x;'); end;
        CREATE OR /* begin */ REPLACE FUNCTION f2(begin int) RETURNS int LANGUAGE sql
        BEGIN ATOMIC
          SELECT CASE WHEN $1 > 0 THEN CASE $1 WHEN 1 THEN 2 ELSE 3 END END;
          SELECT (CASE WHEN true THEN 1 END); -- end;
          SELECT 'end;' AS "end", 1 AS bend, 2 AS end1, 3 AS "begin";
        END;
        SELECT 3;""",
    "routine with a string": """
        CREATE FUNCTION g1() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; END $$;
        CREATE FUNCTION g2() RETURNS int LANGUAGE sql AS 'SELECT 1; SELECT 2';
        CREATE FUNCTION g3() RETURNS int LANGUAGE sql RETURN CASE WHEN true THEN 1 END;
        DO $do$ BEGIN PERFORM ';'; END; $do$; SELECT 1;""",
    "words that open nothing": (
        "BEGIN; SELECT CASE WHEN true THEN 1 END; END; CREATE TABLE begin (a int); "
        "CREATE VIEW case_view AS SELECT CASE WHEN true THEN 1 END; SELECT 1;"
    ),
    "rule": "CREATE RULE r AS ON INSERT TO t WHERE false DO ALSO (SELECT 1; SELECT 2); SELECT 3;",
    "copy": (
        "COPY t FROM stdin;\nit's;\t\"x\n$$\t/* ; '\n\\\\.\t\\\\\n\\.\nSELECT 1;\n"
        'copy t (a) from STDIN with (format csv); -- data follow\n\'"x;"\n\\.\r\n'
        "SELECT 'behind' ; COPY t TO stdout; COPY (SELECT a FROM t) TO STDOUT; SELECT 2;"
    ),
    "copy, and more on its line": (
        "COPY t FROM stdin; SELECT 1; SELECT\n'\t;\n\\.\n 2; COPY t(a) FROM stdin; COPY t(a) FROM "
        "stdin;\n;\n\\.\n'\n\\.\nSELECT 3;\n"
        "SELECT 4 \\; COPY t(a) FROM stdin \\; SELECT 5;\n(\n\\.\nSELECT 6;"
    ),
    "copy that goes with \\g": "COPY t FROM stdin \\g\n'\t\n\\.\nSELECT 1;",
    "copy to the end": "COPY t FROM stdin;\na\t'b\nc\td",
    "commands that send": (
        "SELECT 1 AS a \\g\nSELECT 2 AS a\\gset\nSELECT 3 AS a \\gset p_ \\\\ SELECT 4;\n"
        "SELECT 'SELECT ''from gexec''' \\gexec\nSELECT 5 \\gx (format=csv) /dev/null\n"
        "SELECT 6 \\g | cat > /dev/null \\\\ SELECT 7;\n"
        "SELECT 8 AS a, 9 AS b, 10 AS c \\crosstabview a b c\n"
        "SELECT 11 \\watch c=1 i=0\nSELECT (12 \\g\nSELECT 13;"
    ),
    "bound parameters": (
        "SELECT $1 \\bind 'it''s;' \\g\nSELECT $1, $2 \\bind 1 \";\" \\g\nSELECT 1;"
    ),
    "prepared": "SELECT $1 \\parse s1\n\\bind_named s1 7 \\g\n\\close_prepared s1\nSELECT 1;",
    "pipeline": (
        "\\startpipeline\nSELECT $1 \\bind 1 \\sendpipeline\nSELECT 2;\n\\endpipeline\nSELECT 3;"
    ),
    "joined": "SELECT 1 \\; SELECT 2\\;SELECT ';' ; SELECT 3 \\: :int \\;;SELECT 4;",
    "dropped": "SELECT 1 \\r\nSELECT 2;\nSELECT ( \\reset\nSELECT 3;",
    "commands between": (
        "\\echo it's; -- no comment /* either\nSELECT 1;\n\\set v 'a;''b\\'c' \\\\ SELECT 2;\n"
        "\\echo `echo ';'` \"x;\\\\\" \\echo y; \\\\ SELECT 3;\n\\x\\\\SELECT 4;\\x\n"
        "\\! true; \\\\ SELECT 0;\n\\pset format unaligned\n\\unset nothing;\n"
        "SELECT 5;\n\\.\nSELECT 6;"
    ),
    "commands in the middle": (
        "SELECT 1 \\echo x; y\n + 2\n\\set q '\n + 3\n\\p \\\\ + 4;\n"
        "SELECT 'a\n\\echo x\n', $$\\q\n$$, "
        '"\\q" FROM t; -- \\q\n/* \\q */ SELECT 5;'
    ),
    "wrong commands": (
        "SELECT 1\\g;\n + 2;\n\\\\ SELECT 3;\n\\gsetx SELECT 4;\nSELECT 5;\n"
        "\\'s; \\\\ SELECT 6;\nSELECT 7 \\gx(format=csv) \\\\ + 8;\n + 9;"
    ),
    "quit": "SELECT 1;\nSELECT 2 \\q",
    "conditions": (
        "\\if true\nSELECT 1;\n\\endif\nSELECT 2 \\if true\n, 3\n\\endif\n;\n"
        "SELECT 4\n\\if true\n, (5\n\\if true\n)\n\\else\n, '6;', (\n\\endif\n"
        "\\elif true\n(;\n\\else\n)\n\\endif\n, 7;\n\\if true\n\\endif\nSELECT 8;"
    ),
    "variables": (
        "SELECT :nope, :'nope', :\"nope\" , '::x', a::text FROM t; SELECT :e'a;', (ARRAY[1])[:1];"
    ),
    "line ends": (
        "SELECT 1 -- ;\r\n;\r\nSELECT 2 -- ;\r + 3;SELECT\f4\v;\r\n\\echo a;\r\nSELECT 5;\r\n"
    ),
    "beyond ASCII": "SELECT 'ä;' AS größe$ü$; SELECT 1 AS \"ß;\"; SELECT 2 AS 数$;$数;",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_chunks_are_what_psql_sends(psql: Psql, name: str) -> None:
    [messages] = psql.sent(SCRIPTS[name])
    assert_as_sent(SCRIPTS[name], messages)


def test_a_copy_of_psqls_own(psql: Psql) -> None:
    script = (
        "\\copy t from stdin\nit's;\t(\n\\.\nSELECT 1\n\\copy (SELECT a FROM t FOR UPDATE) to "
        "/dev/null with (format csv);\n\\COPY ( SELECT ')' , a FROM t ) TO 'x''y;' \\\\ SELECT 0;\n"
        ", 2;\n\\copy (SELECT 3) to program 'cat > /dev/null'\n\\copy (SELECT 4) to x\n"
    )
    [messages] = psql.sent(script)
    chunks = split(script).chunks
    to_psql = [
        re.sub(r"(?i) to (program )?'[^ ]*( > .*')?| to''", " TO STDOUT", c.text) for c in chunks
    ]
    in_order = [*to_psql[1:3], to_psql[0], *to_psql[3:]]  # sent before the statement they stand in
    assert messages[0] == "COPY  t FROM STDIN "
    assert [tokens(message.lower()) for message in messages[1:]] == [
        tokens(text.lower()) for text in in_order
    ]
    assert [c.text for c in chunks] == [
        "SELECT 1\n"
        + " " * len("\\copy (SELECT a FROM t FOR UPDATE) to /dev/null with (format csv);")
        + "\n"
        + " " * len("\\COPY ( SELECT ')' , a FROM t ) TO 'x''y;' \\\\ SELECT 0;")
        + "\n, 2",
        "copy (SELECT a FROM t FOR UPDATE) to '_______' with (format csv)",
        "COPY ( SELECT ')' , a FROM t ) TO 'x''y;' \\\\ SELECT 0",
        "copy (SELECT 3) to program 'cat > /dev/null'",
        "copy (SELECT 4) to''",
    ]


_EXPRESSIONS = [
    *("1", "'a;b'", "'it''s'", r"'\'", r"E'it\'s;\\'", "$$;'$$", "$a$ $$ ; ( $a$", "(1)", "(')')"),
    *(
        "U&';'",
        "N'('",
        "B'01'",
        "1 AS a$b$c",
        '1 AS "x;"',
        "(SELECT ';' LIMIT 1)",
        "a$b$:x",
        ":'x'",
    ),
    *("CASE WHEN true THEN 1 END", "1::text", "(ARRAY[1,2])[1:2]", ":nope", "$1", "'a'\n'b;'"),
    *("/* ; /* ' */ ( */ 1", "1 -- ; ' (\n", "1 /**/ + /*/ ; */ 2", "2 */*;*/ 3", "'ü;' AS ü$ü$"),
]
_STATEMENTS = [
    *("SELECT )", "select", "VALUES (1), (';')"),
    "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE 1 WHEN 1 THEN "
    "CASE WHEN true THEN 1 END END; END",
    "create or replace procedure p() begin atomic insert into t values (';', (case when true "
    "then 'end' end)); end",
    "CREATE OR REPLACE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN END; $f$",
    "CREATE TABLE IF NOT EXISTS begin (a int, b int DEFAULT (1))",
    "DO $x$ BEGIN PERFORM ';'; END $x$",
]
_COMMANDS = [
    *(
        r"\echo it is; ( \\",
        "\\echo 'a\\'b;' \"c\\\\\" `echo \\;`\n",
        "\\set v ';\n",
        "\\p\n",
        r"\x \\",
    ),
    *("\\nosuch ; ( '\n", "\\.\n", "\\if true\n\\endif\n", r"\: ", "\\! true ; '\n", "\\g;\n"),
]
_ENDS = [
    *(";", ";\n", " ; -- x;'\n", "\n\n;\n", r"\;", "\\g\n", "\\gx\n", r"\g \\", "\\gset\n"),
    *("\r\n;\r\n", ";\f\v", r"\gset q_ \\ ", "\\g (format=csv) /dev/null\n"),
]
# psql 18.6 sends nothing more for a while if an empty statement follows a COPY.
_EMPTY = [";", ";;\n", "/* ; */ ;", r"\;", "-- ; '\n;", "SELECT ( ; \\r\n"]
_COPIES = [
    f"SELECT 0; COPY t (a) FROM {way}{end}{data}"
    for way, data in (
        ("stdin", "\nit's; $$ /* (\n\\\\.\n\\.\n"),
        ("STDIN WITH (format csv)", "\r\n'\n\\.\r\n"),
    )
    for end in (";", "; -- '", r"\g", "; SELECT 0; -- x", "; SELECT '")
]
_COPIES = [copy + "';" if "; SELECT '" in copy else copy for copy in _COPIES]
_GAPS = ["", " ", "\n", "\r\n", " /* ; ' */ ", " -- ; '\n", "\t\f\v"]


def _selects() -> st.SearchStrategy[str]:
    parts = st.lists(st.sampled_from(_EXPRESSIONS), min_size=1, max_size=3)
    return parts.map(lambda expressions: "SELECT " + " , ".join(expressions))


def _script(others: list[str]) -> st.SearchStrategy[str]:
    """Statements, gaps, and what is given besides; the last one without a semicolon."""
    body = st.one_of(_selects(), _selects(), st.sampled_from(_STATEMENTS))
    # Without the comment in front psql would join the command's line to the one before, and
    # what follows on it would be part of that line's comment.
    command = st.sampled_from(_COMMANDS).map("/**/".__add__)
    middle = st.one_of(st.just(""), st.just(""), command)
    ended = st.tuples(body, st.sampled_from(_GAPS), middle, st.sampled_from(_ENDS)).map("".join)
    piece = st.one_of(*[ended] * 6, st.sampled_from(_GAPS), st.sampled_from(others))
    last = st.one_of(st.just(""), _selects())
    return st.builds(lambda pieces, end: "".join([*pieces, end]), st.lists(piece, max_size=8), last)


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # the message names the one script that fails
    suppress_health_check=list(HealthCheck),
)
@given(
    scripts=st.sampled_from([_EMPTY, _COPIES]).flatmap(
        lambda others: st.lists(_script(others), min_size=20, max_size=20)
    )
)
def test_chunks_of_any_script_are_what_psql_sends(psql: Psql, scripts: list[str]) -> None:
    sent = psql.sent(*scripts)
    assert len(sent) == len(scripts)
    for script, messages in zip(scripts, sent, strict=True):
        assert_as_sent(script, messages)
