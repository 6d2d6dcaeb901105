"""Data goes to stdout, everything said along the way to stderr."""

import os
import sys
from contextlib import suppress


def say(line: str = "") -> None:
    """Data: a line of what the command was asked for. Whoever reads it may stop reading; that changes no exit code."""
    try:
        print(line)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(line: str = "") -> None:
    """Something said along the way; a run goes on if nobody reads it any more."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def complain(message: str, *, hint: str = "") -> None:
    """What went wrong, and what to do about it."""
    tell(f"error: {message}")
    if hint:
        tell(f"hint: {hint}")


def terminal() -> bool:
    """Whether somebody watches: only then are there bars and colours."""
    return sys.stderr.isatty()
