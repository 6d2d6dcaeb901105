"""Formats of logs as plug-ins: one recognises its entries and reads conversations from them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.plugins import find, names
from sparring.core.text import suggest
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.recording import Recording

GROUP = "sparring.logs"
AUTO = "auto"
_SHOWN = 10
Read = Callable[[Iterable[LogEntry]], Iterator[Conversation | Problem]]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of logs: `fits` recognises an entry, `read` makes conversations of several.

    `recordings` reads them for rules, where these see more than a conversation holds.
    """

    fits: Callable[[LogEntry], bool]
    read: Read
    recordings: Callable[[Iterable[LogEntry]], Iterator[Recording | Problem]] | None = None


T = TypeVar("T")


def each(parse: Callable[[LogEntry], T]) -> Callable[[Iterable[LogEntry]], Iterator[T | Problem]]:
    """Return a reader of entries that are one conversation each."""

    def read(entries: Iterable[LogEntry]) -> Iterator[T | Problem]:
        for entry in entries:
            try:
                made = parse(entry)
            except NotARecording as error:
                yield entry.problem(str(error))
            else:
                yield made
                yield from losses(made, entry)

    return read


def losses(made: object, entry: LogEntry) -> Iterator[Problem]:
    """Yield a problem for what was left out of a conversation of a log."""
    warnings = made.warnings if isinstance(made, Conversation) else ()
    return (entry.problem(f"{made.id}: {each}") for each in warnings)  # type: ignore[attr-defined]


@cache
def formats() -> dict[str, LogFormat]:
    """Return all formats by name."""
    return {name: find(GROUP, name) for name in names(GROUP)}


def format_names() -> list[str]:
    """Return the names that `--format` takes."""
    return [AUTO, *names(GROUP)]


def require_known(name: str) -> None:
    """Raise InputError if no format has this name."""
    if name not in format_names():
        raise InputError(f"unknown format {name!r} of logs", hint=suggest(name, format_names()))


def detect(entry: LogEntry, known: dict[str, LogFormat]) -> str | Problem:
    """Return the name of the format of an entry, or a problem if it has none.

    Raise InputError if it has several.
    """
    fitting = [name for name, format in known.items() if format.fits(entry)]
    if len(fitting) > 1:
        raise InputError(
            entry.problem(f"may be {' or '.join(fitting)}", hint=f"choose one: --format {fitting[0]}"),
        )
    if fitting:
        return fitting[0]
    keys = [*entry.value] if isinstance(entry.value, dict) else []
    has = f"; it has {', '.join(map(repr, keys[:_SHOWN]))}" if keys else ""
    return entry.problem(f"is of no known format ({', '.join(known)}){has}")
