"""Exact counting of rules over tuples of conversations, and estimates where counting costs too much."""
