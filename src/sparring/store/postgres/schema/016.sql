-- Counts and sums over batches, written in the transactions that change what they count.
CREATE TABLE aggregates (
    batch TEXT COLLATE "C" NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    part INTEGER NOT NULL, -- which of several writers counted it: their amounts add up
    amount BIGINT NOT NULL,
    PRIMARY KEY (batch, kind, key, part)
);

-- Results that were computed of a batch, such as its summary, by a hash of everything that they follow from.
CREATE TABLE computed (
    batch TEXT COLLATE "C" NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    document BYTEA NOT NULL,
    PRIMARY KEY (batch, kind)
);
