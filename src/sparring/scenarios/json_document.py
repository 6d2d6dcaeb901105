"""JSON that people write, with the place of everything in it. Places are looked up only when there is a complaint."""

import json
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from sparring.core.errors import InputError, Problem
from sparring.core.value import DEEPEST, is_deeper
from sparring.documents import Data, KeyPath, shortened, written
from sparring.documents.document import MOST_PROBLEMS
from sparring.scenarios.json_places import Places

MAX_BYTES = 50_000_000


class JsonDocument:
    """What a JSON text says; `file` is the name that complaints use."""

    def __init__(self, text: str, file: str = "") -> None:
        self.file = file
        self._text = text
        self._places = Places(text)
        self._repeated = 0
        self.data: Data = self._parsed()
        if self._repeated:
            raise InputError(self._repetitions())

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Something wrong at `path`, or at the nearest thing around it that is there."""
        there = self._there(path)
        at_key, at_value = self._places.find(there)
        return self._problem(path, at_key if key and there == path else at_value, message, hint)

    def _problem(self, path: KeyPath, start: int, message: str, hint: str = "") -> Problem:
        line, column = _line_and_column(self._text, start)
        return Problem(file=self.file, line=line, column=column, path=written(path), message=message, hint=hint)

    def _there(self, path: KeyPath) -> KeyPath:
        """As much of a path as there is."""
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
        first = islice(self._places.repeated(), MOST_PROBLEMS)
        told = [self._problem(path, start, "is here twice") for path, start in first]
        deep = self._problem((), 0, f"a key is here twice, in more than {DEEPEST} levels")
        return shortened(told or [deep], self._repeated)

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
        self._repeated += len(pairs) - len(data)
        return data


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


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _refused(number)
