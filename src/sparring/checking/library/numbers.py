"""Numbers and currencies inside texts."""

import re

from sparring.checking.function import function

_NUMBER = re.compile(r"[.,]?\d+(?:[.,'’\u00a0\u202f]\d+)*")
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_CODES = ("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "CNY", "SEK", "NOK", "DKK", "PLN", "MXN", "BRL")
_WORDS = {"dollar": "USD", "euro": "EUR", "pound": "GBP", "yen": "JPY", "rupee": "INR"} | {c.lower(): c for c in _CODES}
_WORD = re.compile(rf"(?<![^\W\d_])({'|'.join(_WORDS)})s?(?![^\W\d_])", re.IGNORECASE)


@function()
def extract_float(text: str | int | float) -> float | None:
    """The first number in a text, or None: `extract_float(price) >= 10`.

    `-12`, `.5`, `1,234.56`, `1.234,56`, `12,50` and `1'234` are read as people mean them. A lone comma followed by
    three digits separates thousands (`1,234`); a lone point never does (`1.234`). Digits that continue a word, as in
    `v2`, count only if there is no other number.
    """
    if type(text) in (int, float):
        return float(text)
    if not isinstance(text, str):
        raise TypeError(f"extract_float() needs a text, not {type(text).__name__}")
    free = (match for match in _NUMBER.finditer(text) if not text[max(match.start() - 1, 0) : match.start()].isalpha())
    match = next(free, None) or _NUMBER.search(text)
    if match is None:
        return None
    return -_value(match[0]) if _negative(text, match.start()) else _value(match[0])


def _negative(text: str, start: int) -> bool:
    """Whether a minus stands before the number or its currency, and is no dash between two things."""
    before = text[max(start - 3, 0) : start]
    before = before[:-1] if before[-1:] in _SYMBOLS else before
    return before[-1:] in ("-", "\u2212") and not (before[-2:-1].isalnum() or before[-2:-1] in (".", ",", ")"))


def _value(digits: str) -> float:
    plain = re.sub("['’\u00a0\u202f]", "", digits)
    points, commas = plain.count("."), plain.count(",")
    if points and commas:
        decimal = max(".,", key=plain.rfind)
        whole, _, fraction = plain.rpartition(decimal)
        return float(re.sub("[.,]", "", whole) + "." + fraction)
    mark = "." if points else ","
    groups = plain.split(mark)
    if _thousands(groups) and (len(groups) > 2 or mark == ","):
        return float("".join(groups))
    return float(".".join(groups[:2]))


def _thousands(groups: list[str]) -> bool:
    first, *rest = groups
    return 1 <= len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in rest)


@function()
def currency(text: str) -> str | None:
    """The currency a text speaks of, as its code, or None: `currency('5 euro') == 'EUR'`.

    A symbol ($ € £ ¥ ₹) wins over a code or a word, in capitals or not.
    """
    for character in text:
        if character in _SYMBOLS:
            return _SYMBOLS[character]
    word = _WORD.search(text)
    return _WORDS[word[1].lower()] if word else None
