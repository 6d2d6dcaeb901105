"""Facts that a text says about a user: its name, phone number, address, and so on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.case import Fact
from sparring.extraction import typed_values
from sparring.extraction.availability import available_days
from sparring.extraction.role_words import RoleWords, role_words
from sparring.extraction.tokens import Sentence, cached, fold, sentences

_MAX_TEXT = 20_000
"""Maximum characters of a description that are read."""

_MAX_VALUE_WORDS = 8
_PARTICLES = r"(?:de|del|de la|la|van|von|van der|da|di|dos|el|bin|al|ben|af|zu)"
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁ]"
_NAME = re.compile(rf"{_CAPITAL}[\w'’-]*\.?(?: (?:{_PARTICLES} )?{_CAPITAL}[\w'’-]*\.?){{0,3}}")
_INITIAL = re.compile(rf"\b{_CAPITAL}\.$")
_ENDS_CLAUSE = re.compile(r"\s*(?:$|[.,;:!?)(]|(?:and|who|from|aged|y|и|que|und|aus|et|qui|e|che|de)\b|\d)")
_VALUE = re.compile(r"(.+?)(?=\s*(?:$|[;!?\n]|[.,](?:\s|$)|,? (?:and|but|y|pero|а|но|и) \w+))")
_TO_END = re.compile(r"(.+?)(?=\s*(?:$|[;!?\n]|\.(?:\s|$)|,? (?:and|but|y|pero|но) (?:you|your|i|my|it|tu|su|no)\b))")
_CODE = re.compile(r"(?=[\w/-]{0,100}\d)[A-Za-zА-Яа-я0-9][\w/-]{2,30}")
_NOUN_BEFORE = 200
"""Characters before a code in which its noun may stand."""
_NUMBER_WORDS = 4
_APPOSITION = re.compile(r",? (?:an?|una?|the|el|la) |, ")
_STRAY = " \t\n\"'«»“”."


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A slot with its values, and the sentence that states them. `own` facts are said of the user itself."""

    slot: str
    values: tuple[str, ...]
    quote: str
    own: bool = True


_NO_VERB = re.compile(r"\d|d[ei] ")
_OF_OTHERS = re.compile(
    r"\b(?:have|has|your|his|her|tienes|tiene|tu|su|as|avez|votre|ton|ta|hast|haben|deine?|ihre?|hai|avete|tuo|tua|tem|tens|seu)"
    r" (?!age\b)(?:\w+ )*\w+"
)
"""Words that begin a sentence about the age of someone else: "you have a cat named Misty, 4 years old"."""


@dataclass(frozen=True, slots=True)
class _Described:
    """A sentence, folded to the same length."""

    text: str
    plain: str


def stated_facts(text: str) -> tuple[StatedFact, ...]:
    """Return the facts in a text, in order, the first of each slot; of IDs, the first of each noun."""
    found: dict[tuple[str, str], StatedFact] = {}
    for sentence in sentences(text[:_MAX_TEXT]):
        for fact in facts_of_sentence(sentence):
            found.setdefault((fact.slot, noun_of_id(fact)), fact)
    return tuple(found.values())


def facts_of_sentence(sentence: Sentence) -> tuple[StatedFact, ...]:
    """Return the facts in a sentence, one for each slot; several IDs if their nouns differ."""
    return _facts_in(sentence.text[:_MAX_TEXT])


@cached
def _facts_in(text: str) -> tuple[StatedFact, ...]:
    described = _Described(text, _same_length(text))
    found: dict[tuple[str, str], StatedFact] = {}
    for words in role_words():
        for slot, value in _slots(described, words):
            if slot and value and not any(value in each.values for each in found.values()):
                fact = StatedFact(slot, (value,), text)
                found.setdefault((slot, noun_of_id(fact)), fact)
    for slot, value in _typed(text):
        if (slot, "") not in found and not any(value in known for each in found.values() for known in each.values):
            found[slot, ""] = StatedFact(slot, (value,), text, own=False)
    days = available_days(text)
    if days:
        found["availability", ""] = StatedFact("availability", days, text)
    return tuple(found.values())


def noun_of_id(fact: Fact | StatedFact) -> str:
    """Return what an ID is of, by the words before it: "order", "customer"; empty for other slots."""
    return _noun_of(fact.quote, fact.values[0]) if fact.slot == "id" else ""


@cached
def _noun_before(text: str) -> str:
    return next((match[1] for words in role_words() if (match := words.code.search(text))), "")


def _noun_of(quote: str, code: str) -> str:
    before, found, _ = quote.partition(code)
    plain = _same_length(before if found else quote.replace("_", " "))
    return _noun_before(plain[-_NOUN_BEFORE:])


@cached
def canonical_slot(noun: str) -> str | None:
    """Return the slot that a noun such as "phone number" names, "" for a manner of speaking, else None."""
    plain = fold(noun.replace("_", " ").strip())
    for words in role_words():
        for slot, pattern in words.nouns.items():
            if pattern.match(plain):
                return slot
    return None


def _same_length(text: str) -> str:
    plain = fold(text)
    return plain if len(plain) == len(text) else "".join(c if len(c) == 1 else "?" for c in map(fold, text))


def _slots(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    """Yield slots with values, those of which the sentence is certain first."""
    for find in (_names, _codes, _ages, _dates_of_birth, _budgets, _addresses, _called, _own):
        yield from find(said, words)


def _names(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    for start in words.named.finditer(said.plain):
        name = _name_at(said.text, start.end())
        if name:
            yield "name", name
            return
    for start in words.are.finditer(said.plain):
        name = _name_at(said.text, start.end())
        end = said.text.find(name, start.end()) + len(name)
        if name and fold(name.split()[0]) not in words.not_names and _ENDS_CLAUSE.match(said.text, end):
            yield "name", name
            return
    opening = _NAME.match(said.text)
    if opening:
        after = _APPOSITION.match(said.plain, opening.end())
        if after and words.persons.match(said.plain, after.end()) and "," in after[0]:
            yield "name", opening[0]


def _name_at(text: str, start: int) -> str:
    while start < len(text) and text[start] in " \"'“«:":
        start += 1
    match = _NAME.match(text, start)
    if not match:
        return ""
    return match[0] if _INITIAL.search(match[0]) else match[0].rstrip(".-'’")


def _codes(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    for code in _CODE.finditer(said.text):
        noun = words.code.search(said.plain[max(0, code.start() - _NOUN_BEFORE) : code.start()])
        if noun and (len(noun[0].strip().split()) > 1 or _looks_like_code(code[0])):
            yield "id", code[0]


def _looks_like_code(written: str) -> bool:
    return not written.isdigit() or len(written) >= _NUMBER_WORDS


def _ages(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    match = words.age.search(said.plain)
    if match and not (_NO_VERB.match(match[0]) and _OF_OTHERS.search(said.plain[: match.start()])):
        yield "age", next(group for group in match.groups() if group)


def _dates_of_birth(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    noun = words.born.search(said.plain)
    date = _first("date", said.text, noun.end()) if noun else ""
    if date:
        yield "birth_date", date


def _budgets(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    for amount in typed_values.find("money", said.text):
        if words.budget.search(said.plain[: amount.start]):
            yield "budget", said.text[amount.start : amount.end].strip()


def _addresses(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    street = words.street.search(said.plain)
    if street:
        rest = _TO_END.match(said.text, street.end())
        yield "address", said.text[street.start() : rest.end() if rest else street.end()].strip(_STRAY)
        return
    trigger = words.address.search(said.plain)
    value = _TO_END.match(said.text, trigger.end()) if trigger else None
    place = value[1].strip(_STRAY) if value else ""
    if "@" not in place and (place[:1].isupper() or place[:1].isdigit()):
        yield "address", place


def _called(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    for match in words.has_called.finditer(said.plain):
        yield next(filter(None, match.groups())), _name_at(said.text, match.end())


def _own(said: _Described, words: RoleWords) -> Iterator[tuple[str, str]]:
    """Yield "your K is V"; K may be a known slot."""
    for match in words.own.finditer(said.plain):
        noun = said.text[match.start(1) : match.end(1)].lower()
        slot = canonical_slot(noun)
        value = _VALUE.match(said.text, match.end())
        text = value[1].strip(_STRAY) if value else ""
        if slot != "" and text and len(text.split()) <= _MAX_VALUE_WORDS:
            yield slot or _without_name(noun), text


def _without_name(noun: str) -> str:
    """Return "dog" for "dog's name", as "you have a dog called Tommy" does."""
    return re.sub(r"['’]s (?:full )?name$", "", noun)


def _typed(text: str) -> Iterator[tuple[str, str]]:
    for slot in ("email", "phone"):
        value = _first(slot, text, 0)
        if value:
            yield slot, value


def _first(type: str, text: str, start: int) -> str:
    """Return the words of the first value of a type, as they are written."""
    found = next((each for each in typed_values.find(type, text) if each.start >= start), None)
    return text[found.start : found.end].strip() if found else ""


def differ(slot: str, one: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if two statements of a slot cannot both be true."""
    if slot == "availability":
        return False
    first, second = (_comparable(slot, " ".join(each)) for each in (one, other))
    return first not in second and second not in first


def _comparable(slot: str, text: str) -> str:
    return re.sub(r"\D", "", text) if slot == "phone" else " ".join(fold(text).split())
