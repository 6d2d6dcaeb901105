"""Batches that workers play, on one machine or many, with PostgreSQL as store and queue."""
