"""Numbers, amounts of money and percentages in a text, as they are written here or there."""

import re
from collections.abc import Iterator

from sparring.reading.bearings import Bearings
from sparring.reading.found import Found

AMOUNT = r"\d{1,3}(?:[.,\u00a0\u202f' ]\d{3}){1,6}(?:[.,]\d{1,2})?(?!\d)|\d{1,15}(?:[.,]\d{1,6})?"
SIGN = r"[$€£¥₹₽]|US\$"
CURRENCY = (
    r"USD|EUR|GBP|JPY|INR|RUB|CHF|CAD|AUD|CNY|MXN|dollars?|euros?|pounds?|cents?|yen|rupees?|roubles?|rubles?"
    r"|dólares|dolares|pesos?|libras?|руб(?:\.|лей|ля|ль)?|евро|доллар(?:ов|а)?"
)
_MONEY = re.compile(
    rf"(?<!\d)(?:(?:{SIGN})\s?(?:{AMOUNT}))|(?<!\d)(?:(?:{AMOUNT})\s?(?:(?:{SIGN})|(?:{CURRENCY})(?!\w)))"
    rf"|(?:\b(?:USD|EUR|GBP|JPY|INR|RUB|CHF)\s?(?:{AMOUNT}))",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<![\w.,])[-+−]?(?:{AMOUNT})(?![\w])")
_LONGEST = 30
"""A number of more digits than this is no amount of anything."""

_PERCENT = re.compile(rf"(?<![\w.,])([-+−]?(?:{AMOUNT}))\s?(?:%|per\s?cent\b|por ciento\b|процент\w*)", re.IGNORECASE)


def number(words: str, decimal: str = "") -> float | int | None:
    """The number `words` write, whether the comma or the point parts the decimals; None if they write none.

    With one separator only, three digits behind it are thousands (`1.250`), unless it is the `decimal` mark of the
    language; anything else are decimals (`12,50`).
    """
    sign = -1 if words.strip().startswith(("-", "−")) else 1
    digits = re.sub(r"[^\d.,]", "", words).strip(".,")
    if not digits or len(digits) > _LONGEST:
        return None
    last = max(digits.rfind("."), digits.rfind(","))
    if last == -1:
        return sign * int(digits)
    mark, fraction = digits[last], digits[last + 1 :]
    several = len(set(re.findall(r"[.,]", digits))) > 1
    thousands = len(fraction) == 3 and digits[0] != "0" and mark != decimal
    if not several and (digits.count(mark) > 1 or thousands):
        return sign * int(re.sub(r"[.,]", "", digits))
    return sign * float(f"{re.sub(r'[.,]', '', digits[:last])}.{fraction}")


def money(text: str, bearings: Bearings) -> Iterator[Found]:
    """Amounts of money, in the words they were stated in."""
    for match in _MONEY.finditer(text):
        yield Found(match[0].strip(), *match.span())


def numbers(text: str, bearings: Bearings) -> Iterator[Found]:
    """Numbers of any kind."""
    for match in _NUMBER.finditer(text):
        value = number(match[0], bearings.decimal)
        if value is not None:
            yield Found(value, *match.span())


def floats(text: str, bearings: Bearings) -> Iterator[Found]:
    """Numbers, each with decimals even where none were stated."""
    for found in numbers(text, bearings):
        if isinstance(found.value, int | float):
            yield Found(float(found.value), found.start, found.end)


def percentages(text: str, bearings: Bearings) -> Iterator[Found]:
    """How many in a hundred: 12.5 for "12.5 %"."""
    for match in _PERCENT.finditer(text):
        value = number(match[1], bearings.decimal)
        if value is not None:
            yield Found(float(value), *match.span())
