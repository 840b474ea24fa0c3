"""Which of the twins of a query in host code are another database's."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text

_QUERY = "SELECT id FROM jobs WHERE state = 1 FOR UPDATE"


@pytest.mark.parametrize(
    ("name", "code", "ours"),
    [
        ("constants.py", 'MYSQL_CLAIM = "@"\nCLAIM = "@"\nSQLITE_CLAIM = "@"\n', [2]),
        (
            "table.py",
            'Q = {\n    "mysql": "@",\n    "postgresql": "@",\n    "other": "@",\n}\n',
            [3, 4],
        ),
        (
            "classes.py",
            'class MySQLQueue:\n    def f(self, c):\n        c.execute("@")\n\n\n'
            'class PostgresQueue:\n    def f(self, c):\n        c.execute("@")\n',
            [8],
        ),
        (
            "branches.py",
            'def f(c):\n    if c.vendor == "mysql":\n        c.execute("@")\n    else:\n'
            '        c.execute("@")\n    if c.vendor != "mysql":\n        c.execute("@")\n'
            '    if c.vendor == "postgresql":\n        c.execute("@")\n    else:\n'
            '        c.execute("@")\n',
            [5, 7, 9],
        ),
        (
            "choice.py",
            'def f(c, mysql):\n    c.execute(\n        "@"\n        if mysql\n'
            '        else "@"\n    )\n',
            [5],
        ),
        (
            "switch.go",
            "package p\n\nfunc f(d string) string {\n\tswitch d {\n"
            '\tcase "mysql":\n\t\treturn "@"\n'
            '\tcase "postgres":\n\t\treturn "@"\n\t}\n\treturn "@"\n}\n',
            [8, 10],
        ),
        ("receiver.go", 'package p\n\nfunc (s *mysqlStore) f() {\n\ts.db.Exec("@")\n}\n', []),
        (
            "object.ts",
            "const q = {\n  mysql: `@`,\n  pg: `@`,\n};\nfunction f(isMySQL) {\n  return isMySQL\n"
            '    ? "@"\n    : "@";\n}\n',
            [3, 8],
        ),
        (
            "Dialects.java",
            "class A {\n  String f() {\n    if (d instanceof MySQLDialect) {\n"
            '      return "@";\n    } else if (d instanceof OracleDialect) {\n      return "@";\n'
            '    }\n    return "@";\n  }\n}\n',
            [8],
        ),
        (
            "case.rb",
            "def f(c)\n  case adapter\n  when :mysql2, :sqlite3\n    c.exec('@')\n"
            "  when /postg/\n    c.exec('@')\n  end\n  if mysql?\n    c.exec('@')\n  else\n"
            "    c.exec('@')\n  end\nend\n",
            [6, 11],
        ),
        (
            "arms.rs",
            'fn f(db: Db) -> &str {\n    match db {\n        Db::MySql => "@",\n'
            '        Db::Postgres => "@",\n        _ => "@",\n    }\n}\n',
            [4, 5],
        ),
        (
            "Switch.cs",
            'class A {\n  string F() => isSqlServer\n    ? "@"\n    : "@";\n  string G() {\n'
            '    return db switch {\n      Db.MySql => "@",\n      _ => "@",\n    };\n  }\n}\n',
            [4, 8],
        ),
        (
            "platforms.php",
            "<?php\nfunction f($c) {\n  if ($p instanceof MySQLPlatform) {\n    $c->query('@');\n"
            "  } elseif ($p instanceof SqlitePlatform) {\n    $c->query('@');\n  } else {\n"
            "    $c->query('@');\n  }\n}\n",
            [8],
        ),
        (
            "when.kt",
            'fun f(d: D) = when (d) {\n    D.MYSQL -> "@"\n    else -> "@"\n}\n',
            [3],
        ),
        (
            "switch.go",
            "package p\n\nfunc f(d Dialect) string {\n\tswitch d {\n\tcase DialectOracle:\n"
            '\t\treturn "@"\n\tcase DialectH2:\n\t\treturn "@"\n\tcase Oracle:\n\t\treturn "@"\n'
            '\tdefault:\n\t\treturn "@"\n\t}\n}\n',
            [12],
        ),
        (
            "Switch.java",
            'class A {\n  String f(String d) {\n    switch (d) {\n      case "oracle":\n'
            '        return "@";\n      case "h2":\n        return "@";\n      default:\n'
            '        return "@";\n    }\n  }\n  String g(D d) {\n    return switch (d) {\n'
            '      case ORACLE -> "@";\n      default -> "@";\n    };\n  }\n}\n',
            [9, 15],
        ),
        (
            "condition.py",
            'def f(c, dialect):\n    if dialect == "oracle":\n        c.execute("@")\n'
            '    elif oracle:\n        c.execute("@")\n    else:\n        c.execute("@")\n',
            [7],
        ),
        (
            "rows.py",
            'ROWS = [\n    ("mysql", "@"),\n    ("postgres", "@"),\n    (OracleDialect(), "@"),\n'
            '    ("other", "@"),\n    ["@", "mysql"],\n]\n',
            [3, 5, 6],
        ),
        (
            "rows.php",
            "<?php\nfunction f() {\n  yield 'Oracle & DBAL>=4' => [\n    new OraclePlatform(),\n"
            "    '@',\n  ];\n  yield 'Postgres' => [\n    new P(),\n    '@',\n  ];\n}\n",
            [9],
        ),
        (
            "A.java",
            'class OracleJdbcCustomization {\n  String f() {\n    return "@";\n  }\n}\n',
            [],
        ),
        ("chain.py", 'class Oracle:\n    def f(self, c):\n        c.execute("@")\n', [3]),
        ("prices.py", 'class PriceOracle:\n    def f(self, c):\n        c.execute("@")\n', [3]),
        ("both.py", 'def mysql_and_postgres(c):\n    c.execute("@")\n', [2]),
    ],
)
def test_twins(name: str, code: str, ours: list[int]) -> None:
    run = lint_text(code.replace("@", _QUERY), name, Settings())
    assert [f.source.position(f.span.start).row for f in run.findings] == ours
    assert run.clauses == code.count("@")
    assert {each.reason for each in run.not_analysed} <= {"another database's SQL"}
    assert run.analysed == len(ours)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM jobs WHERE ROWNUM <= 5 FOR UPDATE",
        "SELECT id FROM jobs WHERE due < SYSDATE FOR UPDATE",
        "SELECT id FROM `jobs` WHERE state = 1 FOR UPDATE",
    ],
)
def test_words_of_other_databases(sql: str) -> None:
    run = lint_text(f'def f(c):\n    c.execute("{sql}")\n', "code.py", Settings())
    assert run.findings == ()
    assert [each.reason for each in run.not_analysed] == ["another database's SQL"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.py", "import pymysql"),
        ("a.py", "from sqlite3 import connect"),
        ("a.py", "import oracledb as db"),
        ("a.js", "const mysql = require('mysql2/promise');"),
        ("a.ts", "import mssql from 'mssql';"),
        ("a.go", 'package p\n\nimport _ "github.com/go-sql-driver/mysql"\n'),
        ("A.cs", "using MySqlConnector;"),
        ("A.java", "import oracle.jdbc.OracleConnection;"),
        ("a.rs", "use rusqlite::Connection;"),
        ("a.php", "<?php\n$db = new PDO('mysql:host=x');"),
        ("a.rb", "require 'mysql2'"),
        ("a.kt", 'val url = "jdbc:mysql://x"'),
    ],
)
def test_a_file_with_another_databases_driver_alone(name: str, line: str) -> None:
    sql = f'q = "{_QUERY}"' if name[-2:] in ("ts", "js", "py", "hp", "rb") else f'f("{_QUERY}")'
    if name.endswith((".go", ".cs", ".java", ".rs")):
        head = {"go": "func f()", "cs": "class A { void F()", "java": "class A { void f()"}
        kind = name.rpartition(".")[2]
        sql = f"{head.get(kind, 'fn f()')} {{ {sql}; }}{' }' * (kind in ('cs', 'java'))}"
    run = lint_text(f"{line}\n{sql}\n", name, Settings())
    assert [each.reason for each in run.not_analysed] == ["another database's SQL"]
    assert (run.clauses, run.findings) == (1, ())
    comment = "# also for PostgreSQL" if name.endswith(("py", "rb")) else "// also for PostgreSQL"
    run = lint_text(f"{line}\n{comment}\n{sql}\n", name, Settings())
    assert (run.clauses, run.analysed) == (1, 1)


def test_a_file_with_a_library_for_any_database() -> None:
    code = f'import sqlite3\nfrom sqlalchemy import text\nq = text("{_QUERY}")\n'
    assert lint_text(code, "a.py", Settings()).analysed == 1


def test_an_orms_locks_in_a_file_for_another_database() -> None:
    code = (
        "import pymysql\n\n\ndef f():\n"
        "    Job.objects.select_for_update().filter(state=1).first()\n"
    )
    for text in (
        code,
        "def f():\n    if connection.vendor == 'mysql':\n"
        "        return Job.objects.select_for_update().order_by('id')[5:9]\n",
    ):
        run = lint_text(text, "a.py", Settings())
        assert run.findings == ()
        assert [each.reason for each in run.not_analysed] == ["another database's SQL"]
    run = lint_text(text.replace("mysql", "postgresql"), "a.py", Settings())
    assert [each.rule.code for each in run.findings if each.rule.code == "PGL102"] == ["PGL102"]
