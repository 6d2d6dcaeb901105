"""Values that a file only asks for: made up by a language model, or listed by a Python function.

Both are refused unless whoever expands the file provides for them, before any conversation begins.

Runs a Python function that lists values: in a process of its own, without our environment, and not for long.

Makes up the values that files ask for with `any(...)`, by a language model, before anything is expanded.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from string import Template
from typing import NoReturn

from pydantic import Field

from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring.llm.model import ChatMessage, Model, Request
from sparring.llm.structured_output import ask
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.date_values import MAX_VALUES

SAMPLES: dict[str, Data] = {"string": "...", "int": 1, "float": 1.0, "bool": True, "date": "01/01/2025"}


@dataclass(frozen=True, slots=True)
class ModelValues:
    """`any(fruit)`: values to make up, of a type, and none of those that are given already."""

    text: str
    kind: str
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionValues:
    """A function in a Python file that lists values; `arguments` are a JSON list, of values and of named ones.

    The file is written from `folder`, in which the function runs; None if no folder has it.
    """

    folder: Path | None
    file: str
    function: str
    kind: str
    arguments: str = "[]"
    seed: str = ""


def no_model(wish: ModelValues) -> NoReturn:
    """Refuse to make anything up."""
    raise ValueError("any() needs a language model to make values up: choose one, or list the values instead")


def no_code(call: FunctionValues) -> NoReturn:
    """Refuse to run anything."""
    raise ValueError("a Python function is only run with --allow-code: allow it, or list the values instead")


@dataclass(frozen=True, slots=True)
class ExternalValues:
    """Where such values come from; each refuses with a ValueError that says what to do."""

    make_up: Callable[[ModelValues], tuple[Data, ...]] = no_model
    compute: Callable[[FunctionValues], tuple[Data, ...]] = no_code


def sample(asked: ModelValues | FunctionValues) -> tuple[Data, ...]:
    """A value that is good enough to see whether everything else is right."""
    return (SAMPLES.get(asked.kind, "..."),)


MAX_CHARACTERS = 1_000_000

_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_PROGRAM = Path(__file__).with_name("function_worker.py")


def computed(call: FunctionValues, *, seconds: float = 10) -> tuple[Data, ...]:
    """What the function lists; a ValueError if it does not, with the last line of what it complained about."""
    if call.folder is None or Path(call.file).is_absolute():
        raise ValueError(f"there is no file {call.file!r} in the folder of this file, or in one above it")
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"PYTHONHASHSEED": "0"}
    command = [
        sys.executable,
        "-P",
        "-s",
        str(_PROGRAM),
        str((call.folder / call.file).resolve()),
        call.function,
        call.seed,
    ]
    try:
        done = subprocess.run(
            command,
            input=call.arguments,
            env=environment,
            cwd=call.folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{call.function}() took longer than {seconds} s") from error
    if done.returncode:
        told = done.stderr.strip().splitlines() or ["no reason given"]
        raise ValueError(f"{call.function}() failed: {told[-1][:200]}")
    return _listed(call, done.stdout)


def _listed(call: FunctionValues, output: str) -> tuple[Data, ...]:
    try:
        values = JsonDocument(output[:MAX_CHARACTERS]).data
    except InputError as error:
        raise ValueError(f"{call.function}() listed something that cannot be used") from error
    if not isinstance(values, list) or len(values) > MAX_VALUES:
        raise ValueError(f"{call.function}() should list up to {MAX_VALUES:,} values")
    return tuple(values)


MOST = 20

_PROMPT = Template(files("sparring.scenarios").joinpath("prompts/making_up.md").read_text(encoding="utf-8"))


class GeneratedValues(Value):
    """Values, as text."""

    values: tuple[str, ...] = Field(min_length=1, max_length=MOST)


async def made_up(wishes: Iterable[ModelValues], model: Model, *, seed: int) -> Mapping[ModelValues, tuple[Data, ...]]:
    """What the model makes up for each wish; raises a `ModelError` where it does not."""
    return {wish: await _made_up(wish, model, seed) for wish in dict.fromkeys(wishes)}


async def _made_up(wish: ModelValues, model: Model, seed: int) -> tuple[Data, ...]:
    given = "\n".join(f"- {value}" for value in wish.given) or "(nothing)"
    prompt = _PROMPT.substitute(text=wish.text, kind=_KINDS.get(wish.kind, "text"), most=MOST, given=given)
    request = Request((ChatMessage("user", prompt),), temperature=0.8, seed=seed)
    ideas = (await ask(model, request, GeneratedValues)).value.values
    return tuple(_read(wish.kind, idea) for idea in ideas)


_KINDS = {
    "int": "whole numbers, in digits",
    "float": "numbers, in digits with a decimal point",
    "bool": "true or false",
    "date": "dates, as day/month/year",
}


def _read(kind: str, idea: str) -> Data:
    """An idea as its type has it; where it does not fit, it stays text, and whoever reads it complains."""
    if kind == "bool":
        return {"true": True, "false": False}.get(idea.strip().lower(), idea)
    if kind not in ("int", "float"):
        return idea
    try:
        number = int(idea) if kind == "int" else float(idea)
    except ValueError:
        return idea
    return number if isfinite(number) else idea
