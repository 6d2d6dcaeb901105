"""Sections of a report in plain lines."""

from collections.abc import Iterable, Iterator

from sparring.core.usage import Usage


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Return a title and its lines; nothing without lines."""
    for number, line in enumerate(lines):
        if number == 0:
            yield from ("", title)
        yield f"  - {line}"


def counted(number: int, thing: str) -> str:
    """Return a number with its noun: 1 file, 2 files."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def consumed(usage: Usage) -> str:
    """Return the usage of models in one line."""
    cached = f"; {counted(usage.from_cache, 'answer')} from the cache" if usage.from_cache else ""
    if not usage.calls:
        return f"none called{cached}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    if usage.unknown_tokens:
        tokens += f" ({counted(usage.unknown_tokens, 'call')} without a count)"
    cost = "cost unknown" if usage.known_cost is None else f"${usage.known_cost:,.4f}"
    if usage.known_cost is not None and usage.unknown_costs:
        cost += f" and {counted(usage.unknown_costs, 'call')} of unknown price"
    return f"{counted(usage.calls, 'call')}, {tokens}, {cost}{cached}"
