"""Inspect AI: logs that its viewer opens, and experiments that it runs. Needs the extra `inspect`."""
