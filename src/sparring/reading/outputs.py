"""Reading wanted values out of what a chatbot said, each with the words that state it.

Every candidate is scored by how much of the output's name or description is said around it: in its own sentence, and
in the user's message that the reply answers. The best wins, and of equally good ones the last: a chatbot that names a
price and then another has changed its mind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sparring.core.case import OutputWanted
from sparring.core.conversation import Evidence, Output
from sparring.core.value import Json
from sparring.reading import typed
from sparring.reading.bearings import NOWHERE, Bearings
from sparring.reading.found import Found
from sparring.reading.goals import texts
from sparring.reading.lists import bulleted
from sparring.reading.words import Sentence, fold, mentions, sentences, share, stems

_CODE_WORDS = re.compile(
    r"(?:^|[\s_])(?:id|ids|code|number|no|reference|ref|booking|tracking|codigo|numero|referencia|код|номер|артикул)(?:$|[\s_])"
)
_NEAR = 0.5
"""How much of what an output is called must be said before a whole sentence is taken for its value."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Something the chatbot said, where it stands, and what the user had said right before."""

    at: int
    text: str
    asked: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A value, where the words stand that state it, and how much speaks for it."""

    score: float
    value: Json
    start: int
    end: int


def read_output(
    wanted: OutputWanted, replies: tuple[Reply, ...], variables: dict[str, Json], bearings: Bearings = NOWHERE
) -> Output:
    """The value of `wanted` in the chatbot's replies; without evidence if it was not stated.

    `variables` help where the output is about what the user wanted: "the confirmed size" is near the size itself.
    """
    best: tuple[Reply, _Candidate] | None = None
    kind = _kind(wanted)
    for reply in replies:
        for candidate in (
            _typed(wanted.name, wanted.description, kind, reply.text, reply.asked, bearings)
            if kind
            else _sentences(wanted, reply, variables)
        ):
            if best is None or candidate.score >= best[1].score:
                best = reply, candidate
    if best is None:
        return Output(name=wanted.name, type=wanted.type)
    reply, found = best
    evidence = Evidence(at=reply.at, start=found.start, end=found.end, text=reply.text[found.start : found.end])
    return Output(name=wanted.name, type=wanted.type, value=found.value, evidence=evidence)


def _kind(wanted: OutputWanted) -> str:
    """The type of value to look for; empty where whole sentences are meant."""
    if wanted.type not in typed.TEXT and typed.known(wanted.type):
        return wanted.type
    return "code" if _is_code(wanted.name, wanted.description) else ""


@lru_cache(maxsize=8192)
def _typed(name: str, description: str, kind: str, text: str, asked: str, bearings: Bearings) -> tuple[_Candidate, ...]:
    """Values of a type; a reply is read once, however often the conversation is."""
    least = 0.0 if typed.items(kind) is None else _NEAR
    question = _said(name, description, asked) / 2
    found = []
    for sentence in _parts(text, kind):
        near = question + _said(name, description, sentence.text)
        for value in typed.find(kind, sentence.text, bearings):
            behind = _behind(name, sentence.text[: value.start])
            if kind == "code" and not behind and not _looks_like_one(near - question, sentence.text, value):
                continue
            if near + behind >= least:
                start = sentence.start + value.start
                found.append(_Candidate(near + behind, value.value, start, sentence.start + value.end))
    return tuple(found)


def _parts(text: str, kind: str) -> tuple[Sentence, ...]:
    """What to look at: sentence by sentence, but a list with a line for every item as a whole."""
    if typed.items(kind) is not None and bulleted(text):
        return (Sentence(text, 0, len(text)),)
    return sentences(text)


def _looks_like_one(near: float, text: str, value: Found) -> bool:
    """Whether a code that does not stand behind its name may be meant: at least its name must be near it."""
    words = text[value.start : value.end]
    return near > 0 and len(words) > 2 and not words.isalpha()


def _sentences(wanted: OutputWanted, reply: Reply, variables: dict[str, Json]) -> Iterator[_Candidate]:
    """The statements of a reply to a question about the output, or else single sentences that are about it."""
    stated = [sentence for sentence in sentences(reply.text) if not sentence.asks]
    if not stated:
        return
    asked = _said(wanted.name, wanted.description, reply.asked)
    if asked >= _NEAR:
        start, end = stated[0].start, stated[-1].end
        words = reply.text[start:end]
        yield _Candidate(1 + asked, words, start, end)
    for sentence in stated:
        near = max(_said(wanted.name, wanted.description, sentence.text), _named(wanted, sentence.text, variables))
        if near >= _NEAR:
            yield _Candidate(near, sentence.text, sentence.start, sentence.end)


def _said(name: str, description: str, text: str) -> float:
    """How much of the output's name, or of its description, `text` says."""
    said = stems(text)
    return max(share(_name(name), said), share(stems(description), said))


def _named(wanted: OutputWanted, text: str, variables: dict[str, Json]) -> float:
    """How many of the variables that the output's description names have all their values in `text`."""
    label = _name(wanted.name) | stems(wanted.description)
    named = [texts(value) for name, value in variables.items() if _name(name) & label]
    return sum(all(mentions(text, value) for value in values) for values in named) / len(named) if named else 0.0


def _behind(name: str, before: str) -> float:
    """More for a value that follows its own name: in "2 pizzas, order ID 9c31ab" the order id is the second code."""
    near = fold(before)[-24:]
    return sum(0.25 for word in _words(name) if word.search(near))


@lru_cache(maxsize=512)
def _words(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{re.escape(word)}\b") for word in fold(name).replace("_", " ").split())


@lru_cache(maxsize=512)
def _name(name: str) -> frozenset[str]:
    return stems(name.replace("_", " "))


@lru_cache(maxsize=512)
def _is_code(name: str, description: str) -> bool:
    return bool(_CODE_WORDS.search(fold(name)) or _CODE_WORDS.search(fold(description)))
