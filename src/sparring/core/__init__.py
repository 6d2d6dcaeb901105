"""Everything that can be written down: frozen values, and nothing that reads, waits or prints."""
