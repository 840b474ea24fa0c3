"""Correct code that must stay silent at warning and above: near misses of every kind."""

from __future__ import annotations

import pytest

from pglint_locks.config import Settings
from pglint_locks.engine import lint_text
from pglint_locks.findings import Severity

# ruff: noqa: E501 (one statement a line)
SAFE = [
    "CREATE POLICY p ON t FOR UPDATE USING (true);",
    "-- for update in pending:",
    "SELECT 'for update', /* FOR SHARE */ 1;",
    "DELETE FROM t USING (SELECT id FROM t WHERE a < 5 ORDER BY id FOR UPDATE) s WHERE s.id = t.id;",
    "UPDATE t SET a = 1 WHERE ctid = ANY(ARRAY(SELECT ctid FROM t WHERE a < 5 ORDER BY id FOR UPDATE));",
    "WITH c AS (SELECT id FROM t WHERE a < 5 ORDER BY id FOR UPDATE) DELETE FROM t USING c WHERE c.id = t.id;",
    "SELECT * FROM t WHERE id = 5 FOR UPDATE SKIP LOCKED;",
    "SELECT * FROM t WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED;",
    "SELECT 1 FROM parents WHERE id = $1 FOR KEY SHARE;",
    "INSERT INTO child SELECT p.id FROM parents p WHERE p.id = $1 FOR KEY SHARE;",
    "UPDATE t SET a = 1 WHERE id IN (SELECT id FROM t WHERE a = 0 FOR UPDATE SKIP LOCKED);",
    "SELECT * FROM t WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED;",
    "UPDATE t SET state = 'run' WHERE id = (SELECT id FROM t WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *;",
    "WITH c AS MATERIALIZED (SELECT id FROM t WHERE state = 'ready' ORDER BY id LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED) UPDATE t SET state = 'run' FROM c WHERE t.id = c.id RETURNING t.*;",
    "UPDATE t SET state = 'run' WHERE id = ANY(ARRAY(SELECT id FROM t WHERE state = 'ready' ORDER BY id LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED)) RETURNING *;",
    "BEGIN; SELECT balance FROM accounts WHERE id = 1 FOR NO KEY UPDATE; UPDATE accounts SET balance = balance - 1 WHERE id = 1; COMMIT;",
    "BEGIN; SELECT id FROM accounts WHERE id IN (1, 2) ORDER BY id FOR NO KEY UPDATE; UPDATE accounts SET balance = 0 WHERE id IN (1,2); COMMIT;",
    "SELECT j.* FROM jobs j JOIN queues q ON q.id = j.queue_id WHERE j.state = 'ready' AND q.paused = false ORDER BY j.id LIMIT 5 FOR UPDATE OF j SKIP LOCKED;",
    "SELECT pg_advisory_xact_lock(42);",
    "SELECT pg_try_advisory_lock(id) FROM t WHERE id = 5;",
    "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED);",
    "SELECT * FROM t WHERE a = 1 ORDER BY id FOR UPDATE NOWAIT;",
    "SELECT * FROM a LEFT JOIN b ON b.id = a.b_id WHERE a.id = 1 FOR UPDATE OF a;",
    "INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 2;",
    "BEGIN; SELECT 1 FROM nodes WHERE id=5 FOR SHARE; UPDATE nodes SET stale=true WHERE parent_id=5; COMMIT;",
    "BEGIN; SELECT id FROM p WHERE id=$1 FOR SHARE; UPDATE p SET x=1 WHERE id=$2; COMMIT;",
    "BEGIN; SELECT * FROM a WHERE id=1 FOR NO KEY UPDATE; SELECT * FROM a WHERE id=1 FOR SHARE; UPDATE a SET x=1 WHERE id=1; COMMIT;",
    "BEGIN; UPDATE p SET x=1 WHERE id=1; SELECT 1 FROM p WHERE id=1 FOR SHARE; UPDATE p SET x=2 WHERE id=1; COMMIT;",
    "BEGIN; LOCK TABLE p IN EXCLUSIVE MODE; SELECT 1 FROM p WHERE id=1 FOR SHARE; UPDATE p SET x=1 WHERE id=1; COMMIT;",
    "SELECT * FROM invoices WHERE id=(SELECT id FROM invoices WHERE series='A' ORDER BY number DESC LIMIT 1) FOR UPDATE;",
    "SELECT * FROM events WHERE id=(SELECT max(id) FROM events WHERE stream='orders') FOR UPDATE;",
    "DO $$ DECLARE v int; r record; BEGIN SELECT id INTO v FROM orders WHERE grp=4 FOR UPDATE; SELECT * INTO STRICT r FROM t WHERE grp=4 FOR UPDATE; IF EXISTS (SELECT 1 FROM orders WHERE customer_id=5 FOR UPDATE) THEN NULL; END IF; SELECT * INTO r FROM settings FOR UPDATE; END $$;",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT id FROM t WHERE grp=4 FOR UPDATE $$;",
    "UPDATE counters SET n=n+1 WHERE name=(SELECT name FROM counters WHERE kind='x' FOR NO KEY UPDATE);",
    "CREATE FUNCTION f(p_id int) RETURNS t LANGUAGE sql BEGIN ATOMIC SELECT * FROM t WHERE id=p_id FOR UPDATE; END;",
    "BEGIN; SELECT pg_advisory_xact_lock(hashtext($1)); SELECT id FROM users WHERE email=$1 FOR UPDATE; INSERT INTO users(email) VALUES($1); COMMIT;",
    "BEGIN; LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE; SELECT * FROM t WHERE email='x' LIMIT 1 FOR UPDATE; INSERT INTO t(email) VALUES('x'); COMMIT;",
    "BEGIN; SELECT * FROM orders WHERE order_no=$1 AND status='new' LIMIT 1 FOR UPDATE; UPDATE orders SET status='paid' WHERE order_no=$1; COMMIT;",
    "BEGIN; SELECT * FROM vouchers WHERE code='ABC' AND used=false LIMIT 1 FOR UPDATE; UPDATE vouchers SET used=true WHERE code='ABC'; COMMIT;",
    "CREATE TEMP TABLE stage(id int, v int); BEGIN; SELECT id FROM stage WHERE v>1 FOR UPDATE; COMMIT;",
    "SELECT * FROM jobs j WHERE j.st='r' AND EXISTS (SELECT 1 FROM queues q WHERE q.name=j.q FOR UPDATE SKIP LOCKED) ORDER BY j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED;",
    "SELECT * FROM jobs j WHERE j.st = 'r' AND (j.q IS NULL OR EXISTS (SELECT 1 FROM queues q WHERE q.name = j.q FOR UPDATE SKIP LOCKED)) ORDER BY j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED;",
]


@pytest.mark.parametrize("sql", SAFE)
def test_safe_code_is_not_warned_of(sql: str) -> None:
    run = lint_text(sql, "safe.sql", Settings())
    assert run.errors == ()
    assert run.not_analysed == ()
    spoken = [each for each in run.findings if each.severity >= Severity.WARNING]
    assert [(each.rule.code, each.message) for each in spoken] == []
