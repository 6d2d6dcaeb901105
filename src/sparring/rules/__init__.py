"""Exact rules over recorded conversations: one at a time, two or more together, or all of them at once."""
