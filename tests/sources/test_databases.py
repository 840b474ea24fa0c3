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
