"""Compiles and evaluates the expressions of rules. Counting over tuples lives in `rules.count`."""
