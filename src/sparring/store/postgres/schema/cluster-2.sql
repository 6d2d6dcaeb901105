-- The last group of writes that each store object has committed: it is not written again if its answer was lost.
CREATE TABLE writers (
    id TEXT COLLATE "C" PRIMARY KEY,
    committed BIGINT NOT NULL,
    written TIMESTAMPTZ NOT NULL DEFAULT now()
);
