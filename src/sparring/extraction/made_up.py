"""Made-up values of the same type and shape as those they stand for."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sparring.extraction.dates_and_times import month_number

_FIRST = (
    "Alex", "Robin", "Kim", "Sam", "Jo", "Chris", "Pat", "Lee", "Toni", "Nicky", "Jamie", "Charlie",
    "Frankie", "Jessie", "Sandy", "Terry", "Billie", "Danny", "Ashley", "Casey",
)  # fmt: skip
_OTHER = ("example", "sample", "specimen", "placeholder", "pattern", "model", "proof", "draft")
_BORN = date(1990, 1, 1)
_DIGITS = re.compile(r"\d+")
_KIND = re.compile(r"[A-Z]{2,6}[-_](?=\d+$)")
"""The start of an id that tells the kind of thing, which chatbots check: `ORD-` of `ORD-001`."""


def made_up(slot: str, value: str, number: int) -> str:
    """Return the invented value with a number, of the same type and shape."""
    if slot == "email":
        return f"person{number}@example.com"
    if slot == "name":
        turn, at = divmod(number - 1, len(_FIRST))
        return _in_case(value, _FIRST[at] + "abcdefghij"[turn - 1 : turn])
    if slot == "word":
        turn, at = divmod(number - 1, len(_OTHER))
        return _in_case(value, _OTHER[at] + "s" * turn)
    if slot == "address":
        words = iter(("Example", "Sample"))
        named = re.sub(r"[^\W\d_]{3,}", lambda match: next(words, "Place"), value)
        return _shaped(named, number, worded=False)
    if slot == "birth_date":
        return _date(value, number)
    if slot == "link":
        return f"https://example.com/{number}"
    if slot == "iban":
        return _iban(value, number)
    if slot == "card":
        return _card(value, number)
    if slot == "id" and (kind := _KIND.match(value)):
        return kind[0] + _shaped(value[kind.end() :], number, worded=False)
    return _shaped(value, number, worded=slot == "id" or not any(map(str.isdigit, value)))


def _in_case(value: str, made: str) -> str:
    if value.isupper() and len(value) > 1:
        return made.upper()
    return made.lower() if value[0].islower() else made.capitalize()


def _date(value: str, number: int) -> str:
    """Return a date that exists in the same notation; a month in words stays."""
    made = _BORN + timedelta(days=number)
    figures = _DIGITS.findall(value)
    if not figures:
        return made.isoformat()
    new = {"year": f"{made.year + (str(made.year) in value)}", "month": "01", "day": f"{1 + number % 12:02d}"}
    short = [at for at, each in enumerate(figures) if len(each) <= 2]
    worded = any(month_number(word) for word in re.findall(r"[^\W\d_]+", value))
    kinds = ["year" if len(each) >= 4 else "day" for each in figures]
    if not worded and len(short) >= 2:
        first, second = short[0], short[1]
        kinds[second if int(figures[first]) > 12 or len(figures[0]) < 4 else first] = "month"
        if int(figures[second]) > 12:
            kinds[first], kinds[second] = "month", "day"
        if len(short) >= 3:
            kinds[short[2]] = "year"
    left = iter(zip(figures, kinds, strict=True))

    def renewed(match: re.Match[str]) -> str:
        old, kind = next(left)
        text = new[kind][-2:] if len(old) <= 2 else new[kind]
        return text.lstrip("0") if len(old) == 1 else text

    return _DIGITS.sub(renewed, value)


def _shaped(value: str, number: int, *, worded: bool) -> str:
    """Return a value with other digits, and if it is `worded` other letters, in the same places."""
    digits = sum(map(str.isdigit, value))
    filled = f"{number:0{digits}d}"[-digits:] if digits else ""
    if digits > 4:
        filled = ("5550100" + filled[7:] if digits > 8 else "5" + filled[1:])[:digits]
        filled = filled[: digits - 3] + f"{number:03d}"[-3:]
    left, letters = iter(filled), _letters(number)
    made = (
        next(left) if char.isdigit() else _letter(char, next(letters)) if char.isalpha() and worded else char
        for char in value
    )
    return "".join(made)


def _letters(number: int) -> Iterator[str]:
    at = number - 1
    while True:
        yield "abcdefghijklmnopqrstuvwxyz"[at % 26]
        at += 1


def _letter(old: str, new: str) -> str:
    return new.upper() if old.isupper() else new


def _card(value: str, number: int) -> str:
    digits = sum(map(str.isdigit, value))
    start = f"4{number:0{digits - 2}d}"
    check = next(digit for digit in "0123456789" if is_card(start + digit))
    return _filled(value, start + check)


def _iban(value: str, number: int) -> str:
    plain = value.replace(" ", "")
    account = f"{number:0{len(plain) - 4}d}"
    digits = "".join(str(int(char, 36)) for char in f"{account}{plain[:2]}00")
    whole = iter(f"{plain[:2]}{98 - int(digits) % 97:02d}{account}")
    return "".join(char if char == " " else next(whole) for char in value)


def _filled(shape: str, digits: str) -> str:
    left = iter(digits)
    return "".join(next(left) if char.isdigit() else char for char in shape)


def is_card(text: str) -> bool:
    """Return True if the digits pass the check of card numbers (Luhn)."""
    digits = [int(char) for char in text if char.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
