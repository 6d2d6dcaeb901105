"""Whether a text names another value than the one that was meant: another day, time, number to call, or order."""

import re
from collections.abc import Mapping

from sparring.core.value import Json
from sparring.reading import typed
from sparring.reading.words import fold, tokens

_COMPARED = ("date", "time", "phone", "email")
_SHORT = 3
"""A value of so few characters, such as a quantity, is like many others."""

_CODE = re.compile(r"(?P<letters>[a-z]{2,})[-_#/]?(?P<digits>\d+)")
"""An order such as ORD-002; a single letter before a number may be anything."""

_WEEKDAYS: Mapping[str, int] = {
    fold(name): number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "lunes martes miércoles jueves viernes sábado domingo",
        "понедельник вторник среда четверг пятница суббота воскресенье",
        "понедельник вторник среду четверг пятницу субботу воскресенье",
    )
    for number, name in enumerate(names.split())
}


def names_another(value: str, text: str) -> bool:
    """Whether `text` names a value of the same type as `value`, and not `value` itself."""
    if _another_code(value, text):
        return True
    days = _weekdays(value)
    if days and _weekdays(text):
        return not days & _weekdays(text)
    for type in _COMPARED if len(value) > _SHORT else ():
        mine = whole(type, value)
        if mine is not None:
            named = [found.value for found in typed.find(type, text)]
            return bool(named) and mine not in named
    return False


def is_code(value: str) -> bool:
    """Whether a value is a code of letters and then digits, as those of orders are."""
    return _CODE.fullmatch(fold(value.strip())) is not None


def _another_code(value: str, text: str) -> bool:
    """Whether `value` is a code of letters and then digits, and `text` names codes with these letters, but not it."""
    mine = _CODE.fullmatch(fold(value.strip()))
    if mine is None:
        return False
    letters = re.escape(mine["letters"])
    named = {found["digits"].lstrip("0") for found in re.finditer(rf"\b{letters}[-_#/ ]?(?P<digits>\d+)\b", fold(text))}
    return bool(named) and mine["digits"].lstrip("0") not in named


def whole(type: str, text: str) -> Json:
    """The value of a type that all of `text` is, or None."""
    found = typed.find(type, text)
    return found[0].value if len(found) == 1 and found[0].end - found[0].start >= len(text.strip()) else None


def _weekdays(text: str) -> set[int]:
    return {_WEEKDAYS[word] for word in tokens(text) if word in _WEEKDAYS}
