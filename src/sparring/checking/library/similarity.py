"""Whether a chatbot repeats itself, by four measures of how alike two texts are."""

import math
import re
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher

from sparring.checking.library.function import function
from sparring.checking.recording import Recording
from sparring.checking.undecided import LimitReached

_MESSAGES, _CHARACTERS = 500, 20_000
_TOKEN = re.compile(r"\b\w\w+\b")


@function()
def repeated_answers(conversation: Recording, method: str = "exact", threshold: float = 0.4) -> dict[str, list[str]]:
    """The chatbot's answers that return later, each with the later ones: `not repeated_answers(method='jaccard')`.

    Two answers are alike from `threshold` on, by `exact` (equal), `jaccard` (words in common among all their words),
    `tf-idf` (cosine of the two, over words of two letters or more in lower case, weighted by
    1 + ln(3 / (1 + how many of the two contain the word))), or `sequence-matcher` (runs of characters in common).
    """
    measure = _MEASURES.get(method)
    if measure is None:
        raise ValueError(f"repeated_answers() knows {', '.join(map(repr, _MEASURES))}, not {method!r}")
    answers = conversation.texts("chatbot")
    if len(answers) > _MESSAGES or (measure is not _exact and sum(map(len, answers)) > _CHARACTERS * 10):
        raise LimitReached("too many or too long answers to compare each with each")
    found: dict[str, list[str]] = {}
    later: set[int] = set()
    for index, answer in enumerate(answers):
        if index not in later:
            alike = [at for at in range(index + 1, len(answers)) if measure(answer, answers[at]) >= threshold]
            later.update(alike)
            if alike:
                found.setdefault(answer, []).extend(answers[at] for at in alike)
    return found


def _exact(one: str, other: str) -> float:
    return math.inf if one == other else -math.inf


def _jaccard(one: str, other: str) -> float:
    words, others = set(one.lower().split()), set(other.lower().split())
    return len(words & others) / len(words | others) if words | others else 1.0


def _tf_idf(one: str, other: str) -> float:
    counts = [Counter(_TOKEN.findall(text.lower())) for text in (one, other)]
    if not all(counts):
        return float(one == other)
    weight = {
        word: 1 + math.log(3 / (1 + sum(word in count for count in counts))) for count in counts for word in count
    }
    left, right = ({word: times * weight[word] for word, times in count.items()} for count in counts)
    dot = sum(value * right.get(word, 0.0) for word, value in left.items())
    return dot / (math.hypot(*left.values()) * math.hypot(*right.values()))


def _sequence(one: str, other: str) -> float:
    if len(one) + len(other) > _CHARACTERS:
        raise LimitReached("two answers too long to compare character by character")
    return SequenceMatcher(None, one, other).ratio()


_MEASURES: dict[str, Callable[[str, str], float]] = {
    "exact": _exact,
    "jaccard": _jaccard,
    "tf-idf": _tf_idf,
    "sequence-matcher": _sequence,
}
