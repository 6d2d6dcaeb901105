"""Personal data in a conversation, and made-up values of the same type and shape in its place.

Nothing stays that is not known to be harmless: see `personal_spans`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice

from sparring.core.conversation import Conversation
from sparring.core.value import Json
from sparring.extraction.made_up import made_up
from sparring.extraction.personal_spans import Context, PersonalSpan, is_personal_field, spans
from sparring.extraction.word_lists import KnownWords, known_words

_WORD = re.compile(r"\w[\w-]*\d[\w-]*|[^\W\d_]{2,}")
_CYRILLIC = re.compile(r"[А-Яа-яЁё]+")
_SEPARATORS = re.compile(r"[\W_]+")
_SHARED = 3
"""Other conversations in which the chatbot says a word of its own domain."""

_TRIED = 50
"""Made-up values that are tried until one is not in use."""

_NUMBERS = ("phone", "card", "id", "iban")
_LEAST, _SAME = 5, 8
"""Digits of a number that is found in other notations, and last digits that tell that two are the same."""


@dataclass(frozen=True, slots=True)
class PersonalValue:
    """A value that was found, the variable that stands for it, and the value that is made up for it."""

    value: str
    variable: str
    made_up: str
    cased: bool = False
    """True for a name that is a frequent word if its letters are small."""


def domain_words(others: Sequence[Conversation]) -> frozenset[str]:
    """Return the words, folded, that the chatbot says in several conversations before a user does.

    Names need more of them.
    """
    counts = Counter(word for each in others for word in _own_words(each))
    known = known_words(())
    many = max(_SHARED + 2, len(others) // 5)
    return frozenset(word for word, number in counts.items() if number >= (many if known.is_name(word) else _SHARED))


def _own_words(conversation: Conversation) -> set[str]:
    """Return the words of a chatbot and its tools that the user did not say before, folded.

    Capitals and codes in results may be of the same test customer in each conversation, so only what the chatbot says
    counts.
    """
    said: set[str] = set()
    own: set[str] = set()
    for each in conversation.messages:
        found = {match[0].casefold() for match in _WORD.finditer(each.text)}
        if each.role == "user":
            said |= found
            continue
        for call in each.tool_calls:
            for key, text in _leaves(call.result):
                if not is_personal_field(key):
                    found |= {match[0] for match in _WORD.finditer(text) if match[0].isalpha() and match[0].islower()}
        own |= found - said
    return own


def personal_values(conversation: Conversation, domain: frozenset[str] = frozenset()) -> tuple[PersonalValue, ...]:
    """Return what may be personal in a conversation, longest values first."""
    said = [each.text for each in conversation.messages if each.text]
    known = known_words(said)
    found: dict[str, str] = {}
    for text, span in _found(conversation, known, domain):
        value = text[span.start : span.end].strip()
        if value and found.get(value) in (None, "word"):
            found[value] = span.slot
    return tuple(_values(found, {*conversation.case.variables}, known))


def _found(conversation: Conversation, known: KnownWords, domain: frozenset[str]) -> Iterator[tuple[str, PersonalSpan]]:
    asked, said, plain = "", set[str](), set[str]()
    for each in conversation.messages:
        by_user = each.role == "user"
        words = _WORD.findall(each.text)
        if by_user:
            said |= {word.casefold() for word in words}
        else:
            plain |= {word for word in words if word.islower()} - said
        context = Context(known, domain, frozenset(plain), by_user=by_user, asked=asked if by_user else "")
        yield from ((each.text, span) for span in spans(each.text, context))
        asked = each.text if each.role == "chatbot" and each.text else asked
    english = known_words((), *known.languages, "en")
    case = conversation.case
    about = [case.persona.role, *case.persona.traits, *case.tags, *(goal.text for goal in case.goals)]
    about += [value for fact in case.facts for value in fact.values]
    for key, text in [*_fields(conversation), *(("", text) for text in about)]:
        yield from ((text, span) for span in spans(text, Context(english, domain, by_user=False, key=key or "text")))


def _fields(conversation: Conversation) -> Iterator[tuple[str, str]]:
    for each in conversation.messages:
        for call in each.tool_calls:
            yield from _leaves({"arguments": call.arguments, "result": call.result})
    yield from _leaves(conversation.case.variables)


def _leaves(value: Json, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers in a value with the key of each, and keys that are no names of fields."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if re.search(r"[\d@ ]|^[A-ZÀ-Þ][a-zà-ÿ]+$", name):
                yield "text", name
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    elif isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        yield key, str(value)


def _values(found: Mapping[str, str], taken: set[str], words: KnownWords) -> Iterator[PersonalValue]:
    """Yield values with their variables; notations of the same number share one."""
    counts: dict[str, int] = {}
    known: dict[str, tuple[str, str]] = {}
    used = {value.casefold() for value in found}
    for value in sorted(found, key=len, reverse=True):
        slot = found[value]
        plain = _plain(value, slot)
        same = next((each for each in known if _is_same(each, plain)), None)
        if same is None:
            counts[slot] = counts.get(slot, 0) + 1
            made = _new(slot, value, counts[slot], used)
            used.add(made.casefold())
            variable = next(name for name in _names(slot) if name not in taken)
            taken.add(variable)
            known[plain] = (variable, made)
        else:
            variable, first = known[same]
            made = _in_form(first, value, slot)
        yield PersonalValue(value, variable, made, value[0].isupper() and words.is_frequent(value.casefold()))


def _new(slot: str, value: str, number: int, used: set[str]) -> str:
    """Return a made-up value that is not in use, if there is one."""
    made = [made_up(slot, value, at) for at in islice(count(number), _TRIED)]
    return next((each for each in made if each.casefold() not in used), made[1 if made[0] == value else 0])


def _plain(value: str, slot: str) -> str:
    plain = _SEPARATORS.sub("", value).casefold()
    return plain if slot in _NUMBERS else f"{slot} {plain}"


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    digits = one.isdigit() and other.isdigit() and min(len(one), len(other)) >= _SAME
    return digits and one[-_SAME:] == other[-_SAME:]


def _in_form(made: str, value: str, slot: str) -> str:
    """Return a made-up value in the notation of a value."""
    if slot not in _NUMBERS:
        return _in_case(value, made)
    plain = _SEPARATORS.sub("", made)
    left = iter(plain[-sum(map(str.isalnum, value)) :].rjust(sum(map(str.isalnum, value)), "0"))
    return "".join(next(left) if char.isalnum() else char for char in value)


def _names(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}_{number}" for number in count(2))


def replacement(values: Sequence[PersonalValue], *, variables: bool = False) -> Callable[[str], str]:
    """Return a function that replaces the values in a text.

    With `variables`, `{{name}}` of its variable stands for a value, and made-up ones for those in other letters.
    """
    exact = {each.value: each for each in values}
    folded = {_folded(each.value): each for each in reversed(values)}
    pattern = _pattern(values)

    def new(match: re.Match[str]) -> str:
        found = exact.get(match[0])
        if variables and not found and sum(map(str.isdigit, match[0])) >= _LEAST:
            found = folded.get(_folded(match[0]))
        if found and variables:
            return f"{{{{{found.variable}}}}}"
        if found:
            return found.made_up
        near = folded.get(_folded(match[0])) or _nearest(match[0], folded)
        return _in_case(match[0], near.made_up) if near else "x" * len(match[0])

    return lambda text: pattern.sub(new, text) if pattern else text


def _folded(value: str) -> str:
    return _SEPARATORS.sub("", value).casefold() if sum(map(str.isdigit, value)) >= _LEAST else value.casefold()


def _nearest(text: str, folded: Mapping[str, PersonalValue]) -> PersonalValue | None:
    """Return the value of a name with another ending."""
    low = text.casefold()
    return next((each for key, each in folded.items() if _CYRILLIC.fullmatch(key) and low.startswith(_stem(key))), None)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] in "аяйь" else word


def _pattern(values: Sequence[PersonalValue]) -> re.Pattern[str] | None:
    parts = []
    cased = {each.value for each in values if each.cased}
    for each in sorted({each.value for each in values}, key=len, reverse=True):
        inner = re.escape(each) if each not in cased else rf"(?-i:{re.escape(each)}|{re.escape(each.upper())})"
        if _CYRILLIC.fullmatch(each) and len(each) > 3:
            inner = rf"{re.escape(_stem(each))}[а-яё]{{0,3}}"
        elif sum(map(str.isdigit, each)) >= _LEAST and "@" not in each:
            inner = rf"(?:{inner}|{r'[ ().-]*'.join(re.escape(char) for char in each if char.isalnum())})"
        parts.append(inner)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?![^\W_])", re.IGNORECASE) if parts else None


def _in_case(found: str, made: str) -> str:
    if found.isupper() and len(found) > 1:
        return made.upper()
    return made.lower() if found.islower() and made.isalpha() else made
