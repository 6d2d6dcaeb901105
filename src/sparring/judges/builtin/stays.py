"""Stays whose number of nights is not the number between their two dates."""

import re
from collections.abc import Iterator
from datetime import date

from sparring.extraction import typed_values
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.tokens import MAX_MESSAGE, NUMBERS, fold, pattern, sentences, tokens
from sparring.judges.builtin.statements import Statement

_NIGHTS = re.compile(
    r"\b(?P<number>\d{1,3}|[^\W\d]+)[ -](?:nights?|nacht|nachte|noches?|nuits?|notte|notti|noites?|ноч\w*)\b"
)
_HEDGED = pattern(
    "minimum", "maximum", "at least", "at most", "up to", "or", "free", "extra", "oder", "gratis", end=r"\b"
)
"""Words of sentences whose nights may be others than those of the stay."""

_TO = frozenset(
    "to until till through and departure departing leaving check out checkout on the bis zum abreise am al a hasta el"
    " salida au jusqu le depart fino partenza il ate saida по до выезд".split()
)
"""Words between the dates of a stay; there may be only a dash."""

_ANY_YEARS = (2025, 2028)
"""A year without and one with 29 February, for dates without a year."""


def wrong_nights(at: int, text: str) -> tuple[Statement, str] | None:
    """Return a sentence with two dates and a wrong number of nights, and the number between the dates."""
    text = text[:MAX_MESSAGE]
    for sentence in sentences(text) if _NIGHTS.search(fold(text)) else ():
        folded = fold(sentence.text)
        numbers = [each["number"] for each in _NIGHTS.finditer(folded)]
        counts = [NUMBERS.get(each) or int(each) for each in numbers if each.isdigit() or each in NUMBERS]
        if len(counts) != 1 or _HEDGED.search(folded):
            continue
        between = _between(sentence.text)
        if between and counts[0] not in between:
            said = Statement("stay", frozenset(), str(counts[0]), at, sentence.start, sentence.end, sentence.text)
            return said, " or ".join(map(str, sorted(between)))
    return None


def _between(sentence: str) -> set[int]:
    """Return the days between the dates of a stay; of dates without a year, there may be two numbers."""
    days = typed_values.find("date", sentence)
    if len(days) != 2 or not set(tokens(sentence[days[0].end : days[1].start])) <= _TO | WEEKDAYS.keys():
        return set()
    return set(_days(str(days[0].value), str(days[1].value)))


def _days(first: str, last: str) -> Iterator[int]:
    known = [int(each[:4]) for each in (last, first) if each[0] != "-"]
    for year in known[:1] or _ANY_YEARS:
        try:
            start = date.fromisoformat(first if first[0] != "-" else f"{year}{first[1:]}")
            end = date.fromisoformat(last if last[0] != "-" else f"{year}{last[1:]}")
            if end < start and last[0] == "-":
                end = end.replace(year=start.year + 1)
            elif end < start and first[0] == "-":
                start = start.replace(year=end.year - 1)
        except ValueError:  # 29 February
            continue
        if end > start:
            yield (end - start).days
