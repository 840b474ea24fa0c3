-- The worker takes ten jobs.
UPDATE jobs
   SET status = 'running'
 WHERE status = 'ready'
   AND id IN (SELECT id
                FROM jobs
               WHERE status = 'ready'
               ORDER BY priority DESC
               LIMIT 10
                 FOR NO KEY UPDATE SKIP LOCKED);

-- An account is debited.
BEGIN;
SELECT balance FROM accounts WHERE id = $1 FOR UPDATE;
UPDATE accounts SET balance = balance - $2 WHERE id = $1;
COMMIT;
