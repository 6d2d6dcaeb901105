-- What lists of conversations are found, filtered and sorted by. It follows from what is kept elsewhere, is made when
-- somebody looks, and goes when what it follows from changes.
CREATE TABLE briefs (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    ending TEXT,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    score REAL,
    turns INTEGER NOT NULL,
    seconds REAL,
    tokens INTEGER NOT NULL,
    cost REAL, -- null where it is unknown
    failed TEXT NOT NULL, -- a JSON list
    attempt INTEGER NOT NULL,
    PRIMARY KEY (batch, position, repeat),
    FOREIGN KEY (batch, position, repeat) REFERENCES conversations (batch, position, repeat) ON DELETE CASCADE
) WITHOUT ROWID;

-- Everything that was said in a recording, in lower case; apart, because only who searches for words reads it.
CREATE TABLE words (
    recording INTEGER PRIMARY KEY REFERENCES recordings (key) ON DELETE CASCADE,
    words TEXT NOT NULL
);
