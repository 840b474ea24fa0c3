"""SQL in application code: what is folded, counted, told apart and survived."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from pglint_locks.config import Settings
from pglint_locks.discovery import FoundFile
from pglint_locks.engine import lint_files, lint_text
from pglint_locks.findings import Finding, Severity
from pglint_locks.run import Run
from pglint_locks.sources.content import read_content
from pglint_locks.sources.kinds import KINDS, Look
from pglint_locks.sql.lockwords import has_folded_lock_words
from pglint_locks.text import SourceText

OFFSET = "SELECT id FROM jobs ORDER BY id OFFSET 1 FOR UPDATE"
CODE = [kind for kind in KINDS if kind.look is Look.FOLDED]


def run(text: str, name: str = "a.py") -> Run:
    made = lint_text(text, name, Settings())
    assert made.errors == ()
    return made


def texts(found: tuple[Finding, ...], code: str) -> list[str]:
    return [
        each.source.text[each.span.start : each.span.end]
        for each in found
        if each.rule.code == code
    ]


def reasons(made: Run) -> dict[str, int]:
    return dict(made.reasons)


# What is SQL


@pytest.mark.parametrize(
    "text",
    [
        'x = "select for update works"',
        'x = "Select rows from the queue for update, then work."',
        'x = "waiting for update of the row"',
        '"""Select id from jobs for update."""\nx = 1',
        'def f():\n    """Select id from jobs for update."""',
        'def test():\n    log.info("SELECT id FROM jobs FOR UPDATE")',
        'raise ValueError("select id from jobs for update")',
        'assert_called_with("SELECT id FROM jobs FOR UPDATE")',
        "# SELECT id FROM jobs FOR UPDATE",
        "for update in updates:\n    x = 'a'",
        'x = {"reason": "for update"}',
        'x = "for share holders"',
        'assert "FOR UPDATE SKIP LOCKED" in sql',
        'assert sql == "SELECT id FROM jobs FOR UPDATE"',
        'x = sql.endswith(" FOR UPDATE")',
        'log.info("taken: " + "SELECT id FROM jobs FOR UPDATE")',
    ],
)
def test_prose_is_neither_counted_nor_flagged(text: str) -> None:
    made = run(text)
    assert (made.clauses, made.findings) == (0, ())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.rs", '#[doc = "@"]\nfn f() {}'),
        ("a.rs", '#![doc = r"@"]\n#[deprecated(note = "@")]\nfn f() {}'),
        ("a.rs", '#[command(about = "@")]\nstruct A;'),
        ("A.java", '@Schema(description = "@")\nclass A { @DisplayName("@") void f() {} }'),
        ("A.cs", 'class A { [Obsolete("@")] void F() {}\n[Description("@")] void G() {} }'),
        ("a.php", '<?php\n#[Description("@")]\nfunction f() {}'),
        ("a.ts", '@ApiOperation({ summary: "@" })\nclass A {}\nconst f = { description: "@" };'),
        ("a.ex", 'defmodule A do\n  @doc "@"\n  @deprecated "@"\n  def f, do: 1\nend'),
        ("a.py", 'x = add(help="@")\ny = {"description": "@"}'),
    ],
)
def test_text_for_people_is_neither_counted_nor_flagged(name: str, code: str) -> None:
    made = run(_filled(code), name)
    assert (made.clauses, made.findings) == (0, ())


def _filled(code: str) -> str:
    return code.replace('"@"', f'"{OFFSET}"')


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A.java", 'interface A { @Query("@") void f(); @Query(value = "@", x = true) void g(); }'),
        ("a.rs", '#[sql(query = "@")]\nfn f() {}\nconst A: &str = "@";'),
        ("a.ts", 'const a = { text: "@" };\nconst b = { message: 1, sql: "@" };'),
    ],
)
def test_text_for_the_database_in_annotations_and_tables(name: str, code: str) -> None:
    made = run(_filled(code), name)
    assert (made.clauses, made.analysed) == (2, 2)


def test_a_column_may_have_the_name_of_an_article() -> None:
    assert run('execute("SELECT a FROM t WHERE id = 1 FOR UPDATE")').analysed == 1


def test_what_looks_like_sql_and_does_not_parse_is_counted() -> None:
    made = run('execute("SELECT id FROM jobs WHERE = 1 FOR UPDATE")')
    assert (made.clauses, reasons(made)) == (1, {"syntax error": 1})
    assert made.findings == ()


def test_a_clause_put_behind_an_unknown_query_is_counted() -> None:
    made = run('def lock(query):\n    return query + " FOR UPDATE SKIP LOCKED"')
    assert (made.clauses, reasons(made)) == (1, {"spliced text": 1})
    assert made.findings == ()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", 'def f(c, base):\n    c.execute(base + " FOR " + "UPDATE")'),
        ("a.py", 'def f(c, base):\n    c.execute(base + " FOR UP" "DATE")'),
        ("a.py", 'def f(c, mode):\n    c.execute(f"SELECT id FROM jobs WHERE a = 1 FOR {mode}")'),
        ("a.py", 'def f(c, base, mode):\n    c.execute(base + f" FOR {mode} SKIP LOCKED")'),
        ("a.py", 'def f(c, mode):\n    c.execute("SELECT id FROM jobs FOR %s" % mode)'),
        ("a.py", 'def f(c, base):\n    c.execute(base + " for update")'),
        ("a.py", 'def f(c, base):\n    c.execute(f"{base} for update")'),
        ("a.py", 'def f(c, base, of):\n    c.execute(f"{base} for update of {of} nowait")'),
        ("a.js", "const f = (base, of) => c.query(base + ' for update of ' + of);"),
        ("a.js", "const f = (base) => c.query(base + ' where id = 1 for update;');"),
        (
            "a.js",
            "const f = (base) => c.query(base + ' order by id limit 1 for update skip locked');",
        ),
        ("a.js", "const f = (base, on) => c.query(`${base} ${on ? ' for update' : ''}`);"),
        ("a.go", 'package p\nfunc f() {\n\tdb.Exec("SELECT id FROM jobs FOR " + mode)\n}'),
        ("a.php", "<?php\n$db->query('SELECT id FROM jobs FOR ' . $mode);"),
    ],
)
def test_lock_words_of_which_a_part_is_hidden_are_counted(name: str, code: str) -> None:
    made = run(code, name)
    assert (made.clauses, reasons(made), made.findings) == (1, {"spliced text": 1}, ())


@pytest.mark.parametrize(
    "code",
    [
        'def f(c):\n    c.execute("@ FOR UP" "DATE")',
        'def f(c):\n    mode = "UPDATE"\n    c.execute(f"@ FOR {mode}")',
        'def f(c):\n    c.execute("@ FOR %s" % "UPDATE")',
        'def f(c):\n    c.execute("@" + " FOR " + "UPDATE")',
    ],
)
def test_lock_words_in_parts_that_show_are_read(code: str) -> None:
    made = run(code.replace("@", "SELECT id FROM jobs ORDER BY id OFFSET 1"))
    assert texts(made.findings, "PGL102") == ["OFFSET 1"]


@pytest.mark.parametrize(
    "code",
    [
        'def f(name):\n    return f"waiting {name} for updates"',
        'def f(name):\n    return "FOR " + name',
        'def f(name):\n    return name + " is taken from the list, and waits for update"',
        'def f(c, x, n):\n    c.execute(f"SELECT substring(a FROM 1 FOR {n}) FROM jobs")',
        'def f(c, x, n):\n    c.execute(f"CREATE POLICY p ON jobs FOR {n} USING (true)")',
        'def f(what):\n    raise Error(f"no room FOR {what} SKIP LOCKED")',
    ],
)
def test_what_only_looks_like_a_hidden_lock_is_not_counted(code: str) -> None:
    made = run(code)
    assert (made.clauses, made.findings) == (0, ())


def test_a_clause_in_two_variants_is_counted_and_told_once() -> None:
    made = run(f'execute("{OFFSET}" + (" SKIP LOCKED" if skip else ""))')
    assert (made.clauses, made.analysed) == (1, 1)
    assert texts(made.findings, "PGL102") == ["OFFSET 1"]


def test_what_a_path_says_holds_for_what_cannot_be_read_too() -> None:
    made = run('class A { String f() { return q + " FOR UPDATE"; } }', "src/oracle/A.java")
    assert reasons(made) == {"another database's SQL": 1}


def test_another_databases_query_leaves_those_beside_it() -> None:
    made = run(f'a("SELECT `id` FROM `jobs` FOR UPDATE")\nb("{OFFSET}")')
    assert (made.clauses, reasons(made)) == (2, {"another database's SQL": 1})
    assert texts(made.findings, "PGL102") == ["OFFSET 1"]


def test_a_path_may_name_another_database() -> None:
    made = run(f'execute("{OFFSET}")', "mysql/a.py")
    assert (made.findings, reasons(made)) == ((), {"another database's SQL": 1})


# Places


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_positions_are_those_of_the_file(end: str) -> None:
    lines = ["\ufeffx = '😀'", "def f(c):", "\tc.run('''é\\t😀", f"\t{OFFSET}''')", ""]
    text = end.join(lines).replace("'''é\\t😀", "'''/* é\\t😀 */")
    [finding] = [each for each in run(text).findings if each.rule.code == "PGL102"]
    place = finding.source.position(finding.span.start)
    assert (place.row, place.column) == (4, 2 + OFFSET.index("OFFSET"))
    assert finding.unit == "f"


def test_units_are_qualified_names() -> None:
    text = f"""
Q = "{OFFSET}"
class A:
    class B:
        def f(self):
            run("{OFFSET}")
            def g():
                run("{OFFSET}")
run("{OFFSET}")
"""
    units = [each.unit for each in run(text).findings if each.rule.code == "PGL102"]
    assert units == [None, "A.B.f", "A.B.f > g", None]


def test_what_rests_on_a_possible_transaction_says_so_and_weighs_less() -> None:
    share, write = "SELECT * FROM t WHERE id = 1 FOR SHARE", "UPDATE t SET a = 1 WHERE id = 1"
    [script] = [
        each
        for each in lint_text(f"BEGIN;{share};{write};COMMIT;", "a.sql", Settings()).findings
        if each.rule.code == "PGL302"
    ]
    [host] = [
        each
        for each in run(f'def f(c):\n    c.run("{share}")\n    c.run("{write}")').findings
        if each.rule.code == "PGL302"
    ]
    assert (script.severity, host.severity) == (Severity.ERROR, Severity.WARNING)
    assert host.message == f"{script.message}, if these statements run in one transaction"


# The first look


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        (b'"SELECT 1 FOR " + "UPDATE"', True),
        (b"'FOR NO KEY ' 'UPDATE'", True),
        (b'f"... FOR {mode}"; mode = "SHARE"', True),
        (b"`${q} FOR UPDATE`", True),
        (rb'"SELECT 1\nFOR UPDATE"', True),
        (rb'"SELECT 1 FOR\nUPDATE"', True),
        (rb'"SELECT 1\tFOR " + "\nNO KEY UPDATE"', True),
        (b"for update in updates: pass", False),
        (b"for update, ok := range updates {}", False),
        (b"for x in y: print(\"waiting for 'x'\")", False),
        (b'x = "update"; for y in z: pass', False),
    ],
)
def test_first_look_at_code(text: bytes, reads: bool) -> None:
    assert has_folded_lock_words(text) is reads


def test_code_without_locks_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ast_grep_py", None)
    assert run("for update in updates:\n    run('SELECT 1')").clauses == 0


def test_without_the_parser_the_locks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ast_grep_py", None)
    made = run(f'for update in updates:\n    execute("{OFFSET}")')
    assert (made.clauses, reasons(made)) == (1, {"needs pglint-locks[code]": 1})
    assert made.findings == ()
    assert made.missing_extras == ("code",)


# What must not break it


@pytest.mark.parametrize("kind", CODE, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "text",
    [
        "",
        f'"{OFFSET}',
        f'x = f("{OFFSET}" + ',
        f"class {{ def fn func ((( '{OFFSET}' ",
        "(" * 30_000 + f'"{OFFSET}"',
        "x = " + " + ".join(f'"{OFFSET}"' for _ in range(2_000)),
        "if (a) {" * 3_000 + f'run("{OFFSET}")',
        "x = '''\"\"\"`" + OFFSET,
        f"\x01\x7f\u2028 \ud800 {OFFSET}",
        "x = f(" * 3_000 + f'"{OFFSET}"' + ")" * 3_000,
    ],
    ids=range(10),
)
def test_nothing_breaks_it(kind: object, text: str) -> None:
    name = f"a{kind.endings[0]}"  # type: ignore[attr-defined]
    started = time.process_time()
    read_content(SourceText(name, text))
    assert time.process_time() - started < 10


def test_a_minified_file_is_counted_not_read() -> None:
    started = time.process_time()
    made = run("f(a,b);" * 100_000 + f'q("{OFFSET}")', "a.js")
    assert time.process_time() - started < 10
    assert (made.clauses, reasons(made)) == (1, {"too large": 1})


def test_a_lock_behind_many_statements_is_read() -> None:
    made = run('run("SELECT 1 FROM t")\n' * 1_000 + f'run("{OFFSET}")')
    assert texts(made.findings, "PGL102") == ["OFFSET 1"]


@pytest.mark.parametrize("kind", CODE, ids=lambda kind: kind.name)
def test_every_prefix_of_a_file_is_read(kind: object) -> None:
    text = f'func f(a) {{\n x = "{OFFSET}" + a\n x += `q` if (y) {{ run(x, "a" % b) }} }}'
    for end in range(0, len(text), 3):
        read_content(SourceText(f"a{kind.endings[0]}", text[:end]))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "sql", ["SELECT id FROM a WHERE id > 1", "SELECT id FROM a", "SELECT * FROM a JOIN b ON true"]
)
def test_a_table_may_have_the_name_of_an_article(sql: str) -> None:
    made = run(f'def f(c):\n    c.execute("{sql} FOR UPDATE")')
    assert (made.clauses, made.analysed) == (1, 1)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.rb", 'Job.where("id IN (SELECT id FROM jobs LIMIT 10 FOR UPDATE SKIP LOCKED)")'),
        (
            "a.kt",
            'fun f() = buildString {\n  append(" WHERE id IN (SELECT id FROM j FOR SHARE)")\n}',
        ),
        ("a.kt", 'fun f() = buildString {\n  append("FOR UPDATE SKIP LOCKED")\n}'),
    ],
)
def test_a_clause_in_a_part_of_a_statement_is_counted(name: str, code: str) -> None:
    made = run(code, name)
    assert (made.clauses, reasons(made), made.findings) == (1, {"spliced text": 1}, ())


_SHARE, _WRITE = "SELECT * FROM jobs WHERE id = 1 FOR SHARE", "UPDATE jobs SET x = 1 WHERE id = 1"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "a.js",
            "it('a', async () => { await q('@1'); }); it('b', async () => { await q('@2'); });",
        ),
        ("a.js", "app.get('/a', (r) => q('@1')); app.post('/b', (r) => q('@2'));"),
        ("a.rb", "it 'a' do\n  q('@1')\nend\nit 'b' do\n  q('@2')\nend"),
        ("a.rb", "task :a do\n  q('@1')\nend\ntask :b do\n  q('@2')\nend"),
        ("a.ex", 'test "a" do\n  q("@1")\nend\ntest "b" do\n  q("@2")\nend'),
        ("a.kt", 'fun f() { on("a") { q("@1") }\n on("b") { q("@2") } }'),
        (
            "A.scala",
            'class A { "a" should "b" in {\n q("@1") }\n'
            ' it should "c" in withDb { db =>\n q("@2") }\n}',
        ),
        ("A.scala", 'class A { "a" - {\n q("@1") }\n "b" - { q("@2") } }'),
        ("A.scala", 'class A { "a" >> { q("@1") }\n "b" ! { q("@2") } }'),
        ("a.py", 'def f():\n    return {"a": "@1", "b": "@2"}'),
        ("a.py", 'QUERIES = ["@1", "@2"]'),
    ],
)
def test_what_runs_each_for_itself_is_no_transaction(name: str, code: str) -> None:
    made = run(code.replace("@1", _SHARE).replace("@2", _WRITE), name)
    assert texts(made.findings, "PGL302") == []
    assert made.clauses == made.analysed == 1


def test_what_stands_in_one_closure_may_be_one_transaction() -> None:
    made = run(f"it('a', async () => {{ await q('{_SHARE}'); await q('{_WRITE}'); }});", "a.js")
    assert texts(made.findings, "PGL302") == ["FOR SHARE"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", "def f(db):\n    return f\"n: {db.run('@')}\""),
        ("a.js", 'const f = (db) => `n: ${db.run("@")}`;'),
        ("a.js", 'const f = (db) => "n: " + db.run("@");'),
        ("a.py", 'def f(c):\n    c.execute("-- taken from the queue\\n@")'),
        ("a.py", 'def f(c):\n    c.execute("/* lock the next one */ @")'),
        ("a.py", 'def f(c):\n    c.execute("ALTER TABLE jobs ADD x int; @;")'),
        ("a.py", 'def f(c):\n    c.execute("begin; @; commit;")'),
    ],
)
def test_where_else_sql_stands(name: str, code: str) -> None:
    made = run(code.replace("@", OFFSET), name)
    assert texts(made.findings, "PGL102") == ["OFFSET 1"]


@pytest.mark.parametrize("end", ["FOR UPDATE SKIP LOCKED)", " FOR UPDATE) RETURNING id"])
def test_a_clause_before_a_closing_bracket_is_counted(end: str) -> None:
    made = run(f'def f(db, base):\n    return db.run(base + "{end}")')
    assert (made.clauses, reasons(made)) == (1, {"spliced text": 1})


# What is counted, for all that it cannot be read


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", 'def f(c):\n    c.execute("@\n    x = 1\n'),
        ("a.py", 'def f(c):\n    c.execute("""@\n    x = 1\n'),
        ("a.py", "def f(c):\n    c.execute(@)\n"),
        ("a.js", 'def f(c):\n    """Text."""\n    c.execute("""\n      @\n    """)\n'),
        ("a.go", "package p\nfunc f() {\n\tdb.Exec(`@\n}\n"),
        ("a.ts", "async function f(c) {\n  await c.query(`@\n}\n"),
        ("A.java", 'class A { void f() {\n  c.prepare("@);\n  }\n}\n'),
    ],
)
def test_code_that_does_not_parse_is_counted(name: str, code: str) -> None:
    made = run(code.replace("@", OFFSET), name)
    assert (made.clauses, reasons(made)) == (1, {"code that does not parse": 1})
    assert made.findings == ()


@pytest.mark.parametrize(
    "code",
    [
        'def f(c):\n    log.info("select a row for update")\n    c.execute(]\n',
        "def f(c:\n    # select id from jobs for update\n    return 1 for update in x\n",
        'def f(c):\n    """Select id from jobs for update."""\n    c.execute(]\n',
    ],
)
def test_prose_in_code_that_does_not_parse_is_not_counted(code: str) -> None:
    assert run(code).clauses == 0


def _parts(count: int) -> str:
    return "".join(f'    q += ", a{index}"\n' for index in range(count))


def test_a_text_of_many_parts_is_read() -> None:
    end = "FROM jobs ORDER BY id OFFSET 1 FOR UPDATE"
    for code in (
        f'def f(c):\n    q = "SELECT id"\n{_parts(450)}    q += " {end}"\n    c.execute(q)\n',
        f'def f(c):\n    c.execute("SELECT id"\n{_parts(900)}    " {end}")\n'.replace("q += ", ""),
        "def f(c):\n    c.execute(" + "(" * 150 + f'"SELECT id {end}"' + ")" * 150 + ")\n",
    ):
        assert texts(run(code).findings, "PGL102") == ["OFFSET 1"]


def test_a_text_of_too_many_parts_is_counted() -> None:
    end = "FROM jobs ORDER BY id OFFSET 1 FOR UPDATE"
    code = f'def f(c):\n    c.execute("SELECT id"\n{_parts(2500)}    " {end}")\n'
    made = run(code.replace("q += ", ""))
    assert (made.clauses, reasons(made)) == (1, {"too many parts": 1})
    code = f'def f(c):\n    q = "SELECT id"\n{_parts(600)}    q += " {end}"\n    c.execute(q)\n'
    assert (run(code).clauses, run(code).analysed) == (1, 0)


def test_a_statement_that_is_too_large_is_said_to_be_so() -> None:
    columns = "1, " * 70_000
    code = f'def f(c, t):\n    c.execute(f"SELECT {columns} id FROM {{t}} FOR UPDATE")\n'
    assert reasons(run(code)) == {"too large": 1}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_code_in_another_encoding_is_named(encoding: str, tmp_path: Path) -> None:
    for text, expected in ((f'c.execute("{OFFSET}")\n', 1), ("x = 1  # nothing is locked\n", 0)):
        path = tmp_path / "a.py"
        path.write_bytes(text.encode(encoding))
        made = lint_files([FoundFile(path, "a.py")], lambda _: Settings())
        assert len(made.errors) == expected
        assert all("convert it to UTF-8" in error.message for error in made.errors)
