-- Run by every worker in a loop; :worker is its name.

-- Take up to ten jobs. The status is tested twice, to be safe.
UPDATE jobs
   SET status = 'running', locked_by = :'worker'
 WHERE status = 'ready'
   AND id IN (SELECT id
                FROM jobs
               WHERE status = 'ready'
               ORDER BY priority DESC, id
               LIMIT 10
                 FOR UPDATE SKIP LOCKED)
RETURNING id, payload;

-- Take one job of a queue that is out of order: the same, written so that it holds.
UPDATE jobs
   SET status = 'running', locked_by = :'worker'
 WHERE id = (SELECT id
               FROM jobs
              WHERE status = 'ready' AND queue = :'queue'
              ORDER BY priority DESC, id
              LIMIT 1
                FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id, payload;

-- Spread the workers over the queue, so that they do not all want the same first rows.
SELECT id, payload
  FROM jobs
 WHERE status = 'ready'
 ORDER BY random()
 LIMIT 5
   FOR NO KEY UPDATE;

-- Clear away finished jobs, a thousand at a time.
DELETE FROM jobs
 USING (SELECT id FROM jobs WHERE status = 'done' LIMIT 1000 FOR UPDATE SKIP LOCKED) AS old
 WHERE jobs.id = old.id;
