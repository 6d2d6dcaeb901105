-- What chatbots and users were told, by the hash of its content; batches name the hashes.
CREATE TABLE prompts (
    hash TEXT PRIMARY KEY,
    document BLOB NOT NULL
) WITHOUT ROWID;
