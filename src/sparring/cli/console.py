"""Data goes to stdout, everything said along the way to stderr.

Colours, where somebody sees them and has not said that they would rather not.

Words of real people do not leave unnoticed.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, TextIO

from sparring.app.config import AppConfig
from sparring.core.batch import IMPORTED, Batch
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


def warn(message: str) -> None:
    """Show a warning; its words may come from files and chatbots."""
    tell(f"warning: {visible(message)}")


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


Colour = Literal["cyan", "grey"]

_CODES: dict[Colour, str] = {"cyan": "36", "grey": "90"}


def painted(line: str, colour: Colour, stream: TextIO) -> str:
    """The line in a colour, if it is written to a terminal that shows any; see no-color.org."""
    plain = not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return line if plain else f"\x1b[{_CODES[colour]}m{line}\x1b[0m"


def warn_of_people(batch: Batch, config: AppConfig) -> None:
    """Say so where what is written holds what real people said, and nothing of it is hidden."""
    if batch.who.user == IMPORTED and not config.redact:
        tell("warning: these are words of real people, and nothing is hidden; set `redact` and import them anew")
