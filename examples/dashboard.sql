-- What the operations page shows, refreshed every five seconds.

-- How many jobs wait? Jobs that a worker has just taken are not to be counted.
SELECT waiting.queue, count(*) AS jobs, min(waiting.run_at) AS oldest
  FROM (SELECT queue, run_at
          FROM jobs
         WHERE status = 'ready'
           FOR SHARE SKIP LOCKED) AS waiting
 GROUP BY waiting.queue;

-- The same in one line, for the alarm.
SELECT count(*) FROM jobs WHERE status = 'ready' FOR UPDATE SKIP LOCKED;

-- How many did the last worker run take? Counted from what was changed, so it is true.
WITH claim AS (
    SELECT id FROM jobs WHERE status = 'ready' ORDER BY id LIMIT 50 FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
    UPDATE jobs SET status = 'running' FROM claim WHERE claim.id = jobs.id RETURNING jobs.id
)
SELECT count(*) FROM taken;
