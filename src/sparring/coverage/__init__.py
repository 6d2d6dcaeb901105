"""What no conversation of a batch touches."""
