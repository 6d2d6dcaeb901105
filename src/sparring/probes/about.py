"""Facts that testers give of their users with `--about`, in the languages that probes speak."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain

from sparring.extraction.questions import variables_asked_for
from sparring.extraction.tokens import fold, language_of, mentions, stems, tokens
from sparring.extraction.typed_values import find
from sparring.extraction.word_tables import words_of_module
from sparring.probes.lines import LANGUAGES

_WORDS = words_of_module(__name__)
_FACT = re.compile(
    r"(?:(?:my|the|your|its?|meine?|der|die|das|mis?|el|la|m[ao]n|le|(?:il |la )?mi[oa]|il|(?:o )?meu|(?:a )?minha"
    r"|мо[йяё])\s+(?P<own>\w[\w -]{0,40}?)\s+(?:is|ist|lautet|es|est|è|é)\s+"
    r"|(?P<name>[\w-]+(?: [\w-]+){0,3}?)(?:\s+is\s+|\s*[:=]\s*|\s+[–—]\s+))(?P<value>\S.*?)\.?",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(rf"\b(?:{_WORDS['describes']})\b")
_MOST_OF_TASK = 14
"""Words of a task; a longer text describes the chatbot."""

_FIRST_PERSON = re.compile(
    r"(?:i|i'd|we|my|ich|wir|meine?|quiero|quisiera|necesito|mis?|je|mon|vorrei|voglio|quero|я|мне)\b"
)
_DESCRIBED_VALUES = re.compile(
    r"(?P<name>[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,4}),? ?\(?(?:[^()]{1,30}[,;] )?"
    rf"\b(?:{_WORDS['told']})(?: ones)?[:,]? ?(?P<values>[^();.]+)",
    re.IGNORECASE,
)
"""What something is called and its values: "a card number (valid: 20417, 20533)"."""

_CODES = re.compile(
    r"(?P<name>[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,4}) \((?P<values>[A-Za-z]{0,4}-?\d{3,}(?:[,;]? [^();.]+)?)\)"
)
"""Codes behind what they are called: "an order number (PK-20418 or PK-20977)"."""

_SAID_ANYWAY = ("date", "time", "email", "money")
_NEXT = re.compile(r",\s*(?:or |and )?|\s+(?:or|and|to|oder|und|bis|o|y|ou|et|e|или|и)\s+")
_MOST_OF_VALUE = 4
_DETERMINER = re.compile(
    r".*\b(?:an?|the|his|her|their|its?|your|un[ao]?|el|la|los|las|eine?[nrms]?|die|de[rnms]|das|le|les|il|os?)\s"
)
_GENERIC = re.compile(_WORDS["generic"])
_NUMBER = re.compile(_WORDS["number"])
_NEXT_FACT = re.compile(rf"[.,]?\s+(?:(?:and|und|y|et|e|и)\s+)?(?=(?:{_WORDS['next_fact']})\b)", re.IGNORECASE)
_CODE = re.compile(r"\b[A-Z]{1,6}-?\d{2,}\b")
_LEAST_PART = 4
"""Letters of a part of a compound: "Ausweis" of "Ausweisnummer"."""

_ASKED = re.compile(
    rf"\b(?:{_WORDS['asks_for']})\s+(?P<name>(?!(?:is|are|do|does|would|can|of)\b)[^\W\d_]+(?:-[^\W\d_]+)*"
    r"(?: (?:number|code|name|id|address|date)| (?:de|di|do) [^\W\d_]+)?)",
    re.IGNORECASE,
)
"""Words for what a question asks for."""

_COUNTED = re.compile(r"\bhow many (?:more )?(\w+)", re.IGNORECASE)


def fact_in(about: str) -> tuple[str, str] | None:
    """Return the name and value of a fact, "my parcel number is PX1001"; None for anything else."""
    found = _FACT.fullmatch(about.strip())
    return (found["own"] or found["name"], found["value"]) if found else None


def parts_of(about: str) -> list[str]:
    """Return the facts of a text, "my number is 7 and my PIN is 1234"; of others, the parts by `;`."""
    parts: list[str] = []
    for each in about.split("; "):
        facts = _NEXT_FACT.split(each)
        parts += facts if all(map(_FACT.fullmatch, facts)) else [each]
    return parts


def facts_and_wishes(about: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the facts of a user by name, and what it wants; texts about the chatbot have neither."""
    parts = [part for each in about if not describes_chatbot(each) for part in parts_of(each)]
    facts = {part: fact_in(part) for part in parts}
    return dict(filter(None, facts.values())), [part for part in parts if facts[part] is None]


def describes_chatbot(about: str) -> bool:
    """Return True if a text tells what a chatbot does, and is neither a task nor facts of a user."""
    parts = about.split("; ")
    facts = [_FACT.fullmatch(each.strip()) for each in parts]
    if _FIRST_PERSON.match(fold(about)) or all(facts) or any(each and each["own"] for each in facts):
        return False
    return len(tokens(about)) > _MOST_OF_TASK or _DESCRIBES.search(fold(about)) is not None


def described_values(about: str) -> dict[str, tuple[str, ...]]:
    """Return the values that a description tells as valid or as examples, by the words for them."""
    found: dict[str, tuple[str, ...]] = {}
    for match in chain(_CODES.finditer(about), _DESCRIBED_VALUES.finditer(about)):
        name = _DETERMINER.sub("", match["name"])
        values = [each.strip(" \"'“”«»") for each in _NEXT.split(match["values"])]
        values = [each for each in values if each and len(each.split()) <= _MOST_OF_VALUE]
        if values and any(map(str.isdigit, values[0])):  # not "20417, and answers"
            values = [each for each in values if " " not in each and any(map(str.isdigit, each))]
        if values and not any(find(kind, values[0]) for kind in _SAID_ANYWAY):
            found[name] = tuple(values)
    return found


def described_value(question: str, described: Mapping[str, tuple[str, ...]], nth: int = 0, times: int = 0) -> str:
    """Return a value that a description tells for a question; empty if all were said, or there is none."""
    said = stems(question)
    for name, values in described.items():
        words = [each for each in tokens(name) if not _GENERIC.fullmatch(each)] or tokens(name)
        if stems(words[-1]) & said and times < len(values):
            return values[(nth + times) % len(values)]
    return ""


def language_of_facts(about: list[str]) -> str:
    """Return the language in which a tester tells what the user has and wants; English if it is unclear."""
    found = language_of(". ".join(about))
    return found if found in LANGUAGES else "en"


def fact_for(question: str, facts: Mapping[str, str]) -> str | None:
    """Return the fact that answers a question: that with the longest name in it, or the only number."""
    named = [name for name in facts if _names(question, name)]
    alike = named or [name for name in facts if variables_asked_for(question, {name: facts[name]}) and " " not in name]
    alike = alike or _only_number(question, facts)
    return facts[max(alike, key=len)] if alike else None


def _only_number(question: str, facts: Mapping[str, str]) -> list[str]:
    """Return the name of the only number among the facts, if a question asks for one but of a phone."""
    numbers = [name for name in facts if any(map(_NUMBER.fullmatch, tokens(name)[-1:]))]
    asks = any(map(_NUMBER.fullmatch, tokens(question))) and not variables_asked_for(question, {"phone number": ""})
    return numbers if asks and len(numbers) == 1 else []


def _names(question: str, name: str) -> bool:
    """Return True if a question has the words of a name, or the parts of its compounds, in any order."""
    said = tokens(question)
    return mentions(question, name) or all(
        any(_in_parts(word, each, said) for each in range(_LEAST_PART, len(word) - _LEAST_PART + 1))
        for word in tokens(name)
    )


def _in_parts(word: str, at: int, said: tuple[str, ...]) -> bool:
    return any(word[:at] in each for each in said) and any(each.startswith(word[at:]) for each in said)


def fact_asked(question: str) -> str:
    """Return a template for stating the answer to a question: "my day is ..."."""
    if (counted := _COUNTED.search(question)) is not None:
        return f"{counted[1].lower()}: ..."
    found = _ASKED.search(question)
    if found is None:
        return "my number is ..."
    english = language_of(question) in ("en", "")
    return f"my {found['name'].lower()} is ..." if english else f"{found['name']}: ..."


def other_number(text: str) -> str:
    """Return a text with other digits in what looks like an id: PX9999 for PX1001."""
    return _CODE.sub(lambda code: re.sub(r"\d", "9", code[0]), text)
