"""Reader of JSON files, and lookup of positions in them on demand."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from sparring.core.errors import InputError, Problem
from sparring.core.value import MAX_DEPTH, is_deeper
from sparring.parsing import Data, KeyPath, read_text, shortened, written
from sparring.parsing.document import MAX_PROBLEMS

_SPACE = re.compile(r"[ \t\r\n]*+")
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*+")[ \t\r\n]*+(:?)|[][{},]', re.DOTALL)
_DECODER = json.JSONDecoder()

_Entry = tuple[str | int, int, int]
"""An index or a key, with the positions of the key and the value; list items have no key."""


def _entries(text: str, start: int) -> Iterator[_Entry]:
    """Yield the entries of the list or mapping at a position of a valid text."""
    at, number = _spaced(text, start + 1), 0
    while text[at] not in "]}":
        step: str | int = number
        value = at
        if text[start] == "{":
            step, end = _DECODER.raw_decode(text, at)
            value = _spaced(text, _spaced(text, end) + 1)
        yield step, at, value
        at = _spaced(text, _DECODER.raw_decode(text, value)[1])
        at = _spaced(text, at + 1) if text[at] == "," else at
        number += 1


def _spaced(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


@dataclass(slots=True)
class _Level:
    """A list or mapping on the path to the last position: the entries found, and those that follow."""

    start: int
    rest: Iterator[_Entry]
    known: dict[str | int, tuple[int, int]] = field(default_factory=dict)

    def find(self, step: str | int) -> tuple[int, int]:
        while step not in self.known:
            name, *places = next(self.rest)
            self.known[name] = places[0], places[1]
        return self.known[step]


class PositionFinder:
    """Finds positions of values and keys in valid JSON text, as far into each list and mapping as needed.

    Only the path to the last position is kept: a large text has millions, and at most a hundred are needed.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._levels: list[_Level] = []

    def find(self, path: KeyPath) -> tuple[int, int]:
        """Return the positions of the key and the value at an existing `path`."""
        key = value = _spaced(self._text, 0)
        for depth, step in enumerate(path):
            if depth == len(self._levels) or self._levels[depth].start != value:
                self._levels[depth:] = [_Level(value, _entries(self._text, value))]
            key, value = self._levels[depth].find(step)
        return key, value

    def repeated(self) -> Iterator[tuple[KeyPath, int]]:
        """Yield the path and position of every duplicate key."""
        path, names = list[str | int](), list[set[str]]()
        for token in _TOKEN.finditer(self._text):
            if token[0] in "[{":
                path.append(0)
                names.append(set())
            elif token[0] in "]}":
                path.pop()
                names.pop()
            elif token[2]:
                path[-1] = name = json.loads(token[1])
                if name in names[-1]:
                    yield tuple(path), token.start()
                names[-1].add(name)
            elif token[0] == "," and isinstance(number := path[-1], int):
                path[-1] = number + 1


MAX_BYTES = 50_000_000


class JsonDocument:
    """Data of a JSON text. `file` is the name used in problems."""

    def __init__(self, text: str, file: str = "") -> None:
        self.file = file
        self._text = text
        self._places = PositionFinder(text)
        self._repeated = 0
        self.data: Data = self._parsed()
        if self._repeated:
            raise InputError(self._repetitions())

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Return a problem at `path`, positioned at the nearest existing value."""
        there = self._there(path)
        at_key, at_value = self._places.find(there)
        return self._problem(path, at_key if key and there == path else at_value, message, hint)

    def _problem(self, path: KeyPath, start: int, message: str, hint: str = "") -> Problem:
        line, column = _line_and_column(self._text, start)
        return Problem(file=self.file, line=line, column=column, path=written(path), message=message, hint=hint)

    def _there(self, path: KeyPath) -> KeyPath:
        """Return the longest prefix of a path that exists."""
        data = self.data
        for size, step in enumerate(path):
            if isinstance(step, str) and isinstance(data, dict) and step in data:
                data = data[step]
                continue
            if not (isinstance(step, int) and isinstance(data, list) and 0 <= step < len(data)):
                return path[:size]
            data = data[step]
        return path

    def _repetitions(self) -> list[Problem]:
        first = islice(self._places.repeated(), MAX_PROBLEMS)
        return shortened([self._problem(path, start, "duplicate key") for path, start in first], self._repeated)

    def _parsed(self) -> Any:
        try:
            data = json.loads(
                self._text, object_pairs_hook=self._object, parse_constant=_reject_number, parse_float=_finite
            )
            if "\\ud" in self._text or "\\uD" in self._text:
                json.dumps(data, ensure_ascii=False).encode()
            if is_deeper(data, MAX_DEPTH):
                raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
            return data
        except json.JSONDecodeError as error:
            place = {"line": error.lineno, "column": error.colno}
            message = f"is not JSON: {error.msg[0].lower()}{error.msg[1:]}"
            raise InputError(Problem(file=self.file, message=message, **place)) from error
        except (ValueError, RecursionError) as error:
            raise InputError(Problem(file=self.file, message=f"is unsupported JSON: {error}"[:200])) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        self._repeated += len(pairs) - len(data)
        return data


def load(path: Path) -> JsonDocument:
    """Read a JSON file. Raise InputError if it is invalid."""
    return JsonDocument(read_text(path, most=MAX_BYTES), str(path))


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _reject_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _reject_number(number)
