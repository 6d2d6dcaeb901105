"""Sections of a report in plain lines."""

from collections.abc import Iterable, Iterator


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A title and its lines; nothing where there are no lines."""
    for number, line in enumerate(lines):
        if number == 0:
            yield from ("", title)
        yield f"  - {line}"
