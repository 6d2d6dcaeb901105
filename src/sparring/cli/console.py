"""Data goes to stdout, everything said along the way to stderr."""

import sys
from contextlib import suppress


def say(line: str = "") -> None:
    """Data: a line of what the command was asked for."""
    print(line)


def tell(line: str = "") -> None:
    """Something said along the way; a run goes on if nobody reads it any more."""
    with suppress(BrokenPipeError):
        print(line, file=sys.stderr, flush=True)


def complain(message: str, *, hint: str = "") -> None:
    """What went wrong, and what to do about it."""
    tell(f"error: {message}")
    if hint:
        tell(f"hint: {hint}")


def terminal() -> bool:
    """Whether somebody watches: only then are there bars and colours."""
    return sys.stderr.isatty()
