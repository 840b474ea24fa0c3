-- The page on which an operator edits jobs, twenty at a time; the rows on show are locked.

SELECT id, queue, status, payload
  FROM jobs
 WHERE queue = :'queue'
 ORDER BY id
 LIMIT 20 OFFSET :skip
   FOR NO KEY UPDATE;

-- Jobs that failed more than three times, locked before they are started again.
WITH failing AS (
    SELECT job_id, count(*) AS times
      FROM attempts
     WHERE error IS NOT NULL
     GROUP BY job_id
), again AS (
    SELECT jobs.id, jobs.payload, failing.times
      FROM jobs
      JOIN failing ON failing.job_id = jobs.id
     WHERE failing.times > 3
)
SELECT *
  FROM again
 ORDER BY id
   FOR UPDATE;

-- An export that nobody else runs: here the skipped rows may be locked.
-- pglint: ignore[PGL102] one nightly session, nobody waits for it
SELECT id, payload
  FROM jobs
 WHERE status = 'done'
 ORDER BY id
 LIMIT 1000 OFFSET 1000
   FOR SHARE;
