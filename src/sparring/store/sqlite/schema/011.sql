-- What null bots found about cases, by a hash of the case, its checks and the null bots.
CREATE TABLE tried (
    key TEXT PRIMARY KEY,
    document BLOB NOT NULL
) WITHOUT ROWID;
