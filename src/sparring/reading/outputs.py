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
from sparring.reading.goals import texts
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
    score: float
    value: Json
    evidence: Evidence


def read_output(wanted: OutputWanted, replies: tuple[Reply, ...], variables: dict[str, Json]) -> Output:
    """The value of `wanted` in the chatbot's replies; without evidence if it was not stated.

    `variables` help where the output is about what the user wanted: "the confirmed size" is near the size itself.
    """
    find = _sentences if _is_text(wanted) else _typed
    best: _Candidate | None = None
    for reply in replies:
        for candidate in find(wanted, reply, variables):
            if best is None or candidate.score >= best.score:
                best = candidate
    if best is None:
        return Output(name=wanted.name, type=wanted.type)
    return Output(name=wanted.name, type=wanted.type, value=best.value, evidence=best.evidence)


def _is_text(wanted: OutputWanted) -> bool:
    return (wanted.type in typed.TEXT or not typed.known(wanted.type)) and not _is_code(wanted.name, wanted.description)


def _typed(wanted: OutputWanted, reply: Reply, variables: dict[str, Json]) -> Iterator[_Candidate]:
    kind = wanted.type if typed.known(wanted.type) and wanted.type not in typed.TEXT else "code"
    for sentence in sentences(reply.text):
        near = _said(wanted, sentence.text)
        for found in typed.find(kind, sentence.text):
            behind = _behind(wanted, sentence, found)
            words = sentence.text[found.start : found.end]
            if kind == "code" and not behind and (not near or len(words) < 3 or words.isalpha()):
                continue
            start = sentence.start + found.start
            evidence = Evidence(at=reply.at, start=start, end=start + len(words), text=words)
            yield _Candidate(near + behind + _said(wanted, reply.asked) / 2, found.value, evidence)


def _sentences(wanted: OutputWanted, reply: Reply, variables: dict[str, Json]) -> Iterator[_Candidate]:
    """The statements of a reply to a question about the output, or else single sentences that are about it."""
    stated = [sentence for sentence in sentences(reply.text) if not sentence.asks]
    if not stated:
        return
    asked = _said(wanted, reply.asked)
    if asked >= _NEAR:
        start, end = stated[0].start, stated[-1].end
        words = reply.text[start:end]
        yield _Candidate(1 + asked, words, Evidence(at=reply.at, start=start, end=end, text=words))
    for sentence in stated:
        near = max(_said(wanted, sentence.text), _named(wanted, sentence.text, variables))
        if near >= _NEAR:
            evidence = Evidence(at=reply.at, start=sentence.start, end=sentence.end, text=sentence.text)
            yield _Candidate(near, sentence.text, evidence)


def _said(wanted: OutputWanted, text: str) -> float:
    """How much of the output's name, or of its description, `text` says."""
    said = stems(text)
    return max(share(_name(wanted.name), said), share(stems(wanted.description), said))


def _named(wanted: OutputWanted, text: str, variables: dict[str, Json]) -> float:
    """How many of the variables that the output's description names have all their values in `text`."""
    label = _name(wanted.name) | stems(wanted.description)
    named = [texts(value) for name, value in variables.items() if _name(name) & label]
    return sum(all(mentions(text, value) for value in values) for values in named) / len(named) if named else 0.0


def _behind(wanted: OutputWanted, sentence: Sentence, found: typed.Found) -> float:
    """More for a value that follows its own name: in "2 pizzas, order ID 9c31ab" the order id is the second code."""
    before = fold(sentence.text[: found.start])[-24:]
    words = fold(wanted.name).replace("_", " ").split()
    return sum(0.25 for word in words if re.search(rf"\b{re.escape(word)}\b", before))


@lru_cache(maxsize=512)
def _name(name: str) -> frozenset[str]:
    return stems(name.replace("_", " "))


@lru_cache(maxsize=512)
def _is_code(name: str, description: str) -> bool:
    return bool(_CODE_WORDS.search(fold(name)) or _CODE_WORDS.search(fold(description)))
