-- What only result rows have of a conversation, such as its start and the judge's comment; null for earlier versions.
ALTER TABLE listed ADD COLUMN result BYTEA;
