"""Texts that host code puts together, in the ways of each language."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text

_HEAD, _TAIL = "SELECT id FROM jobs", "ORDER BY id OFFSET 1 FOR UPDATE"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A.cs", 'b.Append("@1 WHERE a = ");\nb.AppendParameter(a);\nb.Append(" @2");\nf(b);'),
        ("A.cs", 'var b = new StringBuilder();\nb.AppendLine("@1");\nb.AppendLine("@2");\nf(b);'),
        (
            "A.cs",
            'var b = new StringBuilder("@1 ");\nb.AppendFormat("{0} ", t).Append("@2");\nf(b);',
        ),
        (
            "a.kt",
            'val b = StringBuilder()\nb.appendLine("@1")\nb.appendLine("@2")\nf(b.toString())',
        ),
        ("a.kt", 'val q = buildString {\n  appendLine("@1")\n  append("@2")\n}\nf(q)'),
        (
            "a.kt",
            'val q = buildString {\n  append("@1 ")\n  if (a) append(" AND b")\n  append("@2")\n}',
        ),
        ("a.go", 'b.WriteString("@1 ")\nfmt.Fprintf(&b, "WHERE a = %d ", 1)\nfmt.Fprint(&b, "@2")'),
        ("a.go", 'fmt.Fprintln(&b, "@1")\nfmt.Fprintln(&b, "@2")\ndb.Exec(b.String())'),
        (
            "a.rs",
            'let mut s = String::from("@1 ");\nwrite!(s, "WHERE a = {} ", 1)?;\n'
            'write!(&mut s, "@2")?;',
        ),
        ("a.rs", 'let mut s = String::from("@1");\nwriteln!(s)?;\nwriteln!(s, "@2")?;\nf(&s);'),
        (
            "a.rs",
            'let mut b = QueryBuilder::new("@1 WHERE a = ");\nb.push_bind(1);\n'
            'b.push(" AND b = ").push_bind(2).push(" @2");',
        ),
        ("a.rs", 'f(&format!("@1 {TAIL}"));\n}\nconst TAIL: &str = "@2";\nfn g() {'),
        (
            "a.rs",
            'f(&format!("{} @2", A::SQL));\n}\nimpl A {\n  const SQL: &str = "@1";\n}\nfn g() {',
        ),
        (
            "a.rs",
            '}\nimpl A {\n  const SQL: &str = "@1";\n'
            '  fn h(&self) { f(&format!("{} {}", Self::SQL, "@2")); }\n}\nfn g() {',
        ),
        ("a.php", "$this->q(self::SQL . ' @2');\n}\nconst SQL = '@1';\nfunction g() {"),
        ("a.php", "$q = strtr('@1 WHERE $T @2', ['$T' => $t]);"),
        ("a.rb", 'db.exec(SQL % { a: x })\nend\nSQL = "@1 WHERE a = %{a} @2"\ndef g'),
        ("a.py", 'b = StringIO()\n    b.write("@1 ")\n    b.write("@2")\n    f(b.getvalue())'),
        ("a.py", 'p = ["@1"]\n    p.extend(["WHERE a", "@2"])\n    f(" ".join(p))'),
        ("a.py", 'p = ["@1"]\n    p += ["WHERE a", "@2"]\n    f(" ".join(p))'),
        ("a.py", 'f(Template("@1 WHERE $T @2").substitute(T=t))'),
        (
            "a.ts",
            'const p: string[] = [];\np.push("@1", "WHERE a");\np.push("@2");\nf(p.join(" "));',
        ),
        ("a.ts", 'f(this.head + " @2"); }\n  private readonly head = "@1";\n  g() {'),
        ("A.java", 'var p = List.of("@1", "@2");\nf(String.join(" ", p));'),
        ("A.java", 'f(String.join(" ", List.of("@1", "WHERE a", "@2")));'),
        ("A.java", 'w = new PrintWriter(s);\nw.println("@1");\nw.println("@2");\nf(w.toString());'),
        ("A.java", 'writer.println("@1 @2;");'),
        ("a.ex", 'Repo.query(["@1 ", "@2"])'),
        ("a.ex", 'sql = ["@1", where, " @2"]\n    Repo.query(sql)'),
        ("a.ex", 'Repo.query(["@1 " | ["@2"]])'),
        ("A.scala", 'val b = new StringBuilder\nb ++= "@1 "\nb ++= "@2"\nf(b.toString)'),
        ("A.scala", 'f(fr"@1" ++ fr"@2")'),
        ("A.scala", 'f(sql"@1 WHERE #$cond @2")'),
    ],
)
def test_texts_put_together(name: str, code: str) -> None:
    run = lint_text(_function(name, code), name, Settings())
    assert [finding.rule.code for finding in run.findings if finding.rule.code != "PGL603"] == [
        "PGL102"
    ]
    assert (run.clauses, run.analysed) == (1, 1)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A.java", 'System.out.println("@1 @2");'),
        ("A.cs", 'Console.WriteLine("@1 @2");'),
        ("a.rs", 'println!("@1 @2");'),
        ("a.py", 'print("@1 @2")'),
    ],
)
def test_what_is_printed_is_for_people(name: str, code: str) -> None:
    run = lint_text(_function(name, code), name, Settings())
    assert (run.clauses, run.findings) == (0, ())


def test_a_list_of_statements_is_not_one_text() -> None:
    code = f'@all ["{_HEAD} {_TAIL}", "SELECT id FROM jobs"]\nrun(@all)\n'
    run = lint_text(f"defmodule A do\n  {code}end\n", "a.ex", Settings())
    assert (run.clauses, run.analysed) == (1, 1)


def _function(name: str, code: str) -> str:
    code = code.replace("@1", _HEAD).replace("@2", _TAIL)
    ending = name.rpartition(".")[2]
    head, end = {
        "cs": ("class A { void F() {\n", "\n} }"),
        "java": ("class A { void f() {\n", "\n} }"),
        "ts": ("class A { f() {\n", "\n} }"),
        "php": ("<?php class A { function f() {\n", "\n} }"),
        "kt": ("fun f() {\n", "\n}"),
        "go": ("package p\nfunc f() {\n", "\n}"),
        "rs": ("fn f() {\n", "\n}"),
        "rb": ("class A\ndef f(db)\n", "\nend\nend"),
        "py": ("def f(t):\n    ", "\n"),
        "ex": ("defmodule A do\n  def f(c) do\n    ", "\n  end\nend"),
        "scala": ("class A { def f() = {\n", "\n} }"),
    }[ending]
    return head + code + end


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "a.rb",
            "db.exec(<<~SQL)\n  DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT #{SIZE} "
            "FOR UPDATE)\nSQL\nend\nSIZE = 1_000\ndef g(db)",
        ),
        ("a.rb", 'db.exec("DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT #{5} FOR UPDATE)")'),
        (
            "a.py",
            'f("DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT " + str(5) + " FOR UPDATE)")',
        ),
        ("a.py", 'f("DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT %s FOR UPDATE)" % 5)'),
    ],
)
def test_a_number_that_shows_is_said_as_it_is(name: str, code: str) -> None:
    run = lint_text(_function(name, code), name, Settings())
    [message] = [each.message for each in run.findings if each.rule.code == "PGL101"]
    number = "1000" if "1_000" in code else "5"
    assert message.startswith(f"LIMIT {number} does not bound")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        # What a function of the file returns
        (
            "a.js",
            "const tail = (t) => `WHERE ${t} = 1 @2`;\nconst f = (db) => db.q(`@1 ${tail('a')}`);",
        ),
        ("a.js", "function tail() { return '@2'; }\nfunction f(db) { db.q('@1 ' + tail()); }"),
        (
            "a.ts",
            "class A { private tail(): string { return `@2`; }\n"
            "  f(db) { db.q(`@1 ${this.tail()}`); } }",
        ),
        ("a.py", "def tail():\n    return '@2'\ndef f(db):\n    db.q(f'@1 {tail()}')"),
        # Choices with parts that are hidden, and more of them than can be tried
        ("a.js", "f(`@1 ${a ? '' : b ? `WHERE ${x} = 1` : `WHERE ${y} = 2`} @2`);"),
        ("a.js", "const l = a ? '' : '@2';\nf(`@1 WHERE a ${b ? '= 1' : '= 2'} ${l}`);"),
        (
            "a.js",
            "const w = ['a', b ? 'b' : ''].filter(Boolean).join(' AND ');\nf(`@1 WHERE ${w} @2`);",
        ),
        ("a.py", "c.q('@1 WHERE a %s' % ('@2' if lock else ''))"),
        ("a.py", "c.q('@1 WHERE {a} {b}'.format(a=x, b='@2' if lock else ''))"),
        (
            "a.go",
            'package p\nfunc f() { db.Query(fmt.Sprintf("@1 WHERE a = %s %s", x, tail(b))) }\n'
            'func tail(b bool) string {\n\tif b {\n\t\treturn ""\n\t}\n\treturn "@2"\n}',
        ),
        # A name that is set to one of the same name
        (
            "a.py",
            "class A:\n    def __init__(self, size):\n        self.size = size\n"
            "    def f(self, c):\n        c.q('@1 WHERE a = {size} @2'.format(size=self.size))",
        ),
        # Numbers of parameters
        ("a.js", "f(`@1 WHERE a = $${i}::text AND b = any($${j}) AND c = $${k} @2`);"),
        ("a.go", 'package p\nfunc f() { q(fmt.Sprintf("@1 WHERE a = $%d AND b = $%d @2", i, j)) }'),
    ],
)
def test_parts_that_show_in_functions_and_choices(name: str, code: str) -> None:
    run = lint_text(code.replace("@1", _HEAD).replace("@2", _TAIL), name, Settings())
    assert "PGL102" in [finding.rule.code for finding in run.findings]
    assert (run.clauses, run.analysed) == (1, 1)


def test_a_hole_before_a_query_is_the_word_that_keeps_it_apart() -> None:
    code = (
        'db.exec("SELECT * FROM jobs WHERE id IN (WITH rows AS #{fence} (SELECT id FROM jobs '
        'WHERE a = 1 ORDER BY b) SELECT id FROM rows WHERE pg_try_advisory_lock(id) LIMIT 2)")'
    )
    assert [each.rule.code for each in lint_text(code, "a.rb", Settings()).findings] == []
    code = code.replace("#{fence}", "")
    assert [each.rule.code for each in lint_text(code, "a.rb", Settings()).findings] == ["PGL107"]


def test_a_name_in_a_routine_that_code_makes_is_shown_as_it_is_put_in() -> None:
    code = (
        'class A { void F() { db.Run(string.Format(@"CREATE FUNCTION f() RETURNS void LANGUAGE '
        'plpgsql AS $$ BEGIN PERFORM id FROM {0}.jobs ORDER BY id OFFSET 1 FOR UPDATE; END $$", '
        "schema)); } }"
    )
    run = lint_text(code, "A.cs", Settings())
    [message] = [each.message for each in run.findings if each.rule.code == "PGL102"]
    assert "the rows of {schema}.jobs" in message
