"""Stays whose number of nights is not the number between their two dates."""

import re
from collections.abc import Iterator
from datetime import date

from sparring.extraction import typed_values
from sparring.extraction.tokens import MAX_MESSAGE, NUMBERS, fold, pattern, sentences
from sparring.judges.builtin.statements import Statement

_NIGHTS = re.compile(
    r"\b(?P<number>\d{1,3}|[^\W\d]+)[ -](?:nights?|nacht|nachte|noches?|nuits?|notte|notti|noites?|ноч\w*)\b"
)
_HEDGED = pattern(
    "minimum", "maximum", "at least", "at most", "up to", "or", "free", "extra", "oder", "gratis", end=r"\b"
)
"""Words of sentences whose nights may be others than those of the stay."""

_ANY_YEARS = (2025, 2028)
"""A year without and one with 29 February, for dates without a year."""


def wrong_nights(at: int, text: str) -> tuple[Statement, str] | None:
    """Return a sentence with two dates and a wrong number of nights, and the number between the dates."""
    for sentence in sentences(text[:MAX_MESSAGE]):
        folded = fold(sentence.text)
        counts = [
            NUMBERS.get(each["number"]) or int(each["number"]) for each in _NIGHTS.finditer(folded) if _counts(each)
        ]
        days = [str(each.value) for each in typed_values.find("date", sentence.text)]
        if len(counts) != 1 or len(days) != 2 or _HEDGED.search(folded):
            continue
        between = set(_between(*days))
        if between and counts[0] not in between:
            said = Statement("stay", frozenset(), str(counts[0]), at, sentence.start, sentence.end, sentence.text)
            return said, " or ".join(map(str, sorted(between)))
    return None


def _counts(found: re.Match[str]) -> bool:
    return found["number"].isdigit() or found["number"] in NUMBERS


def _between(first: str, last: str) -> Iterator[int]:
    """Yield the days between two dates, which may have no year; none if the second one is not later."""
    for year in _ANY_YEARS:
        try:
            start = date.fromisoformat(first if first[0] != "-" else f"{year}{first[1:]}")
            end = date.fromisoformat(last if last[0] != "-" else f"{year}{last[1:]}")
            if last[0] == "-" and end < start:
                end = end.replace(year=start.year + 1)
        except ValueError:  # 29 February
            continue
        if end > start:
            yield (end - start).days
