"""What runs on two connections is no transaction; what runs on one may be."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text

_SHARE, _WRITE = "SELECT * FROM jobs WHERE id = 1 FOR SHARE", "UPDATE jobs SET x = 1 WHERE id = 1"


def flagged(name: str, code: str) -> bool:
    run = lint_text(code.replace("@1", _SHARE).replace("@2", _WRITE), name, Settings())
    assert (run.clauses, run.analysed) == (1, 1)
    return any(finding.rule.code == "PGL302" for finding in run.findings)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", "def f(tx1, tx2):\n    tx1.execute('@1')\n    tx2.execute('@2')"),
        ("a.py", "def f(a, b):\n    a.conn.execute('@1')\n    b.conn.execute('@2')"),
        (
            "a.py",
            "def f(p):\n    one = p.get()\n    two = p.get()\n    c = one.cursor()\n"
            "    d = two.cursor()\n    c.execute('@1')\n    d.execute('@2')",
        ),
        (
            "a.py",
            "def f(p):\n    c = p.get()\n    c.execute('@1')\n    c = p.get()\n    c.execute('@2')",
        ),
        ("a.py", "async def f(s):\n    await s.pool.fetch('@1')\n    await s.pool.execute('@2')"),
        (
            "a.py",
            "async def f(a, b):\n    await gather(a.execute('@1'), b.execute('@2'))",
        ),
        (
            "a.py",
            "def f(pool):\n    with pool.connection() as c:\n        c.execute('@1')\n"
            "    with pool.connection() as c:\n        c.execute('@2')",
        ),
        (
            "a.py",
            "def f(conn):\n    with conn:\n        conn.execute('@1')\n    conn.execute('@2')",
        ),
        ("a.js", "async function f(tx1, tx2) { await tx1.query('@1'); await tx2.query('@2'); }"),
        ("a.js", "const f = (a, b) => Promise.all([a.query('@1'), b.query('@2')]);"),
        ("a.ts", "async function f(tx1: T, tx2: T) { await tx1`@1`; await tx2`@2`; }"),
        ("a.ts", "async function f(a: T, b: T) { await a.$queryRaw`@1`; await b.$queryRaw`@2`; }"),
        ("a.go", 'package p\nfunc f(a, b *sql.Tx) {\n\ta.Exec("@1")\n\tb.Exec("@2")\n}'),
        (
            "a.go",
            'package p\nimport "x/pgxscan"\nfunc f(a, b *sql.Tx) {\n'
            '\tpgxscan.Get(ctx, tx1, &r, "@1")\n\tpgxscan.Get(ctx, tx2, &r, "@2")\n}',
        ),
        (
            "a.rs",
            'async fn f(a: Tx, b: Tx) { sqlx::query("@1").fetch_one(&mut *a).await;\n'
            ' sqlx::query("@2").bind(1).execute(&mut *b).await; }',
        ),
        ("A.java", 'class A { void f() { a.prepareStatement("@1"); b.prepareStatement("@2"); } }'),
        ("a.php", "<?php function f($a, $b) { $a->query('@1'); $b->query('@2'); }"),
        ("a.php", "<?php function f() { pg_query($conn1, '@1'); pg_query($conn2, '@2'); }"),
        ("a.rb", "def f(a, b)\n  a.exec('@1')\n  b.exec('@2')\nend"),
        ("a.kt", 'fun f(a: C, b: C) { a.execute("@1")\n b.execute("@2") }'),
    ],
)
def test_two_connections(name: str, code: str) -> None:
    assert not flagged(name, code)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", "def f(tx1):\n    tx1.execute('@1')\n    tx1.execute('@2')"),
        ("a.py", "def f(self, conn):\n    self.conn.execute('@1')\n    conn.execute('@2')"),
        (
            "a.py",
            "def f(conn):\n    c = conn.cursor()\n    d = conn.cursor()\n    c.execute('@1')\n"
            "    d.execute(text('@2'))\n    conn.commit()",
        ),
        (
            "a.py",
            "def f(conn):\n    tx = conn\n    tx.execute('@1')\n    conn.execute('@2')",
        ),
        (
            "a.py",
            "def f(pool):\n    with pool.connection() as c:\n"
            "        c.execute('@1')\n        c.execute('@2')",
        ),
        ("a.js", "async function f(tx1) { await tx1.query('@1'); await tx1.query({text: '@2'}); }"),
        ("a.ts", "async function f(tx: T) { await tx`@1`; await tx`@2`; }"),
        ("a.ts", "async function f(db: T) { await db.any(sql.one`@1`); await db.query(sql`@2`); }"),
        (
            "a.go",
            'package p\nimport "x/pgxscan"\nfunc f(tx *sql.Tx) {\n'
            '\tpgxscan.Get(ctx, tx, &r, "@1")\n\ttx.Exec(ctx, "@2")\n}',
        ),
        (
            "a.rs",
            'async fn f(tx: Tx) { sqlx::query("@1").fetch_one(&mut *tx).await;\n'
            ' sqlx::query("@2").execute(&mut *tx).await; }',
        ),
        ("a.php", "<?php function f() { $this->db->query('@1'); $this->db->query('@2'); }"),
        ("a.ex", 'def f(conn) do\n  Postgrex.query(conn, "@1")\n  Postgrex.query(conn, "@2")\nend'),
        ("a.rb", "def f\n  Job.connection.exec('@1')\n  connection.exec('@2')\nend"),
    ],
)
def test_one_connection(name: str, code: str) -> None:
    assert flagged(name, code)
