-- Documents are JSON. Whatever is found, filtered or sorted by is a column beside them.

CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    repeats INTEGER NOT NULL,
    document BLOB NOT NULL -- without its cases
);

CREATE INDEX batches_by_name ON batches (name, id) WHERE name <> '';

-- A case that many batches or conversations share is kept once.
CREATE TABLE cases (
    key INTEGER PRIMARY KEY, -- so that the cases of a batch lie side by side
    hash BLOB NOT NULL UNIQUE, -- the SHA-256 of the document
    document BLOB NOT NULL
);

CREATE TABLE batch_cases (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON list
    case_key INTEGER NOT NULL REFERENCES cases (key),
    PRIMARY KEY (batch, position),
    UNIQUE (batch, id)
) WITHOUT ROWID;

CREATE TABLE recordings (
    key INTEGER PRIMARY KEY,
    case_key INTEGER NOT NULL REFERENCES cases (key), -- not the batch's, where a repeat has a seed of its own
    document BLOB NOT NULL -- a conversation without its case
);

-- Apart from the recordings, so that going through a whole batch in order does not touch them.
CREATE TABLE conversations (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    ending TEXT,
    seconds REAL,
    recording INTEGER NOT NULL REFERENCES recordings (key),
    PRIMARY KEY (batch, position, repeat),
    FOREIGN KEY (batch, position) REFERENCES batch_cases (batch, position) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a listener can go on where it stopped
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    recording INTEGER REFERENCES recordings (key), -- of the conversation that ended, instead of a document
    document BLOB
);

CREATE INDEX events_by_batch ON events (batch, id);
