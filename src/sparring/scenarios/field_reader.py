"""Reader for parsed documents that takes valid fields and collects problems with all others.

Each problem is reported once, in the order of the file, and only the first of very many. Limits on the size of a
document catch mistakes before a run.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Protocol, TypeVar

from sparring.core.errors import InputError, Problem
from sparring.core.text import did_you_mean, suggest
from sparring.parsing import Data, KeyPath, shortened
from sparring.parsing.document import MAX_PROBLEMS
from sparring.parsing.validate import type_name
from sparring.scenarios.field_types import COUNT, OneOf, Record, WholeNumber

_COUNTED = 10_000
"""The largest number of problems that are told apart; more would take more memory than the file."""


class ProblemList:
    """Problems of a document.

    Only those that are shown are located, because locating is slow in a large file.
    """

    def __init__(self) -> None:
        self._noted: set[Hashable] = set()
        self._problems: list[Problem] = []
        self._uncounted = False

    def add(self, about: Hashable, problem: Callable[[], Problem]) -> None:
        """Add a problem, unless the same field has one."""
        if about in self._noted:
            return
        if len(self._noted) >= _COUNTED:
            self._uncounted = True
        else:
            self._noted.add(about)
            if len(self._noted) <= MAX_PROBLEMS:
                self._problems.append(problem())

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems of another source, such as a file that this one names."""
        for problem in problems:
            self.add(problem, problem.model_copy)

    @property
    def full(self) -> bool:
        """True if further problems are not shown, so that hints are not worth computing."""
        return len(self._noted) >= MAX_PROBLEMS

    def __len__(self) -> int:
        return len(self._noted)

    def ordered(self) -> list[Problem]:
        """Return the problems that are shown, in the order of the file."""
        problems = sorted(self._problems, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0))
        return shortened(problems, len(self._noted), least=self._uncounted)

    def require_none(self) -> None:
        """Raise an `InputError` with all problems if there are any."""
        if self._noted:
            raise InputError(self.ordered())


_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

MOST = 100_000
"""The largest number of items or entries that are read in one place, unless the caller sets a lower one."""

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class SourceNode(Protocol):
    """A document that can locate each of its values."""

    @property
    def file(self) -> str: ...

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem: ...


_MEANT = {
    **dict.fromkeys(("persona", "personality", "style"), "user"),
    **dict.fromkeys(("assert", "assertions", "checks"), "expect"),
    **dict.fromkeys(("messages", "says"), "script"),
    **dict.fromkeys(("background", "context", "description", "profile"), "role"),
    "values": "data",
}
"""Keys of other tools for what is called differently here."""


@dataclass(frozen=True, slots=True)
class FieldReader:
    """A value in a document, its path, and the list that collects problems."""

    data: Data
    source: SourceNode
    problems: ProblemList
    path: KeyPath = ()

    def report(self, message: str, hint: str = "", *, key: bool = False) -> None:
        """Report a problem with this value, or with its key."""
        about = (self.source.file, self.path, message, hint, key)
        self.problems.add(about, lambda: self.source.problem(self.path, message, hint, key=key))

    def suggestion(self, name: str, known: Iterable[str], *, spellings: Iterable[str] = ()) -> str:
        """Return a hint at the name that was probably meant, as long as problems are shown.

        Further `spellings` may be meant, but are not listed.
        """
        return "" if self.problems.full else did_you_mean(name, spellings) or suggest(name, known)

    def _key_suggestion(self, written: str, record: Record) -> str:
        if parent := record.parent_of(written):
            return f"put it under {parent!r}"
        bare, meant = written.removeprefix("max_"), _MEANT.get(written, "")
        if parent := record.parent_of(bare):
            return f"did you mean {bare!r} under {parent!r}?"
        if meant in record.keys:
            return f"did you mean {meant!r}?"
        return self.suggestion(written, record.keys, spellings=record.spellings)

    @property
    def place(self) -> dict[str, int]:
        """The line and the column at which this value starts."""
        where = self.source.problem(self.path, "")
        return {"line": where.line or 1, "column": where.column or 1}

    def at(self, step: str | int, data: Data) -> "FieldReader":
        """Return the reader of the value at `step`."""
        return FieldReader(data, self.source, self.problems, (*self.path, step))

    def with_data(self, data: Data) -> "FieldReader":
        """Return a reader of the same place with other data, such as the parsed value."""
        return FieldReader(data, self.source, self.problems, self.path)

    def check_count(self, number: int, most: int, what: str) -> bool:
        """Return True if `number` is at most `most`; else report a problem and return False."""
        if number > most:
            self.report(f"expected at most {most:,} {what}, got {number:,}", "split the file")
        return number <= most

    def items(self, *, most: int = MOST, what: str = "items") -> list["FieldReader"]:
        """Return the items of a list; report a problem and return the first `most` if there are more."""
        if not isinstance(self.data, list):
            self._should_be("a list")
            return []
        self.check_count(len(self.data), most, what)
        return [self.at(index, item) for index, item in enumerate(islice(self.data, most))]

    def listed(self) -> list["FieldReader"]:
        """Return the items of a list, or a single value as a list."""
        return self.items() if isinstance(self.data, list) else [self]

    def entries(self, *, most: int = MOST, what: str = "entries") -> list[tuple[str, "FieldReader"]]:
        """Return the names and values of a mapping, or of a list of mappings, which older formats use.

        If there are more than `most`, report a problem and return the first.
        """
        if isinstance(self.data, dict):
            self.check_count(len(self.data), most, what)
            return [(name, self.at(name, value)) for name, value in islice(self.data.items(), most)]
        mappings = [item for item in self.data if isinstance(item, dict)] if isinstance(self.data, list) else []
        if isinstance(self.data, list) and len(mappings) == len(self.data):
            self.check_count(sum(map(len, mappings)), most, what)
            named = ((index, name, item[name]) for index, item in enumerate(mappings) for name in item)
            return [(name, self.at(index, None).at(name, value)) for index, name, value in islice(named, most)]
        self._should_be("a mapping")
        return []

    def fields(self, record: Record) -> dict[str, "FieldReader"]:
        """Return the entries with the keys of `record`, by the names of the keys, without empty ones."""
        if isinstance(self.data, dict) and not self.check_count(len(self.data), MOST, "entries"):
            return {}
        found: dict[str, FieldReader] = {}
        empty = set()
        for written, part in self.entries():
            name = record.spellings.get(written)
            if name is None:
                part.report("unknown key", part._key_suggestion(written, record), key=True)
            elif name in found:
                part.report(f"{name!r} is given twice", key=True)
            elif part.data is None:
                empty.add(name)
            else:
                found[name] = part
        for name in record.required:
            if name not in found and isinstance(self.data, dict | list):
                self.at(name, None).report("is empty" if name in empty else "is missing")
        return found

    def text(self) -> str:
        """Return a text without surrounding white space."""
        if isinstance(self.data, str):
            return self.data.strip()
        self._should_be("text", "put it in quotes" if isinstance(self.data, bool | int | float | date) else "")
        return ""

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts; a single text is a list of one."""
        if isinstance(self.data, str):
            return (self.text(),)
        return tuple(item.text() for item in self.items())

    def integer(self, limits: WholeNumber = COUNT, *, default: int = 1) -> int:
        """Return a whole number within limits; report a problem and return `default` for all else."""
        if not isinstance(self.data, int) or isinstance(self.data, bool):
            self._should_be("a whole number")
        elif self.data < limits.least:
            self.report(f"should be at least {limits.least}")
        elif limits.most is not None and self.data > limits.most:
            self.report(f"should be at most {limits.most:,}")
        else:
            return self.data
        return default

    def number(self) -> float | None:
        """Return a number, even in quotes; report a problem and return None for all else."""
        if isinstance(self.data, int | float) and not isinstance(self.data, bool):
            return self.data
        if isinstance(self.data, str) and _NUMBER.fullmatch(self.data):
            return float(self.data)
        self._should_be("a number")
        return None

    def positive(self) -> float | None:
        """Return a number greater than 0; report a problem and return None for all else."""
        number = self.number()
        if number is not None and number <= 0:
            self.report("should be greater than 0")
            return None
        return number

    def boolean(self) -> bool:
        """Return True or False, even in quotes; `yes` and `no` are accepted as in YAML 1.1."""
        if isinstance(self.data, bool):
            return self.data
        if isinstance(self.data, str) and self.data.lower() in _FLAGS:
            return _FLAGS[self.data.lower()]
        self._should_be("true or false")
        return False

    def one_of(self, choice: OneOf) -> str:
        """Return one of the names in its proper spelling; otherwise report a problem and return ""."""
        spelled = {name.lower(): name for name in choice.names}
        spelled |= {written.lower(): name for written, name in choice.also.items()}
        said = self.text()
        if said and said.lower() not in spelled:
            self.report(f"unknown value {said!r}", self.suggestion(said, choice.names))
        return spelled.get(said.lower(), "")

    def _should_be(self, wanted: str, hint: str = "") -> None:
        self.report(f"should be {wanted}, not {type_name(self.data)}", hint)


MAX_CASES = 100_000
MAX_GOALS = 200
MAX_VARIABLES = 500

Found = TypeVar("Found")


def bounded(part: FieldReader, found: Sequence[Found], most: int, what: str) -> Sequence[Found]:
    """Return the items of `part`; report a problem and return the first `most` if there are more."""
    part.check_count(len(found), most, what)
    return found[:most]
