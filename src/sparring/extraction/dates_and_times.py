"""Dates as YYYY-MM-DD, and times of day as HH:MM, in digits and words.

In ambiguous numeric dates the day comes first; a wrong guess would go unnoticed. If today's date is known, "tomorrow"
is a date and a date without a year is the next such day; otherwise a date without a year is `--MM-DD`, as in ISO 8601.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sparring.extraction.extractor import ExtractionContext, ValueMatch
from sparring.extraction.numbers import CURRENCY, SIGN
from sparring.extraction.tokens import NUMBERS, fold
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_DIGIT = re.compile(r"\d")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_NUMERIC = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/.-]*\d)")
_SHORT = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{2})(?![\d/])|(?<![\d/])(\d{2})/(\d{2})(?![\d/])")
_DAY_MONTH = re.compile(_WORDS["day_month"])
_MONTH_DAY = re.compile(r"\b([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b(?![:.,]\d)")
_MONTHS = {fold(name): number for names in _WORDS["months"].split("|") for number, name in enumerate(names.split(), 1)}
_AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})
"""Months that are other words without a capital."""

_DAYS = {
    "today": 0, "tomorrow": 1, "day after tomorrow": 2, "yesterday": -1,
    "hoy": 0, "manana": 1, "pasado manana": 2, "ayer": -1,
    "aujourd'hui": 0, "demain": 1, "apres-demain": 2, "heute": 0, "morgen": 1, "ubermorgen": 2,
    "oggi": 0, "domani": 1, "dopodomani": 2, "hoje": 0, "amanha": 1, "depois de amanha": 2,
    "сегодня": 0, "завтра": 1, "послезавтра": 2, "вчера": -1,
}  # fmt: skip
_RELATIVE = re.compile(
    rf"(?<!\bla )(?<!\besta )(?<!\bguten )(?<!\bam )\b(?:{'|'.join(sorted(_DAYS, key=len, reverse=True))})\b"
)
WEEKDAYS = {fold(name): number for names in _WORDS["weekdays"].split("|") for number, name in enumerate(names.split())}
_WEEKDAY = re.compile(
    rf"\b(?:on|this|next|coming|el|este|proximo|в|во|ce|le|am|diesen|nachsten|il|questo|na|nesta|no)\s+({'|'.join(WEEKDAYS)})\b(?!\s*(?:to|a|-|–))"
)
_IN = re.compile(
    rf"\b(?:in|within|en|dentro de|через|dans|fra|tra|em|daqui a)\s+(\d{{1,3}}|{'|'.join(NUMBERS)}|a|una?)\s+"
    r"(days?|dias?|дн\w+|день|jours?|tagen?|giorn[oi]|weeks?|semanas?|недел\w+|semaines?|wochen?|settiman[ae])\b"
)


def dates(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield the dates in a text."""
    yield from _absolute_dates(text, context)
    yield from _relative_dates(text, context)


def _absolute_dates(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    if not _DIGIT.search(text):
        return
    for match in _ISO.finditer(text):
        yield from _day(match, context, int(match[1]), int(match[2]), int(match[3]))
    for match in _NUMERIC.finditer(text):
        yield from _day(match, context, int(match[4]), *_month_and_day(int(match[1]), int(match[3])))
    for match in _SHORT.finditer(text):
        first, second = int(match[1] or match[4]), int(match[2] or match[5])
        yield from _day(match, context, 2000 + int(match[3]) if match[3] else None, *_month_and_day(first, second))
    for pattern, day, month in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        for match in pattern.finditer(text):
            number = month_number(match[month])
            if number:
                yield from _day(match, context, int(match[3]) if match[3] else None, number, int(match[day]))


def _month_and_day(first: int, second: int) -> tuple[int, int]:
    return (first, second) if second > 12 else (second, first)


def month_number(word: str) -> int | None:
    """Return the number of a month by its name, in any of the languages."""
    plain = fold(word)
    return None if plain in _AMBIGUOUS_MONTHS and word[0].islower() else _MONTHS.get(plain)


def _day(
    match: re.Match[str], context: ExtractionContext, year: int | None, month: int, day: int
) -> Iterator[ValueMatch]:
    try:
        found = date(year or 2000, month, day)
    except ValueError:
        return
    if year:
        yield ValueMatch(found.isoformat(), *match.span())
    elif context.today is None:
        yield ValueMatch(f"--{month:02}-{day:02}", *match.span())
    else:
        yield ValueMatch(_next_occurrence(context.today, month, day).isoformat(), *match.span())


def _next_occurrence(today: date, month: int, day: int) -> date:
    """Return the first such day from today on; February 29 may be years away."""
    for year in range(today.year, today.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    return date(today.year, month, day)


def _relative_dates(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield dates relative to today, if today's date is known."""
    plain = fold(text)
    if context.today is None or len(plain) != len(text):
        return
    for match in _RELATIVE.finditer(plain):
        yield _days_later(context.today, _DAYS[match[0]], match)
    for match in _WEEKDAY.finditer(plain):
        yield _days_later(context.today, (WEEKDAYS[match[1]] - context.today.weekday() - 1) % 7 + 1, match)
    for match in _IN.finditer(plain):
        count = int(match[1]) if match[1].isdecimal() else NUMBERS.get(match[1], 1)
        yield _days_later(context.today, count * (7 if match[2][0] in "wsн" else 1), match)


def _days_later(today: date, days: int, match: re.Match[str]) -> ValueMatch:
    return ValueMatch((today + timedelta(days)).isoformat(), *match.span())


_DIGITS = re.compile(
    rf"(?<![\w.,:$€£¥₹₽])([01]?\d|2[0-3])[:h.]([0-5]\d)(?::[0-5]\d)?(?:\s?([ap])\.?m\b\.?)?(?![\d:]|\.\d)"
    rf"(?!\s?(?:%|{SIGN}|(?:{CURRENCY})\b))"
    r"|(?<![\w.,:])(1[0-2]|0?[1-9])\s?([ap])\.?m\b\.?",
    re.IGNORECASE,
)
_HOUR = rf"({'|'.join(sorted(NUMBERS, key=len, reverse=True))}|1[0-2]|[1-9])"
_ENGLISH = re.compile(rf"\b(half past|(?:a )?quarter past|(?:a )?quarter to) {_HOUR}\b|\b{_HOUR} o'?clock\b")
_SPANISH = re.compile(rf"\blas? (una|{_HOUR[1:]}( y media| y cuarto| menos cuarto| en punto| (?=de la ))")
_RUSSIAN = re.compile(rf"\bв {_HOUR} час(?:ов|а)?\b")
_MINUTES = {"half past": 30, "quarter past": 15, "quarter to": -15, "y media": 30, "y cuarto": 15, "menos cuarto": -15}
_NAMED_TIMES = {"noon": 12, "midday": 12, "mediodia": 12, "полдень": 12, "midnight": 0, "medianoche": 0, "полночь": 0}
_HOURS = re.compile(_WORDS["hours"])
"""Full hours in German, French, Portuguese and Italian: "um 14 Uhr", "à 14 h", "às 14 horas", "alle 14"."""

_NAMED = re.compile(rf"\b(?:{'|'.join(_NAMED_TIMES)})\b")
_SPOKEN = re.compile(rf"past |quarter to|o'?clock|\blas? |час|uhr|\d ?h|(?:alle|ore) \d|{'|'.join(_NAMED_TIMES)}")
"""A part of every spoken time, which most texts do not have."""

_LATE = re.compile(r"\s*(?:in the (?:afternoon|evening)|at night|p\.?m\b|de la (?:tarde|noche)|вечера|дня)")
_EARLY = re.compile(r"\s*(?:in the morning|a\.?m\b|de la (?:manana|madrugada)|утра|ночи)")


def times(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield times of day; prices that look like times are excluded."""
    for match in _DIGITS.finditer(text) if _DIGIT.search(text) else ():
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        yield ValueMatch(f"{hour:02}:{minute:02}", *match.span())
    plain = fold(text)
    if len(plain) == len(text) and _SPOKEN.search(plain):
        yield from _spoken_times(plain)


def _spoken_times(plain: str) -> Iterator[ValueMatch]:
    for match in _ENGLISH.finditer(plain):
        yield _spoken_time(plain, match, match[2] or match[3], (match[1] or "").removeprefix("a "))
    for match in _SPANISH.finditer(plain):
        yield _spoken_time(plain, match, match[1], match[2].strip())
    for match in _RUSSIAN.finditer(plain):
        yield _spoken_time(plain, match, match[1], "")
    for match in _HOURS.finditer(plain):
        hour, minute = next((match[at], match[at + 1]) for at in (1, 3, 5) if match[at])
        yield ValueMatch(f"{int(hour):02}:{int(minute or 0):02}", *match.span())
    for match in _NAMED.finditer(plain):
        yield ValueMatch(f"{_NAMED_TIMES[match[0]]:02}:00", *match.span())


def _spoken_time(plain: str, match: re.Match[str], hour: str, minutes: str) -> ValueMatch:
    """Return an hour in words or digits with its qualifiers: "half past five in the afternoon"."""
    named = 1 if hour == "una" else int(hour) if hour.isdecimal() else NUMBERS[hour]
    late, early = _LATE.match(plain, match.end()), _EARLY.match(plain, match.end())
    if late:
        named = named % 12 + 12
    if early:
        named %= 12
    minute = (named * 60 + _MINUTES.get(minutes, 0)) % (24 * 60)
    behind = late or early
    return ValueMatch(f"{minute // 60:02}:{minute % 60:02}", match.start(), behind.end() if behind else match.end())


_LENGTH = re.compile(
    rf"(?<![\w.,:/-])(\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))}|half an|an?|una?)"
    rf"(?:\s?(?:-|–|to|or|a|o|u|bis|до|или)\s?(\d{{1,3}}))?"
    r"[\s-]?(hours?|hrs?|minutes?|mins?|min|horas?|minutos?|heures?|stunden?|minuten?|ore|ora|minuti|час\w*|минут\w*)\b"
)


def durations(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield durations in hours and minutes as HH:MM, a range as HH:MM-HH:MM."""
    plain = fold(text)
    if len(plain) != len(text):
        return
    for match in _LENGTH.finditer(plain):
        unit = 60 if match[3][0] in "hsoч" else 1
        first = (
            0.5 if match[1].startswith("half") else int(match[1]) if match[1].isdecimal() else NUMBERS.get(match[1], 1)
        )
        lengths = [first, *([int(match[2])] if match[2] else [])]
        minutes = [int(length * unit) for length in lengths]
        yield ValueMatch("-".join(f"{each // 60:02}:{each % 60:02}" for each in minutes), *match.span())
