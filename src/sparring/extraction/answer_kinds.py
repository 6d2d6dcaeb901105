"""Kinds of answers: amounts for "how much", times for "when", and values other than the requested one."""

import re
from collections.abc import Mapping

from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import fold, pattern, tokens

_AMOUNT_WANTED = pattern(
    r"how much (?:is|are|was|were|does|do|did|will|would|for|to)\b",
    r"(?:price|prices|cost|costs|fee|fees|charge|charges)\b",
    r"cuánto (?:cuesta|cuestan|vale|valen|es|sale)",
    r"(?:precio|precios|coste|tarifa|tarifas)\b",
    r"сколько (?:стоит|стоят)",
    r"(?:цена|цены|стоимость|комиссия)\b",
)
_TIME_WANTED = pattern(
    r"(?:when|what time|what hours)\b",
    r"(?:opening|closing) (?:hours|times?)",
    r"(?:cuándo|a qué hora)\b",
    r"horarios?\b",
    r"(?:когда|во сколько|часы работы)\b",
)
_NUMBER_WORDS = (
    r"\d",
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|half)\b",
    r"(?:uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|media)\b",
    r"(?:один|два|три|четыре|пять|шесть|семь|восемь|девять|десять|двенадцать|половин\w+)\b",
)
_NUMBER = pattern(*_NUMBER_WORDS)
_FREE = pattern(r"(?:free|gratis|gratuit\w*|nothing|бесплатн\w*|included|incluid\w*)\b")
_TIME = pattern(
    *_NUMBER_WORDS,
    r"(?:always|never|daily|every day|midnight|noon|now|today|tomorrow|\w+day\b|24/7|round the clock|closed)",
    r"(?:siempre|nunca|todos los días|mañana|hoy|lunes|martes|miércoles|jueves|viernes|sábado|domingo|cerrad\w+)",
    r"(?:всегда|никогда|ежедневно|круглосуточно|каждый день|завтра|сегодня)",
    r"(?:понедельник|вторник|сред|четверг|пятниц|суббот|воскресен)",
)


def asks_amount_or_time(question: str) -> bool:
    """Return True if a question asks for an amount or a time."""
    plain = fold(question)
    return bool(_AMOUNT_WANTED.search(plain) or _TIME_WANTED.search(plain))


def answers_kind(question: str, reply: str) -> bool:
    """Return True if `told` contains the amount or time asked for, or the question asks for neither."""
    plain, said = fold(question), fold(reply)
    if _AMOUNT_WANTED.search(plain):
        amount = typed_values.find("money", reply) or _FREE.search(said)
        return bool(amount or (_NUMBER.search(said) and not is_denial(reply)))
    return bool(_TIME.search(said)) if _TIME_WANTED.search(plain) else True


_COMPARED_TYPES = ("date", "time", "phone", "email")
_MAX_SHORT = 3
"""Maximum length of values, such as quantities, that are too common to compare."""

_CODE = re.compile(r"(?P<letters>[a-z]{2,})[-_#/]?(?P<digits>\d+)")
"""A code such as ORD-002. A single letter before a number may mean anything."""

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


def names_other_value(value: str, text: str) -> bool:
    """Return True if `text` names a value of the same type as `value`, but not `value` itself."""
    if _names_other_code(value, text):
        return True
    days = _weekdays(value)
    if days and _weekdays(text):
        return not days & _weekdays(text)
    for type in _COMPARED_TYPES if len(value) > _MAX_SHORT else ():
        mine = only_value(type, value)
        if mine is not None:
            named = [found.value for found in typed_values.find(type, text)]
            return bool(named) and mine not in named
    return False


def is_code(value: str) -> bool:
    """Return True if a value is a code of letters followed by digits, such as an order number."""
    return _CODE.fullmatch(fold(value.strip())) is not None


def _names_other_code(value: str, text: str) -> bool:
    """Return True if `value` is a code and `text` names codes with the same letters, but not this one."""
    mine = _CODE.fullmatch(fold(value.strip()))
    if mine is None:
        return False
    letters = re.escape(mine["letters"])
    named = {found["digits"].lstrip("0") for found in re.finditer(rf"\b{letters}[-_#/ ]?(?P<digits>\d+)\b", fold(text))}
    return bool(named) and mine["digits"].lstrip("0") not in named


def only_value(type: str, text: str) -> Json:
    """Return the value of a type that spans all of `text`, or None."""
    found = typed_values.find(type, text)
    return found[0].value if len(found) == 1 and found[0].end - found[0].start >= len(text.strip()) else None


def _weekdays(text: str) -> set[int]:
    return {_WEEKDAYS[word] for word in tokens(text) if word in _WEEKDAYS}
