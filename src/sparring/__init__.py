"""Sparring: the test bench for chatbots that tells you whether to trust the result."""

from sparring.core.version import __version__ as __version__
