-- Documents are JSON. Whatever is found, filtered or sorted by is a column beside them.

CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    repeats INTEGER NOT NULL,
    document BLOB NOT NULL -- without its cases
);

CREATE INDEX batches_by_name ON batches (name, id) WHERE name <> '';

-- By the SHA-256 of the document: a case that many batches or conversations share is kept once.
CREATE TABLE cases (
    hash BLOB PRIMARY KEY,
    document BLOB NOT NULL
);

CREATE TABLE batch_cases (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON list
    hash BLOB NOT NULL REFERENCES cases (hash),
    PRIMARY KEY (batch, position),
    UNIQUE (batch, id)
) WITHOUT ROWID;

CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    case_hash BLOB NOT NULL REFERENCES cases (hash), -- not the batch's, where a repeat has a seed of its own
    ending TEXT,
    seconds REAL,
    document BLOB NOT NULL, -- without its case
    UNIQUE (batch, position, repeat),
    FOREIGN KEY (batch, position) REFERENCES batch_cases (batch, position) ON DELETE CASCADE
);

CREATE INDEX conversations_by_ending ON conversations (batch, ending, position, repeat);

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a listener can go on where it stopped
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    conversation INTEGER REFERENCES conversations (key) ON DELETE CASCADE, -- the one that ended, instead of a document
    document BLOB
);

CREATE INDEX events_by_batch ON events (batch, id);
