"""Values of a type, as they stand in a text: amounts of money, numbers, dates, times, addresses, codes.

A value keeps the words it was stated in where a machine form would lose something (`$11.50`), and takes the machine
form where there is one that loses nothing: dates as YYYY-MM-DD, times as HH:MM, numbers as numbers.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from sparring.core.value import Json
from sparring.reading.words import fold


@dataclass(frozen=True, slots=True)
class Found:
    """A value and where in the text its words stand."""

    value: Json
    start: int
    end: int


_AMOUNT = r"\d{1,3}(?:[.,\u00a0\u202f' ]\d{3}){1,6}(?:[.,]\d{1,2})?(?!\d)|\d{1,15}(?:[.,]\d{1,6})?"
_SIGN = r"[$€£¥₹₽]|US\$"
_CURRENCY = (
    r"USD|EUR|GBP|JPY|INR|RUB|CHF|CAD|AUD|CNY|MXN|dollars?|euros?|pounds?|cents?|yen|rupees?|roubles?|rubles?"
    r"|dólares|dolares|pesos?|libras?|руб(?:\.|лей|ля|ль)?|евро|доллар(?:ов|а)?"
)
_MONEY = re.compile(
    rf"(?<!\d)(?:(?:{_SIGN})\s?(?:{_AMOUNT}))|(?<!\d)(?:(?:{_AMOUNT})\s?(?:(?:{_SIGN})|(?:{_CURRENCY})(?!\w)))"
    rf"|(?:\b(?:USD|EUR|GBP|JPY|INR|RUB|CHF)\s?(?:{_AMOUNT}))",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<![\w.,])[-+−]?(?:{_AMOUNT})(?![\w])")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(r"(?<![\w-])\+?\d(?:[\s().-]?\d){6,14}(?![\w-])")
_TIME = re.compile(
    r"\b([01]?\d|2[0-3])[:h.]([0-5]\d)(?:\s?([ap])\.?m\.?)?(?!\d)|\b(1[0-2]|0?[1-9])\s?([ap])\.?m\b\.?", re.IGNORECASE
)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_NUMERIC_DATE = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b")
_MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "янв фев мар апр мая июн июл авг сен окт ноя дек",
    )
    for number, name in enumerate(names.split(), 1)
}
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?([^\W\d_]{3,})\.?(?:,?\s+(?:de\s+)?(\d{4}))?\b")
_MONTH_DAY = re.compile(r"\b([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b")
_CODE = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*\d)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*|[a-f]{4,}|[A-Z]{4,})(?![\w-])"  # hex may have no digit
)
_YES = re.compile(r"\b(?:yes|yeah|sure|of course|certainly|si|claro|да|конечно)\b")
_NO = re.compile(r"\b(?:no|not|never|unfortunately|нет|не)\b|n't\b")


_DIGITS = 30
"""A number of more digits than this is no amount of anything."""


def number(words: str) -> float | int | None:
    """The number `words` write, whether the comma or the dot parts the decimals; None if they write none.

    With one separator only, three digits behind it are thousands (`1.250`), anything else decimals (`12,50`).
    """
    sign = -1 if words.strip().startswith(("-", "−")) else 1
    digits = re.sub(r"[^\d.,]", "", words).strip(".,")
    if not digits or len(digits) > _DIGITS:
        return None
    last = max(digits.rfind("."), digits.rfind(","))
    if last == -1:
        return sign * int(digits)
    mark, fraction = digits[last], digits[last + 1 :]
    several = len(set(re.findall(r"[.,]", digits))) > 1
    if (digits.count(mark) > 1 and not several) or (not several and len(fraction) == 3 and digits[0] != "0"):
        return sign * int(re.sub(r"[.,]", "", digits))
    return sign * float(f"{re.sub(r'[.,]', '', digits[:last])}.{fraction}")


def _money(text: str) -> Iterator[Found]:
    for match in _MONEY.finditer(text):
        yield Found(match[0].strip(), *match.span())


def _numbers(text: str) -> Iterator[Found]:
    for match in _NUMBER.finditer(text):
        value = number(match[0])
        if value is not None:
            yield Found(value, *match.span())


def _integers(text: str) -> Iterator[Found]:
    """Whole numbers that are not part of an amount of money, a date, a time, a phone number or a code."""
    others = [found for kind in (_money, _dates, _times, _FINDERS["phone"], _FINDERS["code"]) for found in kind(text)]
    for found in _numbers(text):
        inside = any(
            o.start <= found.start and found.end <= o.end and o.end - o.start > found.end - found.start for o in others
        )
        if isinstance(found.value, int) and not inside:
            yield found


def _floats(text: str) -> Iterator[Found]:
    for found in _numbers(text):
        if isinstance(found.value, int | float):
            yield Found(float(found.value), found.start, found.end)


def _dates(text: str) -> Iterator[Found]:
    """Dates, the day before the month where both are numbers; a date without a year is `--MM-DD`, as in ISO 8601."""
    for match in _ISO_DATE.finditer(text):
        yield from _day(match, int(match[1]), int(match[2]), int(match[3]))
    for match in _NUMERIC_DATE.finditer(text):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        month, day = (first, second) if second > 12 else (second, first)
        yield from _day(match, year, month, day)
    for pattern, day_group, month_group in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        for match in pattern.finditer(text):
            month_number = _MONTHS.get(fold(match[month_group])[:3])
            if month_number:
                yield from _day(match, int(match[3]) if match[3] else None, month_number, int(match[day_group]))


def _day(match: re.Match[str], year: int | None, month: int, day: int) -> Iterator[Found]:
    try:
        found = date(year or 2000, month, day)
    except ValueError:
        return
    yield Found(found.isoformat() if year else f"--{month:02}-{day:02}", *match.span())


def _times(text: str) -> Iterator[Found]:
    for match in _TIME.finditer(text):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        yield Found(f"{hour:02}:{minute:02}", *match.span())


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Found]]:
    return lambda text: (Found(match[0], *match.span()) for match in pattern.finditer(text))


def _answers(text: str) -> Iterator[Found]:
    folded = fold(text)
    for pattern, value in ((_NO, False), (_YES, True)):
        match = pattern.search(folded)
        if match and len(folded) == len(text):
            yield Found(value, *match.span())


_FINDERS: dict[str, Callable[[str], Iterator[Found]]] = {
    "money": _money,
    "int": _integers,
    "float": _floats,
    "date": _dates,
    "time": _times,
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
    return type in _FINDERS or type in TEXT


def names() -> list[str]:
    """All types that are known."""
    return [*_FINDERS, *sorted(TEXT)]


def find(type: str, text: str) -> tuple[Found, ...]:
    """All values of `type` in `text`, in order."""
    return tuple(sorted(_FINDERS[type](text), key=lambda found: found.start))
