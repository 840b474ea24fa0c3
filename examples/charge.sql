-- Charge an account for a finished job.
BEGIN;

SELECT credits
  FROM accounts
 WHERE id = :account
   FOR UPDATE;

UPDATE accounts SET credits = credits - 1 WHERE id = :account;
UPDATE jobs SET status = 'charged' WHERE id = :job;

COMMIT;

-- Close an account: it goes for good, so the strong lock is right.
BEGIN;

SELECT id FROM accounts WHERE id = :account FOR UPDATE;
DELETE FROM jobs WHERE account_id = :account;
DELETE FROM accounts WHERE id = :account;

COMMIT;
