"""Conformance suites for plug-ins. Each raises `AssertionError` with the violated requirement."""
