"""Data goes to stdout, everything said along the way to stderr."""

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

from sparring.core.errors import Problem
from sparring.core.text import visible

_TOLD = 5


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


def tell_given_up(reason: str, what: str = "asked") -> None:
    """Why what is left is not asked, or judged."""
    tell(f"warning: the rest is not {what}, since no further call will be answered: {visible(reason)}")


def complain(message: str, *, hint: str = "") -> None:
    """What went wrong, a line for each problem, and what to do about it; files and chatbots have a say in the words."""
    for line in message.splitlines() or [""]:
        tell(f"error: {visible(line)}")
    if hint:
        tell(f"hint: {visible(hint)}")


def tell_skipped(problems: Sequence[Problem], what: str) -> None:
    """The first of what was left out, and how much more there is."""
    for problem in problems[:_TOLD]:
        tell(f"skipped: {visible(str(problem))}")
    if len(problems) > _TOLD:
        tell(f"skipped: {len(problems) - _TOLD:,} more {what}")


def terminal() -> bool:
    """Whether somebody watches: only then are there bars and colours."""
    return sys.stderr.isatty()


def called() -> str:
    """How to call Sparring again: by its name, or by its path where the name would not be found."""
    if shutil.which("sparring"):
        return "sparring"
    called = os.path.relpath(sys.argv[0])
    return "python -m sparring" if called.endswith("__main__.py") else called


def unreadable(conversation: str) -> None:
    """Say that a conversation was left out."""
    tell(f"warning: conversation {visible(conversation)} cannot be read, and is left out")
