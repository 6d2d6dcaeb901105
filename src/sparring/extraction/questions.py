"""Questions in replies: kinds, variables asked for, hints by the author, and confirmations.

All of it works by patterns, for users without a model.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from typing import Protocol

import re2

from sparring.core.case import Case, Goal
from sparring.core.value import Json
from sparring.extraction.acts import reported_acts
from sparring.extraction.answer_kinds import names_other_value, only_value
from sparring.extraction.goals import requests_goal, texts, values_of
from sparring.extraction.languages import words_of
from sparring.extraction.options import options
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.slots import asked_slots
from sparring.extraction.speech_acts import is_agreement, is_denial, is_open_question, is_request
from sparring.extraction.tokens import Sentence, cached, fold, mentions, pattern, sentences, share, stems, tokens

_KINDS = ("name", "date", "time", "place", "contact", "payment")
_QUESTION_WORDS = {kind: pattern(*words_of("asked_variables", kind), end=r"\b") for kind in _KINDS}
_LABELS = {kind: stems(" ".join(words_of("variable_names", kind))) for kind in _KINDS}
_YOURS = pattern(*words_of("asked_variables", "yours"), end=r"\b")
_CONTACT = frozenset({"name", "phone", "email", "address", "id"})
_VALUE_QUESTION = pattern(
    "(?:can|could|would) you (?:please )?(?:tell|give)",
    "(?:puede|podria) (?:decirme|darme)",
    "(?:pouvez|pourriez)-vous me (?:dire|donner)",
    "puo (?:dirmi|darmi)",
    "(?:konnen|konnten) sie mir .{0,40}(?:sagen|nennen|geben)",
    "(?:можете|не могли бы вы) (?:сказать|назвать)",
)
"""A question for something that its form does not ask to confirm: "could you tell me your order number?"."""

_ANOTHER = pattern("other", "another", "ander", "otr[oa]", "autre", "altr[oa]", "outr[oa]", "друг")
_WITH_IT = re.compile(r"[^\w]*(?:with|mit|avec|con|com|со|с) (?!wh|we|qu|что|чем|как)[^?,]{2,40}\?")
"""An offer without a verb: "With breakfast?"."""

_MAX_AGREEMENT = 2
"""Maximum number of words of an agreement that names nothing: "Changed."."""

_IT = pattern(
    "it", "that", "them", "this", "lo", "la", "es", "das", "dies", "l'", "le", "ça", "isso", "это", "его", end=r"\b"
)

_TYPES = {"date": ("date",), "time": ("time",), "contact": ("phone", "email")}


def has_known_kind(question: str) -> bool:
    """Return True if a question asks for a known kind of value, such as a name, a date or "your address"."""
    plain = fold(question)
    if any(pattern.search(plain) for pattern in _QUESTION_WORDS.values()):
        return True
    return _YOURS.search(plain) is not None and any(stems(question) & label for label in _LABELS.values())


def variables_asked_for(question: str, variables: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the variables of the kind that a question asks for: "who is it for?" asks for a name."""
    plain = fold(question)
    kinds = [kind for kind, words in _QUESTION_WORDS.items() if words.search(plain)]
    return _of_kinds(kinds, variables)


def _requested(request: str, variables: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the variables of the kind that a request names, "please tell me the day", not "another day"."""
    said = frozenset[str]() if request.endswith("?") or _ANOTHER.search(fold(request)) else stems(request)
    return _of_kinds([kind for kind, label in _LABELS.items() if said & label], variables)


def _of_kinds(kinds: Sequence[str], variables: Mapping[str, Json]) -> tuple[str, ...]:
    return tuple(name for name, value in variables.items() if any(_is_of_kind(kind, name, value) for kind in kinds))


def _is_of_kind(kind: str, name: str, value: Json) -> bool:
    if stems(name.replace("_", " ")) & _LABELS[kind]:
        return True
    return any(only_value(type, text) is not None for type in _TYPES.get(kind, ()) for text in texts(value))


class QuestionPattern(Protocol):
    """A pattern that can be searched in a text."""

    def search(self, text: str) -> bool: ...


Hints = tuple[tuple[QuestionPattern, str], ...]
"""Patterns of questions, each with the variable or the words to answer with, written by the author."""


class Kind(Enum):
    """Kind of a question, in the order in which kinds are tried."""

    HINTED = auto()
    MORE = auto()
    CONFIRM = auto()
    VARIABLE = auto()
    HOW_MANY = auto()
    OFFER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class ChatbotQuestion:
    """A question of the chatbot: its text, its kind, the variables it is about, and the options it offers.

    `before` is the statement that it may be about: "We have Tuesday at 4 pm. Does that suit you?". It may follow, as a
    list: "Which size? We have S, M and L."
    """

    text: str
    kind: Kind
    variables: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    before: str = field(default="", compare=False)


def questions(text: str, *, variables: dict[str, Json], hints: Hints, book: Phrasebook) -> list[ChatbotQuestion]:
    """Return the questions in a reply, in order: sentences with a question mark, and requests.

    Without any, a sentence to which the author declared an answer is one.
    """
    parts = sentences(text)
    asking = [number for number, each in enumerate(parts) if _asks(each, parts, book)]
    found = []
    for number in asking or _hinted(parts, hints):
        sentence = parts[number]
        alone = book.options.search(fold(sentence.text))
        near = parts[number : number + 1] if alone else parts[max(0, number - 1) : number + 2]
        around = " ".join(s.text for s in near if s is sentence or _lists(s, book))
        before = parts[number - 1].text if number and not parts[number - 1].asks else ""
        after = "" if sentence is parts[-1] or parts[number + 1].asks else parts[number + 1].text
        before = after if before.count(",") < after.count(",") else before
        question = replace(_question(sentence.text, around, variables, hints, book), before=before)
        # "Full cover is £9. Would you like to add it?" asks for what the sentence before names.
        about = next((answer for hint, answer in hints if hint.search(before)), None) if before else None
        if about is not None and question.kind is Kind.OFFER and _IT.search(fold(sentence.text)):
            question = replace(question, kind=Kind.HINTED, variables=(about,))
        found.append(question)
    return found


def _asks(sentence: Sentence, parts: tuple[Sentence, ...], book: Phrasebook) -> bool:
    """Return True if a sentence asks, requests, or ends a reply as a form field: "Your name:"."""
    requests = book.request.search(fold(sentence.text)) or is_request(sentence.text)
    return sentence.asks or bool(requests) or (sentence is parts[-1] and sentence.text.endswith(":"))


def _hinted(parts: tuple[Sentence, ...], hints: Hints) -> list[int]:
    """Return the last sentence that the author declared an answer to, if it reports and denies nothing."""
    for number, each in reversed([*enumerate(parts)]):
        if any(pattern.search(each.text) for pattern, _ in hints):
            return [] if reported_acts(each.text) or is_agreement(each.text) or is_denial(each.text) else [number]
    return []


def _question(
    sentence: str,
    around: str,
    variables: dict[str, Json],
    hints: Hints,
    book: Phrasebook,
) -> ChatbotQuestion:
    hinted = next((answer for pattern, answer in hints if pattern.search(sentence)), None)
    if hinted is not None:
        return ChatbotQuestion(sentence, Kind.HINTED, (hinted,), options(sentence, book) or options(around, book))
    plain = fold(sentence)
    if book.more.search(plain) and not _CONTACT.intersection(asked_slots(sentence, ()).missing):
        return ChatbotQuestion(sentence, Kind.MORE)
    is_open = is_open_question(sentence)
    if book.confirm.search(plain) and not is_open and not _VALUE_QUESTION.search(plain):
        return ChatbotQuestion(sentence, Kind.CONFIRM)
    about = about_variables(sentence, around, variables)
    if book.how_many.search(plain):
        return ChatbotQuestion(sentence, Kind.HOW_MANY, tuple(name for name in about if _is_number(variables[name])))
    offered = options(sentence, book) or options(around, book)
    if about and not offered and not is_open and _repeats(sentence, about, variables):
        return ChatbotQuestion(sentence, Kind.CONFIRM)
    if about:
        return ChatbotQuestion(sentence, Kind.VARIABLE, about, offered)
    offers = _WITH_IT.match(plain) or (book.offer.search(plain) and not is_open)
    return ChatbotQuestion(sentence, Kind.OFFER if offers else Kind.OTHER, (), offered)


def _repeats(sentence: str, about: tuple[str, ...], variables: dict[str, Json]) -> bool:
    """Return True if a question repeats values without naming their variables: "so, Tuesday at ten, yes?"."""
    named = any(stems(name.replace("_", " ")) & stems(sentence) for name in about)
    return (
        sentence.endswith("?") and not named and all(mentions(sentence, v) for n in about for v in texts(variables[n]))
    )


def about_variables(sentence: str, around: str, variables: dict[str, Json]) -> tuple[str, ...]:
    """Return the variables that a question names, else offers, asks for, or lists around it."""
    said = stems(sentence)
    named = tuple(name for name in variables if stems(name.replace("_", " ")) & said)
    if named:
        return named
    return (
        _named_values(sentence, variables)
        or variables_asked_for(sentence, variables)
        or _requested(sentence, variables)
        or _named_values(around, variables)
    )


def _named_values(text: str, variables: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the variables all of whose values a text names."""
    return tuple(
        name
        for name, value in variables.items()
        if (values := texts(value)) and all(len(v) > 1 and mentions(text, v) for v in values)
    )


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lists(sentence: Sentence, book: Phrasebook) -> bool:
    return (sentence.text.count(",") >= 1 and ":" in sentence.text) or bool(book.options.search(fold(sentence.text)))


class Hint:
    """A pattern of a question, searched in linear time and ignoring case."""

    def __init__(self, pattern: str) -> None:
        compiled = re2.compile(f"(?i){pattern}")
        # Chatbots repeat their questions, within a conversation and across conversations.
        self._found = cached(lambda text: compiled.search(text) is not None)

    def search(self, text: str) -> bool:
        return self._found(text)


def hints_of(case: Case) -> Hints:
    """Return the hints of a case, in order."""
    return tuple((_hint(pattern), answer) for pattern, answer in case.answers.items())


def hints_about(case: Case, reply: str, own: Sequence[str]) -> Hints:
    """Return the hints of the goal that a reply's questions name, else of the goal the user named last.

    If the questions name several goals, it is the one of these that the user named last. A goal's `about` is its name.
    """
    hinted = [goal for goal in case.goals if goal.answers]
    if not hinted:
        return ()
    asked = _words(" ".join(sentence.text for sentence in sentences(reply) if sentence.asks))
    alike = [(share(words, asked), len(words & asked)) for words in map(_named_by, hinted)]
    most = max(alike)
    named = [goal for goal, like in zip(hinted, alike, strict=True) if like == most]
    named.sort(key=lambda goal: goal.text in own[-1:])  # two goals may begin with the same word: "milk"
    last = (goal for said in reversed(own) for goal in reversed(named) if requests_goal(goal, case, said))
    about = named[0] if len(named) == 1 else next(last, named[0])
    return tuple((_hint(answer.asked), answer.says) for answer in about.answers)


def _named_by(goal: Goal) -> frozenset[str]:
    """Return the words by which a question names a goal."""
    return _words(goal.about or goal.text)


@cached
def _words(text: str) -> frozenset[str]:
    """Return the stems of a text, without its numbers."""
    return stems(" ".join(word for word in tokens(text) if not word.isdigit()))


@lru_cache(maxsize=256)
def _hint(pattern: str) -> Hint:
    return Hint(pattern)


def contradicts_goal(case: Case, own: Sequence[str], reply: str, understood: Phrasebook) -> str:
    """Return the text of the goal that the chatbot got wrong, or an empty string.

    A goal is wrong if the reply names another day, time or phone number, or asks to confirm something that shares
    nothing with the user's goals.
    """
    asked = [goal for goal in case.goals if any(requests_goal(goal, case, said) for said in own)]
    wanted = {goal.text: values_of(goal, case.variables) for goal in asked}
    for text, values in wanted.items():
        if any(names_other_value(value, reply) for value in values):
            return text
    named = [text for text, values in wanted.items() if values]
    repeats = any(
        any(mentions(reply, value) for value in values) if values else not stems(reply).isdisjoint(stems(text))
        for text, values in wanted.items()
    )
    if not named or repeats or not understood.correct.search(fold(reply)):
        return ""
    stated = [each.text for each in sentences(reply) if not each.asks]
    only_agrees = bool(stated) and all(is_agreement(each) and len(tokens(each)) <= _MAX_AGREEMENT for each in stated)
    return "" if only_agrees else named[-1]
