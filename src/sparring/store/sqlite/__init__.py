"""The SQLite store: schema, reads, writes and locks. The protocols of a store live one level up."""
