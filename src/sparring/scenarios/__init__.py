"""Front doors with one exit: whatever people write, out come cases."""
