"""Sparring: the test bench for chatbots that tells you whether to trust the result."""

__version__ = "0.1.0"
