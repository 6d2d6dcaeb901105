"""The PostgreSQL store: its schema and its connections. The extra `cluster` has the driver."""
