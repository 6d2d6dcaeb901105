"""What benchmarks take from the command line."""

import argparse


def positive(written: str) -> int:
    """A number of things to measure."""
    if written.isascii() and written.isdecimal() and len(written) <= 9 and int(written):
        return int(written)
    raise argparse.ArgumentTypeError("should be a whole number, of at least 1")
