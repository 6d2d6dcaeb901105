"""JSON that people write, with the place of everything in it. Places are looked up only when there is a complaint."""

import json
import re
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from sparring.core.errors import InputError, Problem
from sparring.core.value import DEEPEST, is_deeper
from sparring.documents import Data, KeyPath, shortened, written
from sparring.documents.document import MOST_PROBLEMS

MAX_BYTES = 50_000_000

_DEEP = 20
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonDocument:
    """What a JSON text says; `file` is the name that complaints use."""

    def __init__(self, text: str, file: str = "") -> None:
        self.file = file
        self._text = text
        self._places: _Places | None = None
        self._repeated = False
        self.data: Data = self._parsed()
        if self._repeated:
            repeated = self._placed().repeated
            told = [self.problem(path, "is here twice", key=True) for path in repeated[:MOST_PROBLEMS]]
            raise InputError(shortened(told, len(repeated)))

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Something wrong at `path`, or at the nearest thing around it that is there."""
        places = self._placed()
        there = next((path[:size] for size in range(len(path), 0, -1) if path[:size] in places.values), ())
        start = places.keys.get(there, places.values[there]) if key and there == path else places.values[there]
        line, column = _line_and_column(self._text, start)
        return Problem(file=self.file, line=line, column=column, path=written(path), message=message, hint=hint)

    def _parsed(self) -> Any:
        try:
            data = json.loads(self._text, object_pairs_hook=self._object, parse_constant=_refused, parse_float=_finite)
            if "\\ud" in self._text or "\\uD" in self._text:
                json.dumps(data, ensure_ascii=False).encode()
            if is_deeper(data, DEEPEST):
                raise ValueError(f"it is nested in more than {DEEPEST} levels")
            return data
        except json.JSONDecodeError as error:
            place = {"line": error.lineno, "column": error.colno}
            message = f"is not JSON: {error.msg[0].lower()}{error.msg[1:]}"
            raise InputError(Problem(file=self.file, message=message, **place)) from error
        except (ValueError, RecursionError) as error:
            raise InputError(Problem(file=self.file, message=f"is not JSON that can be used: {error}"[:200])) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        self._repeated = self._repeated or len(data) < len(pairs)
        return data

    def _placed(self) -> "_Places":
        if self._places is None:
            self._places = _Places(self._text)
        return self._places


def load(path: Path) -> JsonDocument:
    """Read a JSON file; an InputError if it is none."""
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


class _Places:
    """Where everything in a JSON text starts that is known to be correct."""

    def __init__(self, text: str) -> None:
        self.values: dict[KeyPath, int] = {}
        self.keys: dict[KeyPath, int] = {}
        self.repeated: list[KeyPath] = []
        self._text = text
        self._decoder = json.JSONDecoder()
        self._value(self._spaced(0), ())

    def _spaced(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _value(self, at: int, path: KeyPath) -> int:
        """Note what starts at `at`, and tell where it ends."""
        self.values[path] = at
        if self._text[at] == "{" and len(path) < _DEEP:
            return self._entries(at, path)
        if self._text[at] == "[" and len(path) < _DEEP:
            return self._items(at, path)
        return self._decoder.raw_decode(self._text, at)[1]

    def _entries(self, at: int, path: KeyPath) -> int:
        at = self._spaced(at + 1)
        while self._text[at] != "}":
            start = at
            name, at = self._decoder.raw_decode(self._text, at)
            inside = (*path, name)
            if inside in self.keys:
                self.repeated.append(inside)
            self.keys[inside] = start
            colon = self._spaced(at)
            at = self._following(self._value(self._spaced(colon + 1), inside))
        return at + 1

    def _items(self, at: int, path: KeyPath) -> int:
        at, index = self._spaced(at + 1), 0
        while self._text[at] != "]":
            at = self._following(self._value(at, (*path, index)))
            index += 1
        return at + 1

    def _following(self, at: int) -> int:
        at = self._spaced(at)
        return self._spaced(at + 1) if self._text[at] == "," else at


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _refused(number)
