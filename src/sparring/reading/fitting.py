"""Whether what was told is of the kind that was asked for: "how much" wants an amount, "when" a time or a day."""

from sparring.reading import typed
from sparring.reading.phrasing import denies
from sparring.reading.words import fold, pattern

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
_A_NUMBER = (
    r"\d",
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|half)\b",
    r"(?:uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|media)\b",
    r"(?:один|два|три|четыре|пять|шесть|семь|восемь|девять|десять|двенадцать|половин\w+)\b",
)
_NUMBER = pattern(*_A_NUMBER)
_FREE = pattern(r"(?:free|gratis|gratuit\w*|nothing|бесплатн\w*|included|incluid\w*)\b")
_TIME = pattern(
    *_A_NUMBER,
    r"(?:always|never|daily|every day|midnight|noon|now|today|tomorrow|\w+day\b|24/7|round the clock|closed)",
    r"(?:siempre|nunca|todos los días|mañana|hoy|lunes|martes|miércoles|jueves|viernes|sábado|domingo|cerrad\w+)",
    r"(?:всегда|никогда|ежедневно|круглосуточно|каждый день|завтра|сегодня)",
    r"(?:понедельник|вторник|сред|четверг|пятниц|суббот|воскресен)",
)


def wants_a_kind(question: str) -> bool:
    """Whether a question wants an amount or a time."""
    plain = fold(question)
    return bool(_AMOUNT_WANTED.search(plain) or _TIME_WANTED.search(plain))


def fits(question: str, told: str) -> bool:
    """Whether `told` holds what such a question wants; anything fits a question that wants nothing of the kind."""
    plain, said = fold(question), fold(told)
    if _AMOUNT_WANTED.search(plain):
        amount = typed.find("money", told) or _FREE.search(said)
        return bool(amount or (_NUMBER.search(said) and not denies(told)))
    return bool(_TIME.search(said)) if _TIME_WANTED.search(plain) else True
