"""The part of a reply that asks, the example that it gives, and the thing that a wish is for."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sparring.extraction.languages import LANGUAGES
from sparring.extraction.options import options
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.phrasebooks.phrasebook import any_of
from sparring.extraction.speech_acts import is_yes_or_no_question, starts_with_yes_or_no
from sparring.extraction.tokens import NUMBERS, fold
from sparring.extraction.word_tables import words_of_module
from sparring.probes.examples import EXAMPLE_WORDS
from sparring.probes.invitations import without_buttons, without_invitations
from sparring.probes.offers import BRACKETED, are_fields, unnumbered, unpriced, without_list

_WORDS = words_of_module(__name__)
_EXAMPLE = re.compile(rf"(?:{EXAMPLE_WORDS})[:,]? *[\"“«']?(?P<value>[^.?!\"”»'\n()]{{2,60}})", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]{0,5}[-/ ]?\d[\w/-]*(?: \d[\w-]*)*")
"""A number or code at the beginning of an example: "NB-204815 and is at the top"."""

_IN_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_ASKED_TOGETHER = re.compile(r"[,;]|\b(?:and|und|y|et|e|и|as well as|sowie)\b")
_BEGINS_PART = re.compile(rf"(?:also |then )?(?:{_WORDS['begins_part']})\b")
_WHY = re.compile(rf",? \b(?:{_WORDS['why']})\b[^?;]*", re.IGNORECASE)
"""Why something is asked: ", in case we need to reach you"."""

_OR = re.compile(r",\s*(?:or |and )?|\s+(?:or|oder|o|ou)\s+|\s*/\s*(?=\D)")
_MOST_OF_OPTION = 4
_MORE_OF_EXAMPLE = re.compile(r"(?:[;,]|\s(?:or|and|oder|und|o|y|ou|et)\s).*")
_SHORT = 3
"""Words of an example that is said as it is: "10 roses"."""

_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
_LONG_BRACKETS = re.compile(r"\s*\([^()]{1,120}\)")
_NAME_ONE = re.compile(r"(?<![^\W_])name (?=(?:an?|the|one|any|your choice)\b)", re.IGNORECASE)
"""Requests to name a thing, which ask for no name of a person."""

_COULD_YOU = re.compile(
    r"\b(?:could|can|would|will) you (?:please |kindly |also |just )?(?:tell|give|share|describe|explain|provide|type"
    r"|enter|send|remind)(?: me| us)?(?: with (?:me|us))?,? ",
    re.IGNORECASE,
)
"""Requests that begin as a question for a yes: "Could you tell me what happened?"."""

_FULL_NAME = re.compile(
    r"\b(?:(?:first|given)(?: name)? and (?:last|family|sur) ?name|name and surname|nombres? y apellidos?"
    r"|vor- und nachname\w*|prénom et (?:le |votre )?nom|nom et (?:le |votre )?prénom|nome e (?:cognome|sobrenome)"
    r"|имя и фамили\w+)\b",
    re.IGNORECASE,
)
_BY_NUMBER = re.compile(
    r"\b(?:reply|answer|respond|type|enter|send|choose|select|pick|press|antwort\w*|wahlen|responda|elija|elige"
    r"|repond\w*|choisi\w*|rispond\w*|scegli\w*|escolha|ответьте|выберите)"
    r"(?: (?:me|us|back|with|by|in|just|only|an?|the|its|one|corresponding|mit|der|die|eine?r?|con|el|il|un|una|avec|le"
    r"|com|o|um))* (?:number|option|nummer|zahl|numero|opcion|chiffre|opzione|opcao|номер|цифр\w+)\b"
)
_IN_A_SENTENCE = re.compile(
    r" in (?:an?|one|\d) (?:short |few |couple of )?(?:sentence|word|line)s?(?: or (?:two|so))?\b"
)
"""How long an answer should be, which offers nothing."""

_FORMAT = re.compile(
    r"(?:(?<!\w)(?P<prefix>[a-z]{1,4}-?),? (?:followed by|and|plus|then|\+) )(?P<number>\d{1,2}|\w+)[- ]"
    r"(?:digits?|numbers|figures)"
    r"|(?<!\w)(?P<digits>\d{1,2}|\w+)[- ]?(?:digit|stellig|figure|ziffern|cifras|chiffres|cifre|digitos|цифр)"
)
_THING = re.compile(r"\b(?!order\b)\w+ (?:an?|my|the) (?P<thing>(?!order\b)[a-z]+)(?=,|\.|$)")

_ASKS = re.compile(_WORDS["asks"])
_WANTS = re.compile(_WORDS["wants"])
_ANY_OF = re.compile(rf"(?:{_WORDS['any_of']})\b")
_LABEL = re.compile(r"^\W*([^\W\d][^:\n(]{1,40}?)(?: ?\(([^()\n]{3,60})\))?: *$", re.MULTILINE)
_INTRODUCES = re.compile(
    r"\b(?:please|bitte|these|following|below|left|send|fill|missing|folgende\w*|siguientes?|suivant\w*)\b"
)
"""Words of a line that introduces a form."""

_LEAST_LABELS = 2
_OPTIONAL = re.compile(rf"\b(?:{_WORDS['optional']})\b")
_MORE = re.compile(rf"(?:{_WORDS['more']})")
_MINIMUM = re.compile(rf"\b(?:{_WORDS['minimum']})")
_ANY = re.compile(r"\b(?:yes or no|ja oder nein|oui ou non|si o no|sim ou nao|do you|any|avez-vous|haben sie)\b")
_LAST_NUMBER = re.compile(
    r"\b(?:last|previous|letzte\w*|vorige\w*|dernier\w*|ultim\w+) (?:\w+ ){0,2}?"
    r"(?:reading|count|level|stand|releve|lectura|lettura|leitura)\D{0,25}(\d{3,})"
)
_COUNTS = any_of(*(phrasebook(each.name).how_many for each in LANGUAGES)).pattern
HOW_MANY = re.compile(rf"(?:\bnumber of|\banzahl der|{_COUNTS}) ?(?P<thing>\w+)")

_IS_SO = re.compile(rf"(?:{_WORDS['is_so']})\b")
_PAST = re.compile(rf"\b(?:{_WORDS['past']})\b")
_DAY = re.compile(r"\b(?:day|date|tag|datum|jour|dia|fecha|giorno|data|день|дат[уа])\b")


def asking_part(reply: str) -> str:
    """Return a reply without lists, buttons, brackets, words to say and how long an answer should be."""
    plain = without_invitations(without_list(without_buttons(reply)))
    plain = _LONG_BRACKETS.sub("", BRACKETED.sub("", plain))
    plain = _FULL_NAME.sub("full name", _COULD_YOU.sub("Please tell me ", plain))
    return _NAME_ONE.sub("Choose ", _IN_A_SENTENCE.sub("", plain))


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A part of a question for several things, and the text in its brackets."""

    text: str
    brackets: str


def parts_asked(question: str, reply: str, asks_fact: Callable[[str], bool]) -> list[AskedPart]:
    """Return the parts of a question between commas and "and", each with the brackets behind it.

    What neither begins as a question nor `asks_fact` belongs to the part before it, as an option.
    """
    texts: list[str] = []
    for part in filter(None, (each.strip() for each in _ASKED_TOGETHER.split(_WHY.sub("", question)))):
        if texts and not (_BEGINS_PART.match(fold(part)) or asks_fact(part)):
            texts[-1] = f"{texts[-1]}, {part}"
        else:
            texts.append(part)
    brackets = [(reply[: each.start()].strip(), each[1]) for each in _IN_BRACKETS.finditer(reply)]
    return [
        AskedPart(text, next((inside for before, inside in brackets if before.endswith(text.rstrip(".?! "))), ""))
        for text in texts
    ]


def options_of(part: str, brackets: str, language: str) -> tuple[str, ...]:
    """Return the options in brackets behind a part of a question, "(Airport or Downtown)", or in it."""
    if brackets and not _EXAMPLE.search(brackets):
        inside = [each.strip() for each in _OR.split(unpriced(brackets))]
        if len(inside) > 1 and all(0 < len(each.split()) <= _MOST_OF_OPTION for each in inside):
            return tuple(inside)
    found = unnumbered(options(f"{part.rstrip('?. ')}?", phrasebook(language)))
    return found if not are_fields(found) else ()  # "from which date or weekday"


def in_brackets(reply: str, *, long: bool = False) -> list[str]:
    """Return the texts in brackets of a reply; only the short ones unless `long`."""
    return [each.strip("() ") for each in (_LONG_BRACKETS if long else _BRACKETS).findall(reply)]


def bracketed_options(reply: str, language: str) -> tuple[str, ...]:
    """Return the words in brackets among which a reply lets the user choose: "(dog, cat or rabbit)"."""
    for inside in in_brackets(reply, long=True):
        found = options_of("", inside, language)
        words = [each for each in found if not (any(map(str.isdigit, each)) or starts_with_yes_or_no(each))]
        if len(words) > 1 and len(words) == len(found) and not are_fields(found):
            return found
    return ()


def example_in(reply: str) -> str:
    """Return the example of an answer in a reply, or the code that begins it; empty if there is none."""
    found = _EXAMPLE.search(reply)
    value = _MORE_OF_EXAMPLE.sub("", found["value"]).strip() if found else ""
    code = _CODE.match(value)
    return value if code is None or len(value.split()) <= _SHORT else code[0]


def format_in(reply: str) -> str:
    """Return a code in the format of a reply, M12345 for "M followed by 5 digits"; empty if it tells none."""
    found = _FORMAT.search(fold(reply))
    if found is None:
        return ""
    number = found["number"] or found["digits"]
    length = NUMBERS.get(number, int(number) if number.isdigit() else 0)
    start = found.start("prefix") if found["prefix"] else 0
    prefix = reply[start : found.end("prefix")] if found["prefix"] and len(fold(reply)) == len(reply) else ""
    return f"{prefix}{'1234567890' * 2}"[: len(prefix) + length] if length else ""


def thing_of(wish: str) -> str:
    """Return the thing of a wish, as the "appointment" to book, unless it is ordered."""
    found = _THING.search(wish)
    return found["thing"] if found else ""


def asks_past(question: str) -> bool:
    """Return True if a question is about what has happened: "When did you notice it?"."""
    return _PAST.search(fold(question)) is not None


def asks_if_so(question: str) -> bool:
    """Return True if a question is for a fact that is so or not: "Was anyone injured?"."""
    return _IS_SO.match(fold(question)) is not None


def asks_by_number(question: str) -> bool:
    """Return True if a question or request wants the number of an option: "Reply with a number"."""
    return _BY_NUMBER.search(fold(question)) is not None


def requests(sentence: str) -> bool:
    """Return True if a sentence is a request without a question mark: "I need your name"."""
    plain = fold(sentence)
    return _ASKS.match(plain) is not None or (_WANTS.search(plain) is not None and not any(map(str.isdigit, plain)))


def asks_for_any(question: str) -> bool:
    """Return True if a question is whether there is any of something: "Any children under 12?"."""
    return _ANY_OF.match(fold(question)) is not None


def without_brackets(reply: str) -> str:
    """Return a reply without what it has in brackets."""
    return _LONG_BRACKETS.sub("", reply)


def is_about_day(question: str) -> bool:
    """Return True if a question or request is about a day."""
    return _DAY.search(fold(question)) is not None


def form_in(reply: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the labels of an empty form, "Name:", one in each line, with the options in their brackets."""
    found = [each for each in _LABEL.findall(reply) if not _INTRODUCES.search(fold(each[0]))]
    if len(found) < _LEAST_LABELS:
        return []
    return [
        (label.strip(), tuple(each.strip() for each in re.split(r" ?[/|,] ?", inside)) if inside else ())
        for label, inside in found
    ]


def counts_something(reply: str) -> bool:
    """Return True if a reply asks how many of something are wanted."""
    return HOW_MANY.search(fold(reply)) is not None


def is_more(option: str) -> bool:
    """Return True for an option that adds to what was taken: "More, or checkout?"."""
    return _MORE.fullmatch(fold(option).strip("?!. ")) is not None


def is_below_minimum(reply: str) -> bool:
    """Return True if a reply says that an order is too small, and asks for more."""
    return _MINIMUM.search(fold(reply)) is not None and "?" in reply


def is_optional(question: str) -> bool:
    """Return True if a question asks whether there is something to add, such as allergies or a voucher."""
    plain = fold(question)
    return bool(_OPTIONAL.search(plain)) and (is_yes_or_no_question(question) or bool(_ANY.search(plain)))


def last_number(reply: str) -> str:
    """Return a number a little above the last reading that a reply tells; empty if it tells none."""
    found = _LAST_NUMBER.search(fold(reply))
    return str(int(found[1]) + 10).zfill(len(found[1])) if found else ""
