"""Old spellings of options: accepted with a warning until 0.3."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from sparring.cli.console import notify

UNTIL = "0.3"


def _anything(value: str) -> bool:
    return True


@dataclass(frozen=True)
class Renamed:
    """An old option, with the arguments that replace it, in which `{}` is its value.

    `now` is the new spelling, for the warning. With `value` the next argument belongs to the option, unless `fits`
    rejects it.
    """

    old: str
    arguments: tuple[str, ...]
    now: str
    value: bool = True
    fits: Callable[[str], bool] = _anything


def command_with(*renamed: Renamed) -> type[TyperCommand]:
    """Return a class of commands that also accept these old options."""
    known = {each.old: each for each in renamed}

    class Command(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, list(_rewritten(args, known)))

    return Command


def _rewritten(args: list[str], known: dict[str, Renamed]) -> Iterator[str]:
    rest = iter(args)
    for each in rest:
        if each == "--":
            yield each
            break
        name, equals, value = each.partition("=")
        old = known.get(name)
        if old is None or (equals and not old.value):
            yield each
            continue
        if old.value and not equals:
            following = next(rest, None)
            if following is None or not old.fits(following):
                yield from (each,) if following is None else (each, following)
                continue
            value = following
        notify(f"warning: {name} is now {old.now}; the old spelling works until {UNTIL}")
        yield from (argument.replace("{}", value) for argument in old.arguments)
    yield from rest


def old_output(option: str, format: str, *, fits: Callable[[str], bool] = _anything) -> Renamed:
    """Return the old option that wrote a file in this format."""
    return Renamed(option, ("--output-as", f"{format}={{}}"), "--output FILE", fits=fits)


def path_like(value: str) -> bool:
    """Return True if an argument is a file rather than the name of a batch."""
    return value.endswith(".json") or os.sep in value or Path(value).is_file()
