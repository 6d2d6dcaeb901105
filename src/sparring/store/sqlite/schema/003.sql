CREATE TABLE rubrics (
    hash TEXT PRIMARY KEY,
    document BLOB NOT NULL
) WITHOUT ROWID;

-- About a recording, not about its place in a batch: a conversation that replaces another is judged anew.
CREATE TABLE verdicts (
    recording INTEGER NOT NULL REFERENCES recordings (key) ON DELETE CASCADE,
    judge TEXT NOT NULL,
    rubric TEXT NOT NULL, -- the hash of what the judge was asked, or empty
    outcome TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (recording, judge, rubric)
) WITHOUT ROWID;
