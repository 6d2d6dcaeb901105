"""Times of the day in a text, as HH:MM, in digits and in words."""

import re
from collections.abc import Iterator

from sparring.reading.bearings import Bearings
from sparring.reading.found import Found
from sparring.reading.numbers import CURRENCY, SIGN
from sparring.reading.words import NUMBERS, fold

_DIGITS = re.compile(
    rf"(?<![\w.,:$€£¥₹₽])([01]?\d|2[0-3])[:h.]([0-5]\d)(?::[0-5]\d)?(?:\s?([ap])\.?m\b\.?)?(?![\d:])"
    rf"(?!\s?(?:%|{SIGN}|(?:{CURRENCY})\b))"
    r"|(?<![\w.,:])(1[0-2]|0?[1-9])\s?([ap])\.?m\b\.?",
    re.IGNORECASE,
)
_HOUR = rf"({'|'.join(sorted(NUMBERS, key=len, reverse=True))}|1[0-2]|[1-9])"
_ENGLISH = re.compile(rf"\b(half past|(?:a )?quarter past|(?:a )?quarter to) {_HOUR}\b|\b{_HOUR} o'?clock\b")
_SPANISH = re.compile(rf"\blas? (una|{_HOUR[1:]}( y media| y cuarto| menos cuarto| en punto| (?=de la ))")
_RUSSIAN = re.compile(rf"\bв {_HOUR} час(?:ов|а)?\b")
_MINUTES = {"half past": 30, "quarter past": 15, "quarter to": -15, "y media": 30, "y cuarto": 15, "menos cuarto": -15}
_ALONE = {"noon": 12, "midday": 12, "mediodia": 12, "полдень": 12, "midnight": 0, "medianoche": 0, "полночь": 0}
_NAMED = re.compile(rf"\b(?:{'|'.join(_ALONE)})\b")
_LATE = re.compile(r"\s*(?:in the (?:afternoon|evening)|at night|p\.?m\b|de la (?:tarde|noche)|вечера|дня)")
_EARLY = re.compile(r"\s*(?:in the morning|a\.?m\b|de la (?:manana|madrugada)|утра|ночи)")


def times(text: str, bearings: Bearings) -> Iterator[Found]:
    """The times of the day; a price is none, though it may look like one."""
    for match in _DIGITS.finditer(text):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        yield Found(f"{hour:02}:{minute:02}", *match.span())
    plain = fold(text)
    if len(plain) == len(text):
        yield from _in_words(plain)


def _in_words(plain: str) -> Iterator[Found]:
    for match in _ENGLISH.finditer(plain):
        yield _at(plain, match, match[2] or match[3], (match[1] or "").removeprefix("a "))
    for match in _SPANISH.finditer(plain):
        yield _at(plain, match, match[1], match[2].strip())
    for match in _RUSSIAN.finditer(plain):
        yield _at(plain, match, match[1], "")
    for match in _NAMED.finditer(plain):
        yield Found(f"{_ALONE[match[0]]:02}:00", *match.span())


def _at(plain: str, match: re.Match[str], hour: str, minutes: str) -> Found:
    """An hour in words or digits with what is said around it: "half past five in the afternoon"."""
    named = 1 if hour == "una" else int(hour) if hour.isdecimal() else NUMBERS[hour]
    late, early = _LATE.match(plain, match.end()), _EARLY.match(plain, match.end())
    if late:
        named = named % 12 + 12
    if early:
        named %= 12
    minute = (named * 60 + _MINUTES.get(minutes, 0)) % (24 * 60)
    behind = late or early
    return Found(f"{minute // 60:02}:{minute % 60:02}", match.start(), behind.end() if behind else match.end())
