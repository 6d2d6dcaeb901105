"""Runs a batch: many conversations at once, stored as they finish, told as events."""
