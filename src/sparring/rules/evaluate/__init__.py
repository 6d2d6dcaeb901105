"""Compilation and evaluation of rule expressions. Counting over tuples lives in `rules.count`."""
