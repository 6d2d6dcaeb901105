"""What the chatbot wants to know, as far as a user without a model can tell."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from sparring.core.value import Json
from sparring.extraction.goals import texts
from sparring.extraction.speech_acts import open_question, requests
from sparring.extraction.tokens import Sentence, fold, mentions, sentences, stems
from sparring.users.kinds import asked_for
from sparring.users.phrases.phrasebook import Phrasebook


class Pattern(Protocol):
    """Something that is found in a text or not."""

    def search(self, text: str) -> bool: ...


Hints = tuple[tuple[Pattern, str], ...]
"""What the author of a case says a question may look like, and the variable or the words to answer it with."""


class Kind(Enum):
    """What kind of question it is; the order is the order in which they are recognised."""

    HINTED = auto()
    MORE = auto()
    CONFIRM = auto()
    VARIABLE = auto()
    HOW_MANY = auto()
    OFFER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """A question the chatbot asked: its words, its kind, the variables it is about, and the answers it offers."""

    text: str
    kind: Kind
    variables: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def questions(text: str, *, variables: dict[str, Json], hints: Hints, book: Phrasebook) -> list[Question]:
    """The questions in a chatbot's message, in order: sentences that ask, and requests to tell something."""
    found = []
    parts = sentences(text)
    for number, sentence in enumerate(parts):
        if (
            sentence.asks
            or book.request.search(fold(sentence.text))
            or requests(sentence.text)
            or _field(sentence, parts)
        ):
            around = " ".join(
                s.text for s in parts[max(0, number - 1) : number + 2] if s is sentence or _lists(s, book)
            )
            found.append(_question(sentence.text, around, variables, hints, book))
    return found


def _field(sentence: Sentence, parts: tuple[Sentence, ...]) -> bool:
    """Whether it is the last line, and a form's field to be filled: "Your name:"."""
    return sentence is parts[-1] and sentence.text.endswith(":")


def _question(
    sentence: str,
    around: str,
    variables: dict[str, Json],
    hints: Hints,
    book: Phrasebook,
) -> Question:
    hinted = next((answer for pattern, answer in hints if pattern.search(sentence)), None)
    if hinted is not None:
        return Question(sentence, Kind.HINTED, (hinted,))
    plain = fold(sentence)
    if book.more.search(plain):
        return Question(sentence, Kind.MORE)
    is_open = open_question(sentence)
    if book.confirm.search(plain) and not is_open:
        return Question(sentence, Kind.CONFIRM)
    about = about_variables(sentence, around, variables)
    if book.how_many.search(plain):
        return Question(sentence, Kind.HOW_MANY, tuple(name for name in about if _is_number(variables[name])))
    offered = options(around, book)
    if about and not offered and not is_open and _repeats(sentence, about, variables):
        return Question(sentence, Kind.CONFIRM)
    if about:
        return Question(sentence, Kind.VARIABLE, about, offered)
    return Question(sentence, Kind.OFFER if book.offer.search(plain) and not is_open else Kind.OTHER, (), offered)


def _repeats(sentence: str, about: tuple[str, ...], variables: dict[str, Json]) -> bool:
    """Whether a question repeats the user's values without asking for them by name: "so, Tuesday at ten, yes?"."""
    named = any(stems(name.replace("_", " ")) & stems(sentence) for name in about)
    return (
        sentence.endswith("?") and not named and all(mentions(sentence, v) for n in about for v in texts(variables[n]))
    )


def about_variables(sentence: str, around: str, variables: dict[str, Json]) -> tuple[str, ...]:
    """The variables a question is about: those it names, those whose value is among what it offers, or those that hold
    what it is after."""
    said = stems(sentence)
    named = tuple(name for name in variables if stems(name.replace("_", " ")) & said)
    if named:
        return named
    offered = tuple(
        name
        for name, value in variables.items()
        if (values := texts(value)) and all(len(v) > 1 and mentions(around, v) for v in values)
    )
    return offered or asked_for(sentence, variables)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lists(sentence: Sentence, book: Phrasebook) -> bool:
    return (sentence.text.count(",") >= 1 and ":" in sentence.text) or bool(book.options.search(fold(sentence.text)))


def options(text: str, book: Phrasebook) -> tuple[str, ...]:
    """The answers a question offers: what stands between the commas and the `or` behind its last colon or verb."""
    if not book.options.search(fold(text)):
        return ()
    tail = re.split(r"[:(]", text)[-1] if re.search(r"[:(]", text) else text
    parts = [part.strip(" ?.!)\"'") for part in re.split(rf",|{book.options.pattern}", tail)]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return ()
    first = parts[0].split()
    return (" ".join(first[-1:]), *(part for part in parts[1:] if len(part.split()) <= 4))
