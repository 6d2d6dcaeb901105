"""Runs a batch: many conversations at once, stored as they finish, reported as events."""
