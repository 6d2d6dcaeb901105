-- Counts and sums over batches, written in the transactions that change what they count.
CREATE TABLE aggregates (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    part INTEGER NOT NULL, -- which of several writers counted it: their amounts add up
    amount INTEGER NOT NULL,
    PRIMARY KEY (batch, kind, key, part)
) WITHOUT ROWID;

-- Results that were computed of a batch, such as its summary, by a hash of everything that they follow from.
CREATE TABLE computed (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (batch, kind)
) WITHOUT ROWID;

-- All that lists filter and sort by: a small part of the rows, most of which is reasons.
CREATE INDEX listed_figures ON listed (
    batch, position, repeat, first, ending, outcome, blame, cause, score, turns, seconds, tokens, cost
);
