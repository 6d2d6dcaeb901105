"""Values of a type, as they stand in a text: amounts of money, numbers, dates, times, addresses, codes.

A value keeps the words it was stated in where a machine form would lose something (`$11.50`), and takes the machine
form where there is one that loses nothing: dates as YYYY-MM-DD, times as HH:MM, numbers as numbers.

A type may also be a pattern of its own, `/[A-Z]{3}-[0-9]+/`, and `list[...]` of any type.
"""

import builtins
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import re2

from sparring.extraction.dates_and_times import dates, times
from sparring.extraction.extractor import NOWHERE, ExtractionContext, ValueMatch
from sparring.extraction.numbers import floats, listed, money, numbers, percentages
from sparring.extraction.tokens import fold

Finder = Callable[[str, ExtractionContext], Iterator[ValueMatch]]

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(r"(?<![\w-])\+?\d(?:[\s().-]?\d){6,14}(?![\w-])")
_CODE = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*\d)[^\W_]+(?:-[^\W_]+)*|[a-f]{4,}|[A-Z]{4,})(?![\w-])"  # hex may have no digit
)
_YES = re.compile(r"\b(?:yes|yeah|sure|of course|certainly|si|claro|да|конечно)\b")
_NO = re.compile(r"\b(?:no|not|never|unfortunately|нет|не)\b|n't\b")
_NUMBERS: dict[str, type[int | float | bool]] = {
    "int": int,
    "float": float,
    "percent": float,
    "percentage": float,
    "bool": bool,
}
_SHORT = 1_000
"""Sentences up to this length are remembered: they are read again after every message."""

_LIST = re.compile(r"list\s*\[(.*)\]|list", re.IGNORECASE)
_FORMAT = re.compile(r"(\w+)\s*\(.*\)")


def _matches(pattern: re.Pattern[str]) -> Finder:
    return lambda text, bearings: (ValueMatch(match[0], *match.span()) for match in pattern.finditer(text))


def _answers(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    folded = fold(text)
    for pattern, value in ((_NO, False), (_YES, True)):
        match = pattern.search(folded)
        if match and len(folded) == len(text):
            yield ValueMatch(value, *match.span())


def _integers(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    """Whole numbers that are not part of an amount of money, a date, a time, a phone number or a code."""
    others = [found for kind in _OF_NUMBERS for found in _FINDERS[kind](text, bearings)]
    for found in numbers(text, bearings):
        inside = any(
            o.start <= found.start and found.end <= o.end and o.end - o.start > found.end - found.start for o in others
        )
        if isinstance(found.value, int) and not inside:
            yield found


_OF_NUMBERS = ("money", "percent", "date", "time", "phone", "code")
_FINDERS: dict[str, Finder] = {
    "money": money,
    "int": _integers,
    "float": floats,
    "percent": percentages,
    "percentage": percentages,
    "date": dates,
    "time": times,
    "email": _matches(_EMAIL),
    "phone": _matches(_PHONE),
    "telefono": _matches(_PHONE),
    "bool": _answers,
    "code": _matches(_CODE),
}

TEXT = frozenset({"string", "str", "text"})
"""The types whose values are sentences, or codes if that is what they are called."""


def known(type: str) -> bool:
    """Whether values of `type` can be found by patterns."""
    return type in TEXT or _finder(type) is not None


def holds(type: str) -> builtins.type[str | int | float | bool | list[object]]:
    """What values of `type` are, where there are any."""
    if items(type) is not None:
        return list
    named = _FORMAT.fullmatch(type)
    return _NUMBERS.get(named[1] if named else type, str)


def names() -> list[str]:
    """All types that are known by their name."""
    return [*_FINDERS, *sorted(TEXT)]


@lru_cache(maxsize=256)
def items(type: str) -> str | None:
    """The type of the items of a list; None for what is no list."""
    match = _LIST.fullmatch(type.strip())
    return (match[1] or "string").strip() if match else None


def find(type: str, text: str, bearings: ExtractionContext = NOWHERE) -> tuple[ValueMatch, ...]:
    """All values of `type` in `text`, in order; of two that share words, the one that starts first and is longer."""
    return _remembered(type, text, bearings) if len(text) <= _SHORT else _found(type, text, bearings)


@lru_cache(maxsize=8192)
def _remembered(type: str, text: str, bearings: ExtractionContext) -> tuple[ValueMatch, ...]:
    return _found(type, text, bearings)


def _found(type: str, text: str, bearings: ExtractionContext) -> tuple[ValueMatch, ...]:
    finder = _finder(type)
    found: list[ValueMatch] = []
    for each in sorted(finder(text, bearings) if finder else (), key=lambda each: (each.start, -each.end)):
        if not found or found[-1].end <= each.start:
            found.append(each)
    return tuple(found)


@lru_cache(maxsize=256)
def _finder(type: str) -> Finder | None:
    """How to find values of `type`: by its own pattern, or by its name, whatever format stands in brackets behind."""
    if len(type) > 2 and type.startswith("/") and type.endswith("/"):
        return _own(type[1:-1])
    inside = items(type)
    if inside is not None:
        return _all_of(inside)
    named = _FORMAT.fullmatch(type)
    return _FINDERS.get(named[1] if named else type)


def _all_of(type: str) -> Finder | None:
    """All values of a type as one; of texts, those that are listed."""
    if type in TEXT:
        return lambda text, bearings: listed(text)
    if _finder(type) is None:
        return None

    def find_all(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
        found = find(type, text, bearings)
        if found:
            yield ValueMatch([each.value for each in found], found[0].start, found[-1].end)

    return find_all


def _own(pattern: str) -> Finder | None:
    """Whatever a pattern that somebody wrote finds: its first group, or all of it; in linear time."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error:
        return None

    def find_all(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
        for match in compiled.finditer(text):
            group = 1 if compiled.groups and match[1] is not None else 0
            if match[group]:
                yield ValueMatch(match[group], *match.span(group))

    return find_all
