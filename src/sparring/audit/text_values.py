"""Values in a text, normalized so that equal values are equal ("8 pm" is 20:00), and what it counts."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from sparring.extraction import typed_values
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.extractor import ExtractionContext
from sparring.extraction.numbers import number
from sparring.extraction.tokens import NUMBERS, cached, fold, stems, tokens
from sparring.extraction.word_tables import words_of_module

ALL_NUMBERS = ""
"""Key of all numbers among counts."""

_FOLLOWING = 4
"""Number of words after a number that may name what it counts."""

_FLEETING = re.compile(r"[ое](?=[бвгджзклмнпрстфхцчшщ]$)|[аеиоуыэюя]+$")
"""Vowels by which stems of one Russian word differ: "мешок", "мешка", "мешков"."""

_ARTICLES = frozenset("a an un una".split())
_NUMBER = re.compile(r"\d{1,3}")
_WRITTEN = re.compile(r"\d+(?:[-.:/]\d+)+")
"""A date, a time or another number with signs inside, which counts nothing."""


@cached
def counted(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return each number up to 999 in a text with the stems of the words that follow it."""
    return tuple(_counted(tokens(_WRITTEN.sub(" ", text))))


def _counted(words: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    for at, word in enumerate(words):
        number = _number(word)
        if number is None:
            continue
        things: list[str] = []
        for other in words[at + 1 : at + 1 + _FOLLOWING]:
            if _number(other) is not None:
                break
            things += stems(other)
        yield number, tuple(dict.fromkeys(things))


@cached
def _number(word: str) -> int | None:
    if _NUMBER.fullmatch(word):
        return int(word)
    if word[0].isdigit():
        return None
    only = "".join(stems(word))
    return int(only) if only.isdigit() else None


def counts_in(goals: Iterable[str], others: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the numbers of the things that goals count, an article being one, and their sums.

    The key `ALL_NUMBERS` has all numbers in goals and in `others`, one, and the number of goals.
    """
    goals = list(goals)
    counts: defaultdict[str, list[int]] = defaultdict(list)
    for text in goals:
        words = tuple("1" if word in _ARTICLES else word for word in tokens(text))
        for count, things in _counted(words):
            for thing in things:
                counts[thing].append(count)
    own = [number for text in goals for number, _ in counted(text)]
    named = {number for text in others for number, _ in counted(text)}
    known = {thing: frozenset({*numbers, sum(numbers)}) for thing, numbers in counts.items()}
    return {**known, ALL_NUMBERS: frozenset({1, len(goals), sum(own), *own}) | named}


def same_things(things: Iterable[str], counts: dict[str, frozenset[int]]) -> list[str]:
    """Return the counted things that are among `things`, in any form."""
    found = []
    for thing in things:
        if thing in counts:
            found.append(thing)
        elif not thing.isascii():
            found += [known for known in counts if _FLEETING.sub("", known) == _FLEETING.sub("", thing)]
    return found


_WORDS = words_of_module(__name__)

_KINDS = ("email", "url", "money", "date", "time", "phone", "code")
_DIGIT = re.compile(r"\d")
_PLAIN = re.compile(_WORDS["plain"], re.IGNORECASE)
"""A number that only counts what follows it."""

_YEAR = re.compile(r"\d{4}")
_MIN_CODE = 4
_NEAR = timedelta(days=14)
"""Days within which the weekday alone names a date."""

_FEW = 6
_PHONE_DIGITS = 7
"""Number of last digits of phone numbers that are compared, since country codes are optional."""

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|er|º|°|й|я|е|го|x|h|pm|am)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value of a kind with its span in the text; a date may have `no_year` in its words."""

    kind: str
    value: str
    start: int
    end: int
    no_year: bool = False


@dataclass(frozen=True, slots=True)
class TypedText:
    """Typed values of a text. Weekdays are values, too, and those of its dates are `implied`."""

    values: tuple[TypedValue, ...]
    implied: frozenset[str] = frozenset()

    def has(self, kind: str) -> bool:
        """Return True if the text has a value of a kind; a weekday is a kind of date."""
        kinds = ("date", "weekday") if kind in ("date", "weekday") else (kind,)
        return any(each.kind in kinds for each in self.values)

    def holds(self, value: TypedValue, today: date | None) -> bool:
        """Return True if the text has an equal value, or the day of the week of a date near `today`."""
        if value.kind == "weekday":
            return value.value in self.implied
        if any(each.kind == value.kind and _is_same(each, value) for each in self.values):
            return True
        if value.kind != "date" or not any(each.kind == "weekday" for each in self.values):
            return False
        return _day_of(value) in self.implied and _is_near(value, today)


_TYPED_WORDS = frozenset(_WORDS["typed_words"].split("|"))
"""Words of typed values without a digit."""


@cached
def has_typed(text: str) -> bool:
    """Return True if a text may have a typed value or a count: a digit, a number word, a day or a time."""
    words = tokens(text)
    return (
        bool(_DIGIT.search(text) or "@" in text)
        or not _TYPED_WORDS.isdisjoint(words)
        or any(word in NUMBERS or weekdays(word) for word in words)
    )


@lru_cache(maxsize=4096)
def typed_text(text: str, context: ExtractionContext) -> TypedText:
    """Return the typed values of a text; of overlapping ones, the one of the first kind."""
    found: list[TypedValue] = []
    for kind in _kinds_in(text):
        for each in typed_values.find(kind, text, context):
            words = text[each.start : each.end]
            value = _plain(kind, str(each.value))
            overlaps = any(each.start < other.end and other.start < each.end for other in found)
            if value and not overlaps and not (kind == "date" and weekdays(words)):
                no_year = kind == "date" and _DIGIT.search(words) is not None and not _YEAR.search(words)
                found.append(TypedValue(kind, value, each.start, each.end, no_year))
    days = [TypedValue("weekday", str(day), *_span_of(day, text)) for day in sorted(weekdays(text))]
    implied = {day.value for day in days} | {_day_of(each) for each in found if each.kind == "date"}
    return TypedText(tuple(sorted((*found, *days), key=lambda each: each.start)), frozenset(implied - {""}))


def without_typed(text: str, context: ExtractionContext) -> str:
    """Return a text without its typed values, so that "at 15:30" counts nothing."""
    for value in reversed(typed_text(text, context).values):
        text = f"{text[: value.start]} ; {text[value.end :]}"
    return text


def _kinds_in(text: str) -> tuple[str, ...]:
    """Return the kinds of which a text may have a value, to save searching for the others."""
    digits = len(_DIGIT.findall(text))
    named = not _TYPED_WORDS.isdisjoint(tokens(text))
    if not named and (not digits or (digits <= _FEW and not _DIGIT.search(_PLAIN.sub("", text)))):
        return ("email",) if "@" in text else ()
    return tuple(
        kind
        for kind in _KINDS
        if not (
            (kind == "email" and "@" not in text)
            or (kind == "url" and "/" not in text and "www" not in text)
            or (kind == "phone" and digits < _PHONE_DIGITS)
            or (kind == "code" and not digits)
        )
    )


def _plain(kind: str, value: str) -> str:
    """Return a value in normalized form; an empty string for none."""
    match kind:
        case "money":
            amount = number(value)
            return "" if amount is None else f"{amount:g}"
        case "phone":
            return re.sub(r"\D", "", value)[-_PHONE_DIGITS:]
        case "code":
            plain = re.sub(r"[\W_]", "", value).upper()
            is_code = len(plain) >= _MIN_CODE and _DIGIT.search(plain) and not _ORDINAL.fullmatch(value)
            return plain if is_code else ""
        case _:
            return fold(value)


def _is_same(one: TypedValue, other: TypedValue) -> bool:
    """Return True if two values are equal; dates without a year match any year, in either order."""
    if one.kind == "date" and (one.no_year or other.no_year or "-" in (one.value[:1], other.value[:1])):
        return other.value[-5:] in (one.value[-5:], f"{one.value[-2:]}-{one.value[-5:-3]}")
    return one.value == other.value


def _day_of(value: TypedValue) -> str:
    """Return the day of the week of a date with a year."""
    try:
        return str(date.fromisoformat(value.value).weekday())
    except ValueError:
        return ""


def _is_near(value: TypedValue, today: date | None) -> bool:
    return today is None or abs(date.fromisoformat(value.value) - today) <= _NEAR


def _span_of(day: int, text: str) -> tuple[int, int]:
    for match in re.finditer(r"[^\W\d_]+", text):
        if day in weekdays(match[0]):
            return match.span()
    return 0, len(text)
