-- Batches that workers play. Tables of Procrastinate hold the jobs, one for each shard that has not ended.

CREATE TABLE remote (
    batch TEXT COLLATE "C" PRIMARY KEY REFERENCES batches (id) ON DELETE CASCADE,
    cases INTEGER NOT NULL,
    options BYTEA NOT NULL, -- what the submitter configured, and workers need
    cancelled BOOLEAN NOT NULL DEFAULT false,
    stopped TEXT NOT NULL DEFAULT '', -- the limit that stopped it
    cost_reserved DOUBLE PRECISION NOT NULL DEFAULT 0, -- of its budget, by workers
    tokens_reserved DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- Conversations from the one with the number `first` up to `last`, which is not among them: all cases once, then again.
CREATE TABLE shards (
    batch TEXT COLLATE "C" NOT NULL REFERENCES remote (batch) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    stored INTEGER NOT NULL DEFAULT 0,
    ended BOOLEAN NOT NULL DEFAULT false,
    error TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (batch, number)
);

CREATE INDEX shards_to_play ON shards (batch) WHERE NOT ended;

-- Rate limits that all processes share: what is left now, refilled when a worker asks.
CREATE TABLE rate_limits (
    model TEXT COLLATE "C" PRIMARY KEY,
    requests DOUBLE PRECISION NOT NULL,
    tokens DOUBLE PRECISION NOT NULL,
    refilled TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    blocked_until TIMESTAMPTZ NOT NULL DEFAULT to_timestamp(0)
);
