"""What a question is after, where it does not call it by its name: "who is it for?" asks for a name."""

import re
from collections.abc import Mapping
from functools import partial

from sparring.core.value import Json
from sparring.extraction.answer_kinds import whole
from sparring.extraction.goals import texts
from sparring.extraction.tokens import fold, pattern, stems

_pattern = partial(pattern, end=r"\b")


_ASKED_BY: Mapping[str, re.Pattern[str]] = {
    "name": _pattern(
        "who",
        "whom",
        "whose",
        "under what name",
        "quién",
        "a nombre de",
        "cómo (?:se|te) llama",
        "кто",
        "кому",
        "для кого",
    ),
    "date": _pattern("when", "what day", "which day", "cuándo", "qué día", "когда", "в какой день", "какого числа"),
    "time": _pattern(
        "when",
        "what time",
        "what hour",
        "at what",
        "cuándo",
        "a qué hora",
        "когда",
        "во сколько",
        "к которому часу",
        "какое время",
    ),
    "place": _pattern("where", "dónde", "a qué dirección", "где", "куда", "откуда", "по какому адресу"),
    "contact": _pattern(
        "reach you",
        "contact",
        "call you back",
        "phone",
        "localizar\\w*",
        "contactar\\w*",
        "teléfono",
        "связ\\w+",
        "позвонить",
        "телефон",
    ),
}
_CALLED: Mapping[str, frozenset[str]] = {
    "name": stems("name customer client person guest nombre cliente имя клиент фамилия"),
    "date": stems("date day fecha día дата день"),
    "time": stems("time hour hora время час"),
    "place": stems("place address city location destination lugar dirección ciudad destino адрес город место"),
    "contact": stems("phone telephone mobile number email contact teléfono móvil correo телефон номер почта"),
}
_TYPES = {"date": ("date",), "time": ("time",), "contact": ("phone", "email")}


def of_a_kind(question: str) -> bool:
    """Whether it is plain what kind of thing a question is after, whoever knows it."""
    return any(pattern.search(fold(question)) for pattern in _ASKED_BY.values())


def asked_for(question: str, variables: Mapping[str, Json]) -> tuple[str, ...]:
    """The variables that hold what a question is after."""
    plain = fold(question)
    kinds = [kind for kind, pattern in _ASKED_BY.items() if pattern.search(plain)]
    return tuple(name for name, value in variables.items() if any(_is(kind, name, value) for kind in kinds))


def _is(kind: str, name: str, value: Json) -> bool:
    if stems(name.replace("_", " ")) & _CALLED[kind]:
        return True
    return any(whole(type, text) is not None for type in _TYPES.get(kind, ()) for text in texts(value))
