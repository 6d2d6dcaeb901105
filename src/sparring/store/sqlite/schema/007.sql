-- Versions of prompts that somebody wrote, by the names they were given; nothing of it is ever changed.
CREATE TABLE saved_prompts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES prompts (hash),
    created TEXT NOT NULL
);

CREATE INDEX saved_prompts_by_name ON saved_prompts (name, id);
