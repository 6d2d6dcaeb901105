"""Stores of batches and conversations: the only source of truth about runs."""
