"""The version of Sparring, written here only; the package's metadata is read from this file."""

__version__ = "0.1.0"
