"""A part of what someone wrote. Whoever reads it takes what fits and collects complaints about the rest."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Protocol

from sparring.core.errors import Problem
from sparring.core.text import meant
from sparring.parsing import Data, KeyPath
from sparring.scenarios.complaints import Complaints

_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

MOST = 100_000
"""How many items or entries are looked at in one place; where there may be fewer, whoever reads it says so."""

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class Written(Protocol):
    """A document that knows where everything in it is."""

    @property
    def file(self) -> str: ...

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a document, the way to it, and where complaints about the document are collected."""

    data: Data
    source: Written
    problems: Complaints
    path: KeyPath = ()

    def wrong(self, message: str, hint: str = "", *, key: bool = False) -> None:
        """Complain about this part, or about its key."""
        about = (self.source.file, self.path, message, hint, key)
        self.problems.note(about, lambda: self.source.problem(self.path, message, hint, key=key))

    def meant(self, name: str, known: Iterable[str]) -> str:
        """A hint at what was meant by a name, as long as anybody reads it."""
        return "" if self.problems.enough else meant(name, known)

    @property
    def place(self) -> dict[str, int]:
        """The line and the column where this part starts."""
        where = self.source.problem(self.path, "")
        return {"line": where.line or 1, "column": where.column or 1}

    def at(self, step: str | int, data: Data) -> "Part":
        """The part inside this one at `step`."""
        return Part(data, self.source, self.problems, (*self.path, step))

    def with_data(self, data: Data) -> "Part":
        """The same place, with something else in it: what was written there, once it is understood."""
        return Part(data, self.source, self.problems, self.path)

    def fits(self, number: int, most: int, what: str) -> bool:
        """Whether there are no more than there may be; a complaint where there are."""
        if number > most:
            self.wrong(f"there may be {most:,} {what}, and here are {number:,}", "split it")
        return number <= most

    def items(self, *, most: int = MOST, what: str = "items") -> list["Part"]:
        """The items of a list; only the first `most`, with a complaint, where it has more."""
        if not isinstance(self.data, list):
            self._should_be("a list")
            return []
        self.fits(len(self.data), most, what)
        return [self.at(index, item) for index, item in enumerate(islice(self.data, most))]

    def entries(self, *, most: int = MOST, what: str = "entries") -> list[tuple[str, "Part"]]:
        """The names and values of a mapping, or of a list of mappings, which older formats use instead; only the first
        `most`, with a complaint, where there are more.
        """
        if isinstance(self.data, dict):
            self.fits(len(self.data), most, what)
            return [(name, self.at(name, value)) for name, value in islice(self.data.items(), most)]
        mappings = [item for item in self.data if isinstance(item, dict)] if isinstance(self.data, list) else []
        if isinstance(self.data, list) and len(mappings) == len(self.data):
            self.fits(sum(map(len, mappings)), most, what)
            named = ((index, name, item[name]) for index, item in enumerate(mappings) for name in item)
            return [(name, self.at(index, None).at(name, value)) for index, name, value in islice(named, most)]
        self._should_be("a mapping")
        return []

    def fields(
        self, names: Iterable[str], *, also: Mapping[str, str] | None = None, required: Iterable[str] = ()
    ) -> dict[str, "Part"]:
        """The entries with these names; `also` says which other names mean one of them. Empty ones count as absent."""
        known, other = list(names), also or {}
        if isinstance(self.data, dict) and not self.fits(len(self.data), MOST, "entries"):
            return {}
        found: dict[str, Part] = {}
        for written, part in self.entries():
            name = other.get(written, written)
            if name not in known:
                part.wrong("unknown key", part.meant(written, known), key=True)
            elif name in found:
                part.wrong(f"{name!r} is given twice", key=True)
            elif part.data is not None:
                found[name] = part
        for name in required:
            if name not in found and isinstance(self.data, dict | list):
                self.at(name, None).wrong("is missing")
        return found

    def text(self) -> str:
        """Text, without the white space around it."""
        if isinstance(self.data, str):
            return self.data.strip()
        self._should_be("text", "put it in quotes" if isinstance(self.data, bool | int | float | date) else "")
        return ""

    def texts(self) -> tuple[str, ...]:
        """A list of texts, or one text."""
        if isinstance(self.data, str):
            return (self.text(),)
        return tuple(item.text() for item in self.items())

    def whole(self, *, least: int = 1, default: int = 1) -> int:
        """A whole number of at least `least`; `default` stands in for anything else."""
        if not isinstance(self.data, int) or isinstance(self.data, bool):
            self._should_be("a whole number")
        elif self.data < least:
            self.wrong(f"should be at least {least}")
        else:
            return self.data
        return default

    def number(self) -> float | None:
        """A number, also in quotes; None for anything else."""
        if isinstance(self.data, int | float) and not isinstance(self.data, bool):
            return self.data
        if isinstance(self.data, str) and _NUMBER.fullmatch(self.data):
            return float(self.data)
        self._should_be("a number")
        return None

    def positive(self) -> float | None:
        """A number greater than 0; None for anything else."""
        number = self.number()
        if number is not None and number <= 0:
            self.wrong("should be greater than 0")
            return None
        return number

    def flag(self) -> bool:
        """True or false, also in quotes; yes and no mean the same, as they did in YAML 1.1."""
        if isinstance(self.data, bool):
            return self.data
        if isinstance(self.data, str) and self.data.lower() in _FLAGS:
            return _FLAGS[self.data.lower()]
        self._should_be("true or false")
        return False

    def one_of(self, names: Iterable[str], *, also: Mapping[str, str] | None = None) -> str:
        """One of these names, whatever the case; empty for anything else."""
        known = list(names)
        spelled = {name.lower(): name for name in known}
        spelled |= {written.lower(): name for written, name in (also or {}).items()}
        said = self.text()
        if said and said.lower() not in spelled:
            self.wrong(f"{said!r} is not known here", self.meant(said, known))
        return spelled.get(said.lower(), "")

    def _should_be(self, wanted: str, hint: str = "") -> None:
        self.wrong(f"should be {wanted}, not {_kind(self.data)}", hint)


def _kind(data: Data) -> str:
    """What a value is, without the value itself: it may be long, or a secret."""
    if data is None:
        return "empty"
    if isinstance(data, bool):
        return "true or false"
    kinds = {str: "text", int: "a number", float: "a number", date: "a date", list: "a list", dict: "a mapping"}
    return kinds[type(data)]
