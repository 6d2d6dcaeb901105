-- Which attempt at a conversation this is.
ALTER TABLE conversations ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;

-- Earlier attempts, which did not count.
CREATE TABLE replaced (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    recording INTEGER NOT NULL REFERENCES recordings (key),
    PRIMARY KEY (batch, position, repeat, attempt),
    FOREIGN KEY (batch, position) REFERENCES batch_cases (batch, position) ON DELETE CASCADE
) WITHOUT ROWID;

-- What conversations had consumed that were cancelled, and of which nothing else is kept.
CREATE TABLE dropped (
    id INTEGER PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    document BLOB NOT NULL
);

CREATE INDEX dropped_by_batch ON dropped (batch);
