"""Typed values in a text: amounts of money, numbers, dates, times, addresses and codes.

A value keeps its original words if a machine form would lose information (`$11.50`); otherwise dates become YYYY-MM-DD,
times HH:MM, and numbers numbers. A type may also be a pattern, `/[A-Z]{3}-[0-9]+/`, or `list[...]` of any type.
"""

import builtins
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate

import re2

from sparring.extraction.dates_and_times import dates, durations, times
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext, ValueMatch
from sparring.extraction.numbers import floats, lists, money, numbers, percentages
from sparring.extraction.tokens import cached, fold

Finder = Callable[[str, ExtractionContext], Iterator[ValueMatch]]

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_URL = re.compile(r"https?://[^\s<>\"')\]]{1,500}(?<![.,;:!?])|(?<![\w@.])www\.[^\s<>\"')\]]{1,200}(?<![.,;:!?])")
_DAY = r"(?:\d{4}-\d\d?-\d\d?|\d\d?[.-]\d\d?[.-]\d{4})(?![\d.-]*\d)"
_PHONE = re.compile(rf"(?<![\w-])(?<!\d\.)(?!{_DAY})\+?\d(?:[\s().-]?\d){{6,14}}(?![\w-])")
_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z]{1,6}/[\w/-]{0,20}\d[\w/-]{0,20}"
    r"|(?=[\w-]*\d)[^\W_]+(?:-[^\W_]+)*|[a-f]{4,}|[A-Z]{4,})(?![\w-])"  # hex may have no digit
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
_MAX_CACHED = 1_000
"""Maximum length of sentences whose values are cached, because they are searched after every message."""

_DIGIT = re.compile(r"\d")
_WITH_DIGITS = frozenset(("money", "int", "float", "percent", "percentage", "phone", "telefono"))
"""Types of which a text without a digit has no value."""

_WITHOUT_CONTEXT = frozenset(("money", "time", "email", "phone", "telefono", "bool", "url", "duration"))
"""Types whose values do not depend on the context, so that they are cached once."""

_ANY_CODE = "any code"
_PARTS = {
    "money": _DIGIT,
    "percent": re.compile(r"\d.*(?:%|[Cc]|[Пп])", re.DOTALL),
    "percentage": re.compile(r"\d.*(?:%|[Cc]|[Пп])", re.DOTALL),
    "email": re.compile("@"),
    "url": re.compile(r"https?:|www\."),
    _ANY_CODE: re.compile(r"\d|[a-f]{4}|[A-Z]{4}"),
}
"""A part of every value of a kind, which is found faster than the value, and which most texts do not have."""

_LIST = re.compile(r"list\s*\[(.*)\]|list", re.IGNORECASE)
_FORMAT = re.compile(r"(\w+)\s*\(.*\)")


def _matches(pattern: re.Pattern[str]) -> Finder:
    return lambda text, context: (ValueMatch(match[0], *match.span()) for match in pattern.finditer(text))


def _answers(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    folded = fold(text)
    for pattern, value in ((_NO, False), (_YES, True)):
        match = pattern.search(folded)
        if match and len(folded) == len(text):
            yield ValueMatch(value, *match.span())


def _except(finder: Finder, kinds: tuple[str, ...], *, same: bool = False) -> Finder:
    """Return a finder without parts of values of other `kinds`; with `same`, without these values, too."""

    def find_others(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
        mine = tuple(finder(text, context))
        if not mine:  # as in most texts
            return
        others = sorted((each.start, each.end) for kind in kinds for each in _all(kind, text, context))
        farthest = list(accumulate((end for _, end in others), max))
        for found in mine:
            before = bisect_left(others, (found.start, 0))
            upto = bisect_left(others, (found.start + 1, 0))
            longer = upto and farthest[upto - 1] >= found.end + (0 if same else 1)
            if not longer and not (before and farthest[before - 1] >= found.end):
                yield found

    return find_others


def _integers(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    return (found for found in numbers(text, context) if isinstance(found.value, int))


_OF_NUMBERS = ("money", "percent", "date", "time", "phone", _ANY_CODE, "url")
_NO_NUMBERS = ("date", "time", _ANY_CODE, "url")
_NO_CODES = ("money", "percent", "date", "time", "duration", "email", "url")
_FINDERS: dict[str, Finder] = {
    "money": money,
    "int": _except(_integers, _OF_NUMBERS),
    "float": _except(floats, _NO_NUMBERS),
    "percent": percentages,
    "percentage": percentages,
    "date": dates,
    "time": times,
    "email": _matches(_EMAIL),
    "phone": _matches(_PHONE),
    "telefono": _matches(_PHONE),
    "bool": _answers,
    _ANY_CODE: _matches(_CODE),
    "code": _except(lambda text, context: iter(_all(_ANY_CODE, text, context)), _NO_CODES, same=True),
    "url": _matches(_URL),
    "duration": durations,
}

TEXT = frozenset({"string", "str", "text"})
"""Types whose values are sentences, or codes if their name says so."""


def is_known_type(type: str) -> bool:
    """Return True if patterns can find values of `type`."""
    return type in TEXT or _finder(type) is not None


def python_type(type: str) -> builtins.type[str | int | float | bool | list[object]]:
    """Return the Python type of values of `type`."""
    if item_type(type) is not None:
        return list
    named = _FORMAT.fullmatch(type)
    return _NUMBERS.get(named[1] if named else type, str)


def type_names() -> list[str]:
    """Return the names of all types."""
    return [*(name for name in _FINDERS if name != _ANY_CODE), *sorted(TEXT)]


@lru_cache(maxsize=256)
def item_type(type: str) -> str | None:
    """Return the type of a list's items; None if `type` is no list."""
    match = _LIST.fullmatch(type.strip())
    return (match[1] or "string").strip() if match else None


def find(type: str, text: str, context: ExtractionContext = NO_CONTEXT) -> tuple[ValueMatch, ...]:
    """Return all values of `type` in `text`, in order; of overlapping ones, the first and longest."""
    if context is NO_CONTEXT or type in _WITHOUT_CONTEXT:
        return _without_context(type)(text)
    return _cached(type, text, context) if len(text) <= _MAX_CACHED else _found(type, text, context)


@lru_cache(maxsize=256)
def _without_context(type: str) -> Callable[[str], tuple[ValueMatch, ...]]:
    return cached(lambda text: _found(type, text, NO_CONTEXT))


@lru_cache(maxsize=8192)
def _cached(type: str, text: str, context: ExtractionContext) -> tuple[ValueMatch, ...]:
    return _found(type, text, context)


def _found(type: str, text: str, context: ExtractionContext) -> tuple[ValueMatch, ...]:
    if type in _WITH_DIGITS and not _DIGIT.search(text):
        return ()
    if type in _FINDERS:
        values: Iterable[ValueMatch] = _all(type, text, context)
    else:
        finder = _finder(type)
        values = finder(text, context) if finder else ()
    found: list[ValueMatch] = []
    for each in sorted(values, key=lambda each: (each.start, -each.end)):
        if not found or found[-1].end <= each.start:
            found.append(each)
    return tuple(found)


def _all(kind: str, text: str, context: ExtractionContext) -> tuple[ValueMatch, ...]:
    """Return all values of a kind, overlapping ones included; those of short texts are cached."""
    if kind in _WITHOUT_CONTEXT:
        context = NO_CONTEXT
    return _all_cached(kind, text, context) if len(text) <= _MAX_CACHED else tuple(_FINDERS[kind](text, context))


@lru_cache(maxsize=8192)
def _all_cached(kind: str, text: str, context: ExtractionContext) -> tuple[ValueMatch, ...]:
    part = _PARTS.get(kind)
    return () if part is not None and not part.search(text) else tuple(_FINDERS[kind](text, context))


@lru_cache(maxsize=256)
def _finder(type: str) -> Finder | None:
    """Return the finder of `type`, by its pattern or its name; a format in brackets is ignored."""
    if len(type) > 2 and type.startswith("/") and type.endswith("/"):
        return _pattern_finder(type[1:-1])
    inside = item_type(type)
    if inside is not None:
        return _list_finder(inside)
    named = _FORMAT.fullmatch(type)
    return _FINDERS.get(named[1] if named else type)


def _list_finder(type: str) -> Finder | None:
    """Return a finder for lists of a type: all values as one list, or listed texts."""
    if type in TEXT:
        return lambda text, context: lists(text)
    if _finder(type) is None:
        return None

    def find_all(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
        found = find(type, text, context)
        if found:
            yield ValueMatch([each.value for each in found], found[0].start, found[-1].end)

    return find_all


def _pattern_finder(pattern: str) -> Finder | None:
    """Return a finder for a user's pattern: its first group or whole match, in linear time."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error:
        return None

    def find_all(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
        for match in compiled.finditer(text):
            group = 1 if compiled.groups and match[1] is not None else 0
            if match[group]:
                yield ValueMatch(match[group], *match.span(group))

    return find_all
