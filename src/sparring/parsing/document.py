"""What a YAML file says, with the place of everything in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeAlias

from sparring.core.errors import Problem

Data: TypeAlias = "bool | int | float | str | date | list[Data] | dict[str, Data] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

MOST_PROBLEMS = 100
"""Nobody reads more about one file."""


@dataclass(slots=True)
class Node:
    """A value, where it starts, where its keys are, and how many values it holds."""

    data: Data
    place: tuple[int, int]
    children: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says, and where it says it. The keys of mappings are text, whatever they look like."""

    file: str
    data: Data
    root: Node = field(repr=False, compare=False)

    def place(self, path: KeyPath, *, key: bool = False) -> tuple[int, int]:
        """Line and column, from 1, of a value or of its key; or of the nearest thing around it that is there."""
        node, place = self.root, self.root.place
        for step in path:
            if step not in node.children:
                return node.place
            parent, node = node, node.children[step]
            place = parent.keys.get(step, node.place) if key else node.place
        return place

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Something wrong at `path`, ready to be shown."""
        line, column = self.place(path, key=key)
        return Problem(
            file=self.file, line=line or None, column=column or None, path=written(path), message=message, hint=hint
        )


def unplaced(data: Data, file: str) -> Document:
    """What somebody says without a file, so that nothing of it has a place but its path."""
    return Document(file, data, Node(data, (0, 0)))


def shortened(problems: Sequence[Problem], number: int = 0, *, least: bool = False) -> list[Problem]:
    """The first of very many problems, and how many there are beyond.

    `number` is how many, if not all are given, and how many at `least`, if they were not counted to the end.
    """
    more = max(number, len(problems)) - MOST_PROBLEMS
    if more <= 0:
        return list(problems)
    return [
        *problems[:MOST_PROBLEMS],
        Problem(file=problems[0].file, message=f"and {'at least ' if least else ''}{more:,} more"),
    ]


def written(path: KeyPath) -> str:
    """A path as people write it: `user.goals[1].size`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
