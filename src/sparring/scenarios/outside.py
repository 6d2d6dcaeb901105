"""Values that a file only asks for: made up by a language model, or listed by a Python function.

Both are refused unless whoever expands the file provides for them, before any conversation begins.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sparring.parsing import Data

SAMPLES: dict[str, Data] = {"string": "...", "int": 1, "float": 1.0, "bool": True, "date": "01/01/2025"}


@dataclass(frozen=True, slots=True)
class Wish:
    """`any(fruit)`: values to make up, of a type, and none of those that are given already."""

    text: str
    kind: str
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A function in a Python file that lists values; `arguments` are a JSON list, of values and of named ones.

    The file is written from `folder`, in which the function runs; None if no folder has it.
    """

    folder: Path | None
    file: str
    function: str
    kind: str
    arguments: str = "[]"
    seed: str = ""


def no_model(wish: Wish) -> NoReturn:
    """Refuse to make anything up."""
    raise ValueError("any() needs a language model to make values up: choose one, or list the values instead")


def no_code(call: Call) -> NoReturn:
    """Refuse to run anything."""
    raise ValueError("a Python function is only run with --allow-code: allow it, or list the values instead")


@dataclass(frozen=True, slots=True)
class Outside:
    """Where such values come from; each refuses with a ValueError that says what to do."""

    make_up: Callable[[Wish], tuple[Data, ...]] = no_model
    compute: Callable[[Call], tuple[Data, ...]] = no_code


def sample(asked: Wish | Call) -> tuple[Data, ...]:
    """A value that is good enough to see whether everything else is right."""
    return (SAMPLES.get(asked.kind, "..."),)
