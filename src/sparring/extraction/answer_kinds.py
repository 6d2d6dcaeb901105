"""Comparison of values: days, times, amounts and codes other than the requested one."""

import re
from collections.abc import Mapping
from functools import lru_cache

from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.tokens import cached, fold, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_COMPARED_TYPES = ("date", "time", "phone", "email")
_MAX_SHORT = 3
"""Maximum length of values, such as quantities, that are too common to compare."""

_CODE = re.compile(r"(?P<letters>[a-z]{2,})[-_#/]?(?P<digits>\d+)")
"""A code such as ORD-002. A single letter before a number may mean anything."""

_WEEKDAYS: Mapping[str, int] = {
    fold(name): number for names in _WORDS["weekdays"].split("|") for number, name in enumerate(names.split())
}

_THOUSANDS = 3
_APART = "[.,'’\u00a0\u202f ]"
"""What stands between the thousands of a number."""

_FEIRAS = {name: number for number, name in enumerate("segunda terca quarta quinta sexta".split())}
_FEIRA = re.compile(rf"\b({'|'.join(_FEIRAS)})-feira\b")
"""Portuguese days. Without their second half they are ordinals."""


@lru_cache(maxsize=8192)
def names_other_value(value: str, text: str) -> bool:
    """Return True if `text` names a value of the same type as `value`, but not `value` itself."""
    if _names_other_code(value, text):
        return True
    days = weekdays(value)
    if days and weekdays(text):
        return not days & weekdays(text)
    for type in _COMPARED_TYPES if len(value) > _MAX_SHORT else ():
        mine = only_value(type, value)
        if mine is not None:
            named = [found.value for found in typed_values.find(type, text)]
            return bool(named) and mine not in named
    return False


@lru_cache(maxsize=8192)
def names_typed(value: str, text: str, context: ExtractionContext = NO_CONTEXT) -> bool:
    """Return True if `text` names a date, a time or a code in any form: "8 pm" is 20:00."""
    if names_code(value, text) or _names_grouped(value, text):
        return True
    for type in ("date", "time") if len(value) > _MAX_SHORT else ():
        mine = only_value(type, value, context)
        if mine is not None:
            return any(_is_same(str(mine), str(found.value)) for found in typed_values.find(type, text, context))
    return False


def _names_grouped(value: str, text: str) -> bool:
    """Return True if `text` names a number with its thousands apart: "1.200,00" or "1 200" for 1200."""
    if not value.isdecimal() or len(value) <= _THOUSANDS or value[-_THOUSANDS:] not in text:
        return False
    parts = [value[max(0, end - _THOUSANDS) : end] for end in range(len(value), 0, -_THOUSANDS)]
    return re.search(rf"(?<![\d.,]){_APART.join(reversed(parts))}(?!\d|[.,]\d{{3}})", text) is not None


def _is_same(mine: str, other: str) -> bool:
    """Return True if two dates or times are equal; a date without a year equals that day of any year."""
    if "-" in (mine[0], other[0]):
        return mine[-5:] == other[-5:]
    return mine == other


def is_code(value: str) -> bool:
    """Return True if a value is a code of letters followed by digits, such as an order number."""
    return _CODE.fullmatch(fold(value.strip())) is not None


def _names_other_code(value: str, text: str) -> bool:
    """Return True if `value` is a code and `text` names codes with the same letters, but not this one."""
    mine = _CODE.fullmatch(fold(value.strip()))
    named = _numbers_of(mine["letters"], text) if mine else set()
    return mine is not None and bool(named) and mine["digits"].lstrip("0") not in named


def names_code(value: str, text: str) -> bool:
    """Return True if `value` is a code and `text` names it, with or without leading zeros."""
    mine = _CODE.fullmatch(fold(value.strip()))
    return mine is not None and mine["digits"].lstrip("0") in _numbers_of(mine["letters"], text)


def _numbers_of(letters: str, text: str) -> set[str]:
    """Return the numbers of the codes in `text` that begin with `letters`, without leading zeros."""
    codes = re.finditer(rf"\b{re.escape(letters)}[-_#/ ]?(?P<digits>\d+)\b", fold(text))
    return {found["digits"].lstrip("0") for found in codes}


@lru_cache(maxsize=8192)
def only_value(type: str, text: str, context: ExtractionContext = NO_CONTEXT) -> Json:
    """Return the value of a type that spans all of `text`, or None."""
    found = typed_values.find(type, text, context)
    return found[0].value if len(found) == 1 and found[0].end - found[0].start >= len(text.strip()) else None


@cached
def weekdays(text: str) -> frozenset[int]:
    """Return the days of the week that a text names, from 0 for Monday."""
    named = {_WEEKDAYS[word] for word in tokens(text) if word in _WEEKDAYS}
    return frozenset(named | {_FEIRAS[found[1]] for found in _FEIRA.finditer(fold(text))})


def weekdays_before(text: str, start: int) -> frozenset[int]:
    """Return the day of the week that stands beside a date, before its first character."""
    return weekdays(text[max(start - 14, 0) : start])
