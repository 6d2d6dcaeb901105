-- Runs over mutants of a batch, with the conversations that the chatbot was asked for: each is held once.
CREATE TABLE mutations (
    id TEXT PRIMARY KEY,
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    document BLOB NOT NULL
) WITHOUT ROWID;

CREATE INDEX mutations_by_batch ON mutations (batch);

CREATE TABLE mutant_plays (
    mutation TEXT NOT NULL REFERENCES mutations (id) ON DELETE CASCADE,
    play TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (mutation, play)
);
