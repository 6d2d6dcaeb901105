"""Extraction: goals and output values in a conversation, found by patterns or by a model."""
