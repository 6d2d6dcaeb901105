"""Output on stdout, and messages on stderr."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from sparring.app.config import AppConfig
from sparring.cli.color import painted
from sparring.core.batch import IMPORTED, Batch
from sparring.core.errors import InputError, Problem
from sparring.core.text import visible
from sparring.core.value import Json

_MAX_SKIPPED = 5


def say(line: str = "") -> None:
    """Print a line of output. A closed pipe does not change the exit code.

    Raises:
        InputError: it cannot be written, as on a full disk.
    """
    with writing_output():
        print(painted(line, sys.stdout))


@contextmanager
def writing_output() -> Iterator[None]:
    """Print nothing more if stdout is closed or full, and raise InputError if it is full."""
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at exit
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"stdout: cannot be written: {error.strerror}") from error


def say_all(lines: Iterable[str]) -> None:
    """Print lines of output."""
    for line in lines:
        say(line)


def answer(kind: str, body: Mapping[str, Json], lines: Iterable[str] = (), *, as_json: bool) -> None:
    """Print the result of a command: as JSON of this kind, or as lines."""
    if as_json:
        from sparring.reports.documents import document  # knows all kinds
        from sparring.reports.json_report import printed

        say(printed(document(kind, body), lines=kind != "conversation"))  # those go into files, one a line
    else:
        say_all(lines)


def notify(line: str = "") -> None:
    """Print a message to stderr; a run continues if stderr is closed."""
    with suppress(OSError):
        print(painted(line, sys.stderr), file=sys.stderr, flush=True)


def warn(message: str) -> None:
    """Show a warning; its words may come from files and chatbots."""
    notify(f"warning: {visible(message)}")


def warn_given_up(reason: str, what: str = "asked") -> None:
    """Warn that no further calls are made, with the reason."""
    notify(f"warning: the rest is not {what}, since no further call will be answered: {visible(reason)}")


def complain(message: str, *, hint: str = "") -> None:
    """Print an error, one line for each problem, and a hint."""
    for line in message.splitlines() or [""]:
        notify(f"error: {visible(line)}")
    if hint:
        notify(f"hint: {visible(hint)}")


def warn_skipped(problems: Sequence[Problem]) -> None:
    """Print the first problems of what was skipped, and the number of the rest."""
    for problem in problems[:_MAX_SKIPPED]:
        notify(f"skipped: {visible(str(problem))}")
    if len(problems) > _MAX_SKIPPED:
        notify(f"skipped: {len(problems) - _MAX_SKIPPED:,} more files or entries")


def terminal() -> bool:
    """Return True if stderr is a terminal: only then is there a bar."""
    return sys.stderr.isatty()


def called() -> str:
    """Return the command that calls Sparring: its name, or its path if the name is not found."""
    if shutil.which("sparring"):
        return "sparring"
    called = os.path.relpath(sys.argv[0])
    return "python -m sparring" if called.endswith("__main__.py") else called


def unreadable(conversation: str) -> None:
    """Warn that a conversation was left out."""
    notify(f"warning: conversation {visible(conversation)} cannot be read, and is left out")


def warn_of_people(batch: Batch, config: AppConfig) -> None:
    """Warn if words of real people are written without redaction."""
    if batch.who.user == IMPORTED and not config.redact:
        what = "`redact: [email, phone, card]` in sparring.yaml writes `*` for them when you import them anew"
        notify(f"warning: these are words of real people, stored and shown with their personal data: {what}")
