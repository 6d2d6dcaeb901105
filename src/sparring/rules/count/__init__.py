"""Counts, exactly or by sampling, the tuples of conversations that satisfy or violate a rule."""
