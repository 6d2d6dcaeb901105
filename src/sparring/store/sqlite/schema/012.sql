-- The cause of a failure by its first attempt, so that the causes of a batch are known without reading its decisions.
ALTER TABLE listed ADD COLUMN cause TEXT;

UPDATE listed SET cause = iif(json_valid(CAST(decision AS TEXT)), CAST(decision AS TEXT), '{}') ->> '$.cause.id'
    WHERE first = outcome;

CREATE INDEX listed_by_cause ON listed (batch, cause) WHERE cause IS NOT NULL;
