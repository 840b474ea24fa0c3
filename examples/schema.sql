-- The tables of the examples: a job queue, and the accounts that its jobs belong to.
CREATE TABLE accounts (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner   text NOT NULL,
    credits integer NOT NULL DEFAULT 0
);

CREATE TABLE jobs (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts,
    queue      text NOT NULL DEFAULT 'default',
    status     text NOT NULL DEFAULT 'ready',
    priority   integer NOT NULL DEFAULT 0,
    run_at     timestamptz NOT NULL DEFAULT now(),
    locked_by  text,
    payload    jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX jobs_ready ON jobs (priority DESC, id) WHERE status = 'ready';

CREATE TABLE attempts (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id   bigint NOT NULL REFERENCES jobs ON DELETE CASCADE,
    tried_at timestamptz NOT NULL DEFAULT now(),
    error    text
);
