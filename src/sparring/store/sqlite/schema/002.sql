-- How a batch is played: what is needed to go on with it, and what became of it.
CREATE TABLE jobs (
    batch TEXT PRIMARY KEY REFERENCES batches (id) ON DELETE CASCADE,
    waiting INTEGER NOT NULL, -- 1 while a server is to go on with it, so that it finds it again
    document BLOB NOT NULL
) WITHOUT ROWID;

-- So that deleting a batch finds what belongs to it, and what nothing else needs any more.
CREATE INDEX batch_cases_by_case ON batch_cases (case_key);
CREATE INDEX recordings_by_case ON recordings (case_key);
CREATE INDEX conversations_by_recording ON conversations (recording);
CREATE INDEX events_by_recording ON events (recording);
