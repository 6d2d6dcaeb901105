"""Numbers, amounts of money and percentages in a text, as they are written here or there.

Things that are listed in a text: "sprite, coke or water", and lines with a bullet or a number each.
"""

import re
from collections.abc import Iterator

from sparring.core.value import Json
from sparring.extraction.extractor import ExtractionContext, ValueMatch

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


def money(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    """Amounts of money, in the words they were stated in."""
    for match in _MONEY.finditer(text):
        yield ValueMatch(match[0].strip(), *match.span())


def numbers(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    """Numbers of any kind."""
    for match in _NUMBER.finditer(text):
        value = number(match[0], bearings.decimal)
        if value is not None:
            yield ValueMatch(value, *match.span())


def floats(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    """Numbers, each with decimals even where none were stated."""
    for found in numbers(text, bearings):
        if isinstance(found.value, int | float):
            yield ValueMatch(float(found.value), found.start, found.end)


def percentages(text: str, bearings: ExtractionContext) -> Iterator[ValueMatch]:
    """How many in a hundred: 12.5 for "12.5 %"."""
    for match in _PERCENT.finditer(text):
        value = number(match[1], bearings.decimal)
        if value is not None:
            yield ValueMatch(float(value), *match.span())


_AND = r"(?:and|or|y|e|o|u|и|или)"
_ITEM = r"[^,;:.!?()\n]+?"
_LISTED = re.compile(rf"({_ITEM}(?:,\s*{_ITEM})*),?\s+{_AND}\s+({_ITEM})(?=[,;:.!?()\n]|$)")
_BEFORE = re.compile(
    r"^.*\b(?:are|is|have|has|with|of|includes?|including|offers?|sells?|serves?|like|from|between|for"
    r"|son|es|tenemos|ofrecemos|hay|con|como|entre|есть|это|из|с)\s+",
    re.IGNORECASE,
)
_BULLETS = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_LONGEST_LIST = 6
"""An item of more words than this is no item."""

_TOO_LONG = 1_000
"""Nobody lists anything in a sentence of more characters than this."""


def bulleted(text: str) -> bool:
    """Whether there are several lines with a bullet or a number in `text`."""
    return len(_BULLETS.findall(text)) > 1


def listed(text: str) -> Iterator[ValueMatch]:
    """The lists in a text, each as a list of its items' words."""
    if bulleted(text):
        yield _lines(list(_BULLETS.finditer(text)))
        return
    for match in _LISTED.finditer(text) if len(text) <= _TOO_LONG else ():
        before = _BEFORE.match(match[1].partition(",")[0])
        start = match.start() + (before.end() if before else len(match[1]) - len(match[1].lstrip()))
        items = [item.strip() for item in (*text[start : match.end(1)].split(","), match[2])]
        if all(0 < len(item.split()) <= _LONGEST_LIST for item in items):
            yield ValueMatch(list[Json](items), start, match.end(2))


def _lines(bullets: list[re.Match[str]]) -> ValueMatch:
    items = [match[1].strip(" .;,") for match in bullets]
    return ValueMatch(list[Json](items), bullets[0].start(1), bullets[-1].start(1) + len(bullets[-1][1].rstrip()))
