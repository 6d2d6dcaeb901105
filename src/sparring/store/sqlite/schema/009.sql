-- What the checks of a batch found in a recording, by the hash of the check; written with the conversation.
CREATE TABLE checked (
    recording INTEGER NOT NULL REFERENCES recordings (key) ON DELETE CASCADE,
    "check" TEXT NOT NULL,
    document BLOB, -- a verdict, or null: it was evaluated, and gives none
    PRIMARY KEY (recording, "check")
) WITHOUT ROWID;

-- What rules found over all recordings of a batch, by the hash of the rule and of the set of recordings.
CREATE TABLE findings (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    rule TEXT NOT NULL,
    recordings TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (batch, rule)
) WITHOUT ROWID;
