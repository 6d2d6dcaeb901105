"""Availability: days and times at which a user is free, as intervals by weekday."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from sparring.extraction import typed_values
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.role_words import role_words
from sparring.extraction.tokens import cached, fold

_DAY = 24 * 60
_WEEK = tuple(range(7))
_FIRST_HOUR = 8
"""An hour before this one without a half of the day is in the afternoon: "after 3" is after 15:00."""

_HOUR = re.compile(r"(\d{1,2})(?:[:.h](\d\d))?(?!\d)(?:\s?([ap])\.?m\b)?")
_ORDINAL = re.compile(r"st\b|nd\b|rd\b|th\b|\s+(?:of|de)\s")

Interval = tuple[int, int, int]
"""Weekday from 0 for Monday, and the first and last minute of the day."""


@dataclass(slots=True)
class _Spell:
    """Days with a time, and the words for them."""

    days: dict[int, str] = field(default_factory=dict)
    start: int = 0
    end: int = _DAY
    time: str = ""


def _any(patterns: Sequence[str]) -> str:
    return rf"\b(?:{'|'.join(map(fold, patterns))})\b"


class _Patterns(NamedTuple):
    """Words of all languages for days and times, compiled."""

    weekdays: Sequence[re.Pattern[str]]
    groups: Sequence[tuple[re.Pattern[str], tuple[int, ...]]]
    parts: Sequence[tuple[re.Pattern[str], tuple[int, int]]]
    after: re.Pattern[str]
    before: re.Pattern[str]
    between: re.Pattern[str]
    except_: re.Pattern[str]
    late: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words = role_words()
    return _Patterns(
        [re.compile(_any([each.weekdays[day] for each in words])) for day in _WEEK],
        [(re.compile(_any([name])), days) for each in words for name, days in each.day_groups.items()],
        [(re.compile(_any([name])), span) for each in words for name, span in each.parts_of_day.items()],
        re.compile(rf"{_any([each.after for each in words])}\s*$"),
        re.compile(rf"{_any([each.before for each in words])}\s*$"),
        re.compile(rf"{_any([each.between for each in words])}\s*$"),
        re.compile(rf"{_any([each.except_ for each in words])}\s*$"),
        re.compile(rf"\s*{_any([each.late for each in words])}"),
    )


_AND = re.compile(r"\s*(?:and|y|и|to|a|до|-|–|till|until|hasta(?: las?)?)\s*(?:las?\s*)?$")


@cached
def available_days(text: str) -> tuple[str, ...]:
    """Return the days and times at which a sentence says that the user is free, each in its own words."""
    plain = fold(text)
    starts = [match.end() for words in role_words() for match in words.available.finditer(plain)]
    if len(plain) != len(text) or not starts:
        return ()
    before = plain[: min(starts)]
    rest = text[min(starts) :] if not _days(before) else text
    return tuple(value for value, _ in _spelled(rest))


@cached
def intervals(value: str) -> tuple[Interval, ...]:
    """Return the intervals of one value of an availability, or of a proposal."""
    return tuple(interval for _, found in _spelled(value) for interval in found)


def _spelled(text: str) -> list[tuple[str, tuple[Interval, ...]]]:
    """Return each day with its words and its intervals; a time without a day is for all days."""
    plain = fold(text)
    if len(plain) != len(text):
        return []
    found: list[tuple[str, tuple[Interval, ...]]] = []
    for spell in _spells(text, plain):
        start, end = spell.start, spell.end
        if not spell.days:
            found.append((spell.time, tuple((day, start, end) for day in _WEEK)))
        for words in dict.fromkeys(spell.days.values()):
            days = [day for day, named in spell.days.items() if named == words]
            found.append((f"{words} {spell.time}".strip(), tuple((day, start, end) for day in days)))
    return found


def _spells(text: str, plain: str) -> Iterator[_Spell]:
    spell, excluded = _Spell(), set[int]()
    done: list[_Spell] = []
    events = sorted([*_days(plain), *_times(text, plain)], key=lambda each: each[0])
    for at, end, days, span in events:
        if days and _patterns().except_.search(plain[:at]):
            excluded |= set(days)
        elif days:
            if spell.time and spell.days:
                done.append(spell)
                spell = _Spell()
            spell.days.update(dict.fromkeys(days, text[at:end]))
        elif not spell.time:
            spell.start, spell.end = span
            spell.time = text[at:end].strip()
    if spell.days or spell.time:
        done.append(spell)
    for each in done:
        kept = {day: words for day, words in each.days.items() if day not in excluded}
        if kept or not each.days:
            yield _Spell(kept, each.start, each.end, each.time)
    if excluded and not done:
        yield _Spell({day: _name(day) for day in _WEEK if day not in excluded})


def _name(day: int) -> str:
    return role_words()[0].weekdays[day].removesuffix("s?").capitalize()


_Event = tuple[int, int, tuple[int, ...], tuple[int, int]]


def _days(plain: str) -> list[_Event]:
    found: list[_Event] = [
        (*match.span(), (day,), (0, _DAY)) for day in _WEEK for match in _patterns().weekdays[day].finditer(plain)
    ]
    found += [(*match.span(), days, (0, _DAY)) for group, days in _patterns().groups for match in group.finditer(plain)]
    return found


def _times(text: str, plain: str) -> list[_Event]:
    """Return times with the words before them that make them a span."""
    found: list[_Event] = [
        (*match.span(), (), span) for part, span in _patterns().parts for match in part.finditer(plain)
    ]
    hours = list(_hours(text, plain))
    skip = False
    for (start, end, minute), later in zip_longest(hours, hours[1:]):
        before = plain[:start]
        if skip:
            skip = False
        elif (opens := _patterns().between.search(before)) and later and _AND.fullmatch(plain[end : later[0]]):
            found.append((opens.start(), later[1], (), (minute, later[2])))
            skip = True
        elif opens := _patterns().before.search(before):
            found.append((opens.start(), end, (), (0, minute)))
        elif opens := _patterns().after.search(before):
            found.append((opens.start(), end, (), (minute, _DAY)))
        elif later and _AND.fullmatch(plain[end : later[0]]) and "-" in plain[end : later[0]]:
            found.append((start, later[1], (), (minute, later[2])))
            skip = True
        else:
            found.append((start, end, (), (minute, minute)))
    return found


def _hours(text: str, plain: str) -> Iterator[tuple[int, int, int]]:
    """Yield times of day in order; a bare hour counts only after a word for a time."""
    known = [(each.start, each.end, _minute(str(each.value))) for each in typed_values.find("time", text)]
    bare = []
    for match in _HOUR.finditer(plain):
        if any(start <= match.start() < end for start, end, _ in known) or int(match[1]) > 23 or _is_part(plain, match):
            continue
        before = plain[: match.start()]
        if any(
            opens.search(before) for opens in (_patterns().after, _patterns().before, _patterns().between, _AND)
        ) or re.search(r"\bat $", before):
            hour, late = int(match[1]), _patterns().late.match(plain, match.end())
            hour += 12 if hour < 12 and (late or (not match[3] and hour < _FIRST_HOUR)) else 0
            bare.append((*match.span(), hour * 60 + int(match[2] or 0)))
    yield from sorted([*known, *bare])


def _is_part(plain: str, match: re.Match[str]) -> bool:
    """Return True if a number is a part of a longer one or an ordinal."""
    before = plain[match.start() - 1 : match.start()]
    return ((before.isalnum() or before in tuple("-/.,:")) and bool(before)) or bool(_ORDINAL.match(plain, match.end()))


def _minute(time: str) -> int:
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


def proposed(text: str, context: ExtractionContext = NO_CONTEXT) -> tuple[Interval, ...]:
    """Return the days and times that a question proposes; dates count as their weekdays."""
    found = intervals(text)
    days = [
        date.fromisoformat(str(each.value)) for each in typed_values.find("date", text, context) if _is_full(each.value)
    ]
    if not days or any(_days(fold(text))):
        return found
    spans = {(start, end) for _, start, end in found} or {(0, _DAY)}
    return tuple((day.weekday(), start, end) for day in days for start, end in sorted(spans))


def _is_full(value: object) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) is not None


def suits(values: Sequence[str], proposal: Sequence[Interval]) -> bool:
    """Return True if a user who is free at `values` can come at one of the proposed times."""
    free = [interval for value in values for interval in intervals(value)]
    return any(
        day == other and start <= end and begin <= last and start >= begin and _upto(end, start) <= last
        for other, begin, last in free
        for day, start, end in proposal
    ) or any(
        day == other and end - start > 0 and max(start, begin) < min(end, last)
        for other, begin, last in free
        for day, start, end in proposal
    )


def _upto(end: int, start: int) -> int:
    return start if end == start else end


def nearest(values: Sequence[str], proposal: Sequence[Interval]) -> str:
    """Return the value that comes soonest after the proposed day, or on it."""
    wanted = proposal[0][0] if proposal else 0

    def distance(value: str) -> int:
        return min(((day - wanted) % 7 for day, _, _ in intervals(value)), default=7)

    return min(values, key=distance, default="")
