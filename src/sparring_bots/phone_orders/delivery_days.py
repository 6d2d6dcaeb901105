"""The wholesaler's delivery days, and the day that a customer means."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.extractor import ExtractionContext
from sparring.extraction.tokens import fold, tokens

_AHEAD = 28
"""The maximum number of days ahead for which a weekday can be ordered."""

_RUSSIAN = "понедельник вторник среда четверг пятница суббота воскресенье".split()
_ENGLISH = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = {
    "Russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря".split(),
    "English": "January February March April May June July August September October November December".split(),
}
_WEEKDAYS: Mapping[str, int] = {
    fold(name): number
    for names in (
        _RUSSIAN,
        _ENGLISH,
        "понедельник вторник среду четверг пятницу субботу воскресенье".split(),
        "понедельникам вторникам средам четвергам пятницам субботам воскресеньям".split(),
        "пн вт ср чт пт сб вс".split(),
        "mon tue wed thu fri sat sun".split(),
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays".split(),
    )
    for number, name in enumerate(names)
}
_RANGE = re.compile(r"([^\W\d_]+)\s*[-–—]\s*([^\W\d_]+)")
_EVERY = re.compile(r"ежедневно|каждыи день|любои день|\bdaily\b|every day|any day")
_WORKING = re.compile(r"\bбудн|рабочи|\bweekdays\b|working days")


@dataclass(frozen=True)
class DeliveryDays:
    """Delivery days: weekdays and single dates, counted from `today`."""

    today: date
    weekdays: tuple[int, ...] = ()
    dates: tuple[date, ...] = ()

    def meant(self, words: str) -> date | None:
        """Return the date that is meant, even without a delivery: a date, or the next such weekday."""
        found = typed_values.find("date", words, ExtractionContext(today=self.today))
        if found:
            return date.fromisoformat(str(found[0].value))
        named = [_WEEKDAYS[word] for word in tokens(words) if word in _WEEKDAYS]
        listed = [day for day in self.dates if named and day.weekday() == named[0] and day > self.today]
        if listed:
            return listed[0]
        return self.today + timedelta((named[0] - self.today.weekday() - 1) % 7 + 1) if named else None

    def delivers(self, day: date) -> bool:
        ahead = (day - self.today).days
        return day in self.dates or (0 < ahead <= _AHEAD and day.weekday() in self.weekdays)

    def spoken(self, language: str) -> list[str]:
        """Return the delivery days to choose from."""
        names = _RUSSIAN if language == "Russian" else _ENGLISH
        return [names[day] for day in self.weekdays] + [spoken(day, language) for day in self.dates]


def spoken(day: date, language: str) -> str:
    """Return a day in words: Wednesday 4 February."""
    russian = language == "Russian"
    weekday = (_RUSSIAN if russian else _ENGLISH)[day.weekday()]
    return f"{weekday} {day.day} {_MONTHS['Russian' if russian else 'English'][day.month - 1]}"


def days(value: Json, today: date) -> DeliveryDays | None:
    """Parse delivery days: names, dates, `Mon-Fri`, every day; return None if there is no day in it."""
    texts = list(_texts(value))
    weekdays = {number for text in texts for number in _weekdays(fold(text))}
    dates = {
        date.fromisoformat(str(found.value))
        for text in texts
        for found in typed_values.find("date", text, ExtractionContext(today=today))
        if any(c.isdigit() for c in text[found.start : found.end])
    }
    if dates:
        return DeliveryDays(today, (), tuple(sorted(dates)))
    return DeliveryDays(today, tuple(sorted(weekdays))) if weekdays else None


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, list | dict):
        inner: Iterable[Json] = value.values() if isinstance(value, dict) else value
        for item in inner:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _weekdays(text: str) -> Iterator[int]:
    if _EVERY.search(text):
        yield from range(7)
    if _WORKING.search(text):
        yield from range(5)
    for first, last in _RANGE.findall(text):
        if first in _WEEKDAYS and last in _WEEKDAYS:
            yield from range(_WEEKDAYS[first], _WEEKDAYS[last] + 1)
    yield from (_WEEKDAYS[word] for word in tokens(text) if word in _WEEKDAYS)
