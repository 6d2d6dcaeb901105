"""Bridges to other tools, each with its dependencies: Inspect AI, curl."""
