"""What a statement's locking clauses lock: tables, strengths, wait policies, refusals."""

from __future__ import annotations

import pytest

from pglint_locks.model.locks.locking import locking_clauses
from pglint_locks.model.locks.row_marks import LockingClause
from pglint_locks.model.planner.flow import locking_level
from pglint_locks.model.statements.statement import Statement
from pglint_locks.sql.parse import Parsed, parse


def clauses_of(sql: str) -> list[LockingClause]:
    parsed = parse(sql)
    assert isinstance(parsed, Parsed), parsed
    return locking_clauses(Statement(parsed, 0))


def marks_of(sql: str) -> set[str]:
    """Each marked table with the strength and wait policy that really apply."""
    return {
        f"{mark.table} {mark.strength} {mark.wait_policy.name}"
        for clause in clauses_of(sql)
        for mark in clause.marks
    }


@pytest.mark.parametrize(
    ("sql", "marks"),
    [
        ("SELECT 1 FROM t FOR UPDATE", {"t FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM a, s.b FOR SHARE", {"a FOR SHARE BLOCK", "s.b FOR SHARE BLOCK"}),
        ("SELECT 1 FROM a x JOIN b ON true FOR UPDATE OF x", {"a FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM (SELECT * FROM a, b) s FOR KEY SHARE",
         {"a FOR KEY SHARE BLOCK", "b FOR KEY SHARE BLOCK"}),
        ("SELECT 1 FROM (SELECT * FROM a FOR SHARE) s FOR UPDATE SKIP LOCKED",
         {"a FOR UPDATE SKIP_LOCKED"}),
        ("SELECT 1 FROM (SELECT * FROM a FOR UPDATE NOWAIT) s FOR SHARE SKIP LOCKED",
         {"a FOR UPDATE NOWAIT"}),
        ("SELECT 1 FROM a FOR SHARE FOR NO KEY UPDATE SKIP LOCKED",
         {"a FOR NO KEY UPDATE SKIP_LOCKED"}),
        ("SELECT 1 FROM a, b FOR SHARE OF a FOR UPDATE OF b",
         {"a FOR SHARE BLOCK", "b FOR UPDATE BLOCK"}),
        ("WITH c AS (SELECT * FROM t) SELECT 1 FROM c, u FOR UPDATE", {"u FOR UPDATE BLOCK"}),
        ("WITH c AS (SELECT * FROM t) SELECT 1 FROM c FOR UPDATE", set()),
        ("WITH t AS (SELECT 1) SELECT 1 FROM t, public.t p FOR UPDATE",
         {"public.t FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM (WITH t AS (SELECT 1) SELECT * FROM t) s, t FOR UPDATE",
         {"t FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM generate_series(1, 2) g, (VALUES (1)) v, t FOR UPDATE",
         {"t FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM a WHERE id IN (SELECT id FROM b) FOR UPDATE", {"a FOR UPDATE BLOCK"}),
        ("SELECT 1 FROM a TABLESAMPLE bernoulli (5) FOR UPDATE", {"a FOR UPDATE BLOCK"}),
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT x.i FROM r, "
         "(SELECT i FROM t FOR UPDATE) x) SELECT * FROM r FOR SHARE", {"t FOR UPDATE BLOCK"}),
    ],
)  # fmt: skip
def test_clauses_mark_what_the_server_would(sql: str, marks: set[str]) -> None:
    assert marks_of(sql) == marks


@pytest.mark.parametrize(
    ("sql", "message", "sqlstate"),
    [
        ("SELECT 1 FROM t UNION SELECT 2 FROM t FOR UPDATE",
         "FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT", "0A000"),
        ("(SELECT 1 FROM t FOR SHARE) UNION SELECT 2",
         "FOR SHARE is not allowed with UNION/INTERSECT/EXCEPT", "0A000"),
        ("SELECT DISTINCT a FROM t GROUP BY a FOR UPDATE",
         "FOR UPDATE is not allowed with DISTINCT clause", "0A000"),
        ("SELECT count(*) FROM t GROUP BY a FOR KEY SHARE",
         "FOR KEY SHARE is not allowed with GROUP BY clause", "0A000"),
        ("SELECT 1 FROM t HAVING true FOR UPDATE",
         "FOR UPDATE is not allowed with HAVING clause", "0A000"),
        ("SELECT 1 FROM t ORDER BY max(a) FOR UPDATE",
         "FOR UPDATE is not allowed with aggregate functions", "0A000"),
        ("SELECT (SELECT max(p.n) FROM x) FROM p FOR UPDATE",
         "FOR UPDATE is not allowed with aggregate functions", "0A000"),
        ("SELECT count(*) OVER () FROM t FOR NO KEY UPDATE",
         "FOR NO KEY UPDATE is not allowed with window functions", "0A000"),
        ("SELECT unnest(a) FROM t FOR UPDATE",
         "FOR UPDATE is not allowed with set-returning functions in the target list", "0A000"),
        ("SELECT 1 FROM (SELECT a FROM t GROUP BY a) s FOR UPDATE",
         "FOR UPDATE is not allowed with GROUP BY clause", "0A000"),
        ("VALUES (1) FOR UPDATE", "FOR UPDATE cannot be applied to VALUES", "0A000"),
        ("SELECT 1 FROM t x FOR UPDATE OF t",
         'relation "t" in FOR UPDATE clause not found in FROM clause', "42P01"),
        ("SELECT 1 FROM s.t FOR UPDATE OF s.t",
         "FOR UPDATE must specify unqualified relation names", "42601"),
        ("WITH c AS (SELECT 1) SELECT 1 FROM c FOR UPDATE OF c",
         "FOR UPDATE cannot be applied to a WITH query", "0A000"),
        ("SELECT 1 FROM (a JOIN b ON true) AS j FOR UPDATE OF j",
         "FOR UPDATE cannot be applied to a join", "0A000"),
        ("SELECT 1 FROM generate_series(1, 2) g FOR SHARE OF g",
         "FOR SHARE cannot be applied to a function", "0A000"),
    ],
)  # fmt: skip
def test_refusals_are_in_the_servers_words(sql: str, message: str, sqlstate: str) -> None:
    (clause,) = clauses_of(sql)
    assert clause.refusal is not None
    assert (clause.refusal.message, clause.refusal.sqlstate) == (message, sqlstate)
    assert clause.marks == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (SELECT max(x.n) FROM x) FROM p FOR UPDATE",
        "SELECT 1 FROM p WHERE n = (SELECT count(*) FROM x) FOR UPDATE",
        "SELECT 1 FROM generate_series(1, 3) g, p FOR UPDATE",
        "SELECT 1 FROM p WINDOW w AS (ORDER BY n) FOR UPDATE",
        "SELECT my.count(n) FROM p FOR UPDATE",
        "SELECT 1 FROM (VALUES (1)) v FOR UPDATE OF v",
        "WITH a AS (SELECT 1 FROM t FOR UPDATE) SELECT * FROM a UNION ALL SELECT 2",
    ],
)
def test_what_the_server_takes_is_not_refused(sql: str) -> None:
    (clause,) = clauses_of(sql)
    assert clause.refusal is None


@pytest.mark.parametrize(
    ("sub_select", "pulled_up"),
    [
        ("SELECT id FROM t", True),
        ("SELECT id FROM t WHERE a = 1", True),
        ("SELECT * FROM (SELECT id FROM t) x", True),
        ("SELECT id FROM t LIMIT 3", False),
        ("SELECT id FROM t OFFSET 0", False),
        ("SELECT id FROM t ORDER BY id", False),
        ("SELECT id, random() FROM t", False),
        ("SELECT id FROM t FOR SHARE", False),
    ],
)
def test_the_plan_locks_where_the_planner_pulls_the_table_up_to(
    sub_select: str, pulled_up: bool
) -> None:
    clause = clauses_of(f"SELECT 1 FROM ({sub_select}) s ORDER BY 1 FOR UPDATE")[-1]
    (mark,) = clause.marks
    assert (locking_level(mark.level) is clause.query) == pulled_up
