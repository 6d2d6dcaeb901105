"""Statements of stores in SQL databases: SQLite and PostgreSQL run the same ones."""
