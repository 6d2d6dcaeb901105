-- The outcome of earlier attempts; null if it was not decided when the next one was stored.
ALTER TABLE replaced ADD COLUMN outcome TEXT;

UPDATE replaced SET outcome = (
    SELECT CASE WHEN ending IN ('user_stuck', 'user_failed') THEN 'void' ELSE 'failed' END
    FROM (
        SELECT iif(json_valid(CAST(document AS TEXT)), CAST(document AS TEXT), '{}') ->> '$.ending' AS ending
        FROM recordings WHERE key = recording
    )
);

-- Rows of lists hold the decision about a conversation. Those of earlier versions are decided anew when they are read.
DROP TABLE briefs;

CREATE TABLE listed (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    ending TEXT,
    outcome TEXT NOT NULL,
    first TEXT NOT NULL, -- the outcome of the first attempt that was not void
    blame TEXT, -- null if it passed
    decision BLOB NOT NULL, -- with all reasons
    score REAL,
    turns INTEGER NOT NULL,
    seconds REAL,
    tokens INTEGER NOT NULL,
    cost REAL, -- null if it is unknown
    failed TEXT NOT NULL, -- a JSON list
    attempt INTEGER NOT NULL,
    PRIMARY KEY (batch, position, repeat),
    FOREIGN KEY (batch, position, repeat) REFERENCES conversations (batch, position, repeat) ON DELETE CASCADE
) WITHOUT ROWID;
