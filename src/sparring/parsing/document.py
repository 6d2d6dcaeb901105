"""Parsed documents: data together with the position of every value and key."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeAlias

from sparring.core.errors import Problem

Data: TypeAlias = "bool | int | float | str | date | list[Data] | dict[str, Data] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

MAX_PROBLEMS = 100
"""Maximum number of problems reported for one file."""


@dataclass(slots=True)
class Node:
    """A value with its position, the positions of its keys, and the number of values in it."""

    data: Data
    place: tuple[int, int]
    children: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """Data of a file with positions. Keys of mappings are always text."""

    file: str
    data: Data
    root: Node = field(repr=False, compare=False)

    def place(self, path: KeyPath, *, key: bool = False) -> tuple[int, int]:
        """Return line and column, from 1, of a value or its key, or of the nearest enclosing value."""
        node, place = self.root, self.root.place
        for step in path:
            if step not in node.children:
                return node.place
            parent, node = node, node.children[step]
            place = parent.keys.get(step, node.place) if key else node.place
        return place

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Return a problem at `path`."""
        line, column = self.place(path, key=key)
        return Problem(
            file=self.file, line=line or None, column=column or None, path=written(path), message=message, hint=hint
        )


def unplaced(data: Data, file: str) -> Document:
    """Return a document for data without a file; its problems have a path, but no line."""
    return Document(file, data, Node(data, (0, 0)))


def shortened(problems: Sequence[Problem], number: int = 0, *, least: bool = False) -> list[Problem]:
    """Return the first problems and a last one that counts the rest.

    `number` is the total if `problems` is incomplete; with `least`, it is a lower bound.
    """
    more = max(number, len(problems)) - MAX_PROBLEMS
    if more <= 0:
        return list(problems)
    return [
        *problems[:MAX_PROBLEMS],
        Problem(file=problems[0].file, message=f"and {'at least ' if least else ''}{more:,} more"),
    ]


def written(path: KeyPath) -> str:
    """Return a path as text: `user.goals[1].size`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
