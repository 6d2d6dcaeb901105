-- The number of a batch among those of its name. A number is not used again when its batch is deleted.
ALTER TABLE batches ADD COLUMN run INTEGER;

UPDATE batches SET run = (SELECT count(*) FROM batches AS other WHERE other.name = batches.name AND other.id <= batches.id);

CREATE TABLE last_runs (
    name TEXT PRIMARY KEY,
    run INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO last_runs SELECT name, max(run) FROM batches WHERE name <> '' GROUP BY name;
