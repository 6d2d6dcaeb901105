"""Frozen values, events and errors of the whole product. Nothing here does I/O, waits or prints."""
