"""The functions and methods of the rule language: one decorated function each."""
