"""What every plug-in of a kind must pass; each suite raises an AssertionError that says what does not hold."""
