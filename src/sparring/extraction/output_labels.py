"""What an output is about: the kind of its values, and the words that name it.

Kind words say what sort of value it is (price, date), meta words who states it (assistant, confirmed), and whole words
what the conversation is about anyway (order, booking). The rest names the thing: "the price of a new tire" is about a
new tire.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from sparring.core.case import OutputSpec
from sparring.extraction import typed_values
from sparring.extraction.tokens import fold, pattern, stems
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

KIND_WORDS = {
    "money": stems(_WORDS["of_money"]),
    "date": stems(_WORDS["of_dates"]),
    "time": stems(_WORDS["of_times"]),
    "duration": stems(_WORDS["of_durations"]),
    "number": stems(_WORDS["of_numbers"]),
}
NUMBERS = ("int", "float", "percent", "percentage")
KIND_WORDS |= dict.fromkeys(NUMBERS, KIND_WORDS["number"])
META = stems(_WORDS["meta"])
WHOLE = stems(_WORDS["whole"])
"""Words for what the whole conversation is about."""

_IMPLIED = {
    "email": pattern(_WORDS["email"], end=r"\w*"),
    "phone": pattern(_WORDS["phone"], end=r"(?:s|e|а)?\b"),
    "url": pattern(_WORDS["url"], end=r"\w*"),
    "money": pattern(_WORDS["money"], end=r"\b"),
    "date": pattern(_WORDS["date"], end=r"\b"),
    "time": pattern(_WORDS["time"], end=r"\b"),
}
"""Kinds that the name or description of a text implies."""
_ANYWHERE = ("email", "phone", "url")
"""Kinds that are implied by the description, too."""

_DURATION = pattern(_WORDS["duration"])
_CODE = pattern(_WORDS["code"], end=r"\b")
_IDENTIFIER = pattern(_WORDS["identifier"], start="", end=r"\b")
_BOUND = pattern(_WORDS["bound"], end=r"\b")
_UNIT = re.compile(_WORDS["unit"])
_PLURAL_OF_MONEY = pattern(_WORDS["plural_of_money"], end=r"\b")
_HOURS = pattern("hours", "opening", "closing", "horarios?", "öffnungszeiten", "часы", end=r"\b")


@dataclass(frozen=True, slots=True)
class OutputLabel:
    """The kind of an output's values, and the stems that name it.

    A text `needs` values of a kind in it, or is nothing but the words of one if `exact`. `about` are stems of the name,
    or else of the description, `own` those that no other output of this kind shares, `described` those of the
    description, and `rivals` what the others are about. A `generic` name only says the kind.
    A number that `identifies` is one of a booking or an order, a `bounded` one a maximum or minimum. `unit` is what the
    description counts in: "the weight in kg".
    """

    kind: str
    needs: str
    exact: bool
    about: frozenset[str]
    own: frozenset[str]
    described: frozenset[str]
    rivals: tuple[frozenset[str], ...]
    total: bool
    generic: bool
    identifies: bool
    bounded: bool
    unit: str

    @property
    def kind_words(self) -> frozenset[str]:
        return KIND_WORDS.get(self.kind, frozenset())


@lru_cache(maxsize=512)
def label_of(spec: OutputSpec, outputs: tuple[OutputSpec, ...]) -> OutputLabel:
    """Return the label of an output among the outputs of its case."""
    kind, needs, exact = _kind(spec)
    about = _about(spec, kind)
    others = [_about(each, kind) for each in outputs if each != spec and _kind(each)[0] == kind]
    rivals = tuple(each - about for each in others)
    return OutputLabel(
        kind=kind,
        needs=needs,
        exact=exact,
        about=about,
        described=_about_of(spec.description, kind).difference(*others),
        own=about.difference(*others) or about,
        rivals=tuple(each for each in rivals if each),
        generic=stems(_name(spec)) <= KIND_WORDS.get(kind, frozenset()) | META | WHOLE,
        identifies=bool(_IDENTIFIER.search(fold(_name(spec)) if not spec.description else fold(spec.description))),
        bounded=bool(_BOUND.search(fold(f"{_name(spec)} {spec.description}"))),
        unit=unit[1] if (unit := _UNIT.search(fold(spec.description))) else "",
        total=kind == "money" and bool(stems(f"{_name(spec)} {spec.description}") & WHOLE),
    )


def _name(spec: OutputSpec) -> str:
    return spec.name.replace("_", " ")


def _about(spec: OutputSpec, kind: str) -> frozenset[str]:
    """Return the stems that say which value of its kind is meant, of the name or else of the description."""
    return _about_of(_name(spec), kind) or _about_of(spec.description, kind)


def _about_of(words: str, kind: str) -> frozenset[str]:
    generic = KIND_WORDS.get(kind, frozenset()) | META | WHOLE
    return frozenset(stem for stem in stems(words) - generic if not stem.isdigit())


def _kind(spec: OutputSpec) -> tuple[str, str, bool]:
    """Return the kind of values, the kind that a text needs, and True if they are the words of a text."""
    name, description = fold(_name(spec)), fold(spec.description)
    lasts = bool(_DURATION.search(f"{name} {description}"))
    if spec.type not in typed_values.TEXT and typed_values.is_known_type(spec.type):
        kind = spec.type.partition("(")[0] if not spec.type.startswith("/") else spec.type
        return ("duration" if kind == "time" and lasts else kind), "", False
    for kind in _ANYWHERE:
        if _IMPLIED[kind].search(f"{name} {description}"):
            return kind, "", True
    if _CODE.search(name) or _CODE.search(description):
        return "code", "", True
    if _PLURAL_OF_MONEY.search(f"{name} {description}"):
        return "text", "money", False
    for kind in ("money", "date", "time"):
        if _IMPLIED[kind].search(name) and not (kind == "time" and (lasts or _HOURS.search(description))):
            return kind, "", True
    return "text", "time" if _HOURS.search(f"{name} {description}") else "", False
