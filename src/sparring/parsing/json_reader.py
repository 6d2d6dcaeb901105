"""Reader of JSON files, and lookup of positions in them on demand.

Positions are found by scanning the text again, and only the path to the last one is kept: a large text has millions of
positions, and at most a hundred are needed.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from sparring.core.errors import InputError, Problem
from sparring.core.value import MAX_DEPTH, is_deeper
from sparring.parsing import Data, KeyPath, shortened, written
from sparring.parsing.document import MAX_PROBLEMS

_SPACE = re.compile(r"[ \t\r\n]*")
_RUN = 1000
_SIMPLE = re.compile(rf'(?:(?:"(?:[^"\\]|\\.)*+"|[^][{{}}",\s]++)[ \t\r\n]*+,[ \t\r\n]*+){{{_RUN}}}', re.DOTALL)
"""A run of list items without nested values, skipped at once."""

_LONG = 10_000
"""Values of more characters than this have their end position cached."""


@dataclass(slots=True)
class _Level:
    """A list or mapping on the current path, with its current entry: index, key and value."""

    start: int
    at: int
    number: int = 0
    name: str | None = None
    value: int = 0


class PositionFinder:
    """Finds positions of values and keys in valid JSON text.

    The search continues after the last position, so that problems in the order of the text cost one scan.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._levels: list[_Level] = []
        self._ends: dict[int, int] = {}

    def find(self, path: KeyPath) -> tuple[int, int]:
        """Return the positions of the key and the value at an existing `path`; list items have no key."""
        key = value = self._spaced(0)
        for depth, step in enumerate(path):
            level = self._level(depth, value)
            self._seek(level, step)
            key, value = level.at, level.value
        return key, value

    def repeated(self) -> Iterator[tuple[KeyPath, int]]:
        """Yield the path and position of every duplicate key."""
        return self._repeated(self._spaced(0), ())

    def _repeated(self, start: int, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
        if len(path) >= MAX_DEPTH or not self._doubtful(start, len(path)):
            return
        level, names, singly = self._opened(start), set[str](), 0
        while self._is_entry(level):
            if not singly and level.name is None and self._pass_run(level):
                continue
            singly = (singly or _RUN) - 1
            if level.name is not None:
                if level.name in names:
                    yield (*path, level.name), level.at
                names.add(level.name)
            if self._text[level.value] in "[{":
                yield from self._repeated(level.value, (*path, level.number if level.name is None else level.name))
            self._next(level)

    def _doubtful(self, start: int, depth: int) -> bool:
        """Return True if the value may have duplicate keys.

        The check is skipped at depths where it would be repeated.
        """
        if depth == 0 or depth > 2:
            return True
        twice = False

        def note(pairs: list[tuple[str, object]]) -> None:
            nonlocal twice
            twice = twice or len(dict(pairs)) < len(pairs)

        json.JSONDecoder(object_pairs_hook=note).raw_decode(self._text, start)
        return twice

    def _level(self, depth: int, start: int) -> _Level:
        if depth < len(self._levels) and self._levels[depth].start == start:
            return self._levels[depth]
        del self._levels[depth:]
        self._levels.append(self._opened(start))
        return self._levels[depth]

    def _seek(self, level: _Level, step: str | int) -> None:
        """Move to an entry, starting over at the first one if it is not ahead."""
        if isinstance(step, int):
            if step < level.number:
                self._first(level)
            self._skip(level, step)
            return
        while level.name != step:
            self._next(level)
            if not self._is_entry(level):
                self._first(level)

    def _skip(self, level: _Level, number: int) -> None:
        while level.number < number:
            if number - level.number < _RUN or not self._pass_run(level):
                for _ in range(min(_RUN, number - level.number)):
                    self._next(level)

    def _pass_run(self, level: _Level) -> bool:
        """Skip a run of items without nested values. Return False if there is none."""
        if run := _SIMPLE.match(self._text, level.at):
            level.number += _RUN
            level.at = level.value = run.end()
        return run is not None

    def _opened(self, start: int) -> _Level:
        level = _Level(start, start)
        self._first(level)
        return level

    def _first(self, level: _Level) -> None:
        level.number = 0
        self._enter(level, self._spaced(level.start + 1))

    def _next(self, level: _Level) -> None:
        level.number += 1
        at = self._spaced(self._end(level.value))
        self._enter(level, self._spaced(at + 1) if self._text[at] == "," else at)

    def _enter(self, level: _Level, at: int) -> None:
        level.at = level.value = at
        if self._text[level.start] == "{" and self._is_entry(level):
            level.name, end = self._decoder.raw_decode(self._text, at)
            level.value = self._spaced(self._spaced(end) + 1)

    def _is_entry(self, level: _Level) -> bool:
        return self._text[level.at] not in "]}"

    def _end(self, start: int) -> int:
        if start in self._ends:
            return self._ends[start]
        end = self._decoder.raw_decode(self._text, start)[1]
        if end - start > _LONG:
            self._ends[start] = end
        return end

    def _spaced(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at


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
        repeated = [self._problem(path, start, "duplicate key") for path, start in first]
        deep = self._problem((), 0, f"duplicate key below {MAX_DEPTH} levels")
        return shortened(repeated or [deep], self._repeated)

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
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(Problem(file=str(path), message=f"is larger than {MAX_BYTES:,} bytes"))
        return JsonDocument(content.decode("utf-8-sig"), str(path))
    except OSError as error:
        raise InputError(Problem(file=str(path), message=f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(Problem(file=str(path), line=line, message="is not UTF-8 text")) from error


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _reject_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _reject_number(number)
