"""Whether a chatbot repeats itself, by four measures of how alike two texts are."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from sparring.checking.function import function
from sparring.checking.recording import Recording
from sparring.checking.undecided import LimitReached

Measure = Callable[[str, str], float]
_LARGEST = 1_000_000
_TOKEN = re.compile(r"\b\w\w+\b")


@function(steps=20_000)
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
    if measure is not _exact and len(answers) * sum(map(len, answers)) > _LARGEST:
        raise LimitReached("too many or too long answers to compare each with each")
    found: dict[str, list[str]] = {}
    for first, later in _alike(answers, measure, threshold):
        found.setdefault(first, []).extend(later)
    return found


def _alike(answers: list[str], measure: Measure, threshold: float) -> Iterator[tuple[str, list[str]]]:
    """Each answer that was not like an earlier one, with those like it that come later."""
    if measure is _exact:
        yield from ((text, [text] * (times - 1)) for text, times in Counter(answers).items() if times > 1)
        return
    taken: set[int] = set()
    for index, answer in enumerate(answers):
        if index not in taken:
            later = [at for at in range(index + 1, len(answers)) if measure(answer, answers[at]) >= threshold]
            taken.update(later)
            if later:
                yield answer, [answers[at] for at in later]


def _exact(one: str, other: str) -> float:
    return float(one == other)


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
    return SequenceMatcher(None, one, other).ratio()


_MEASURES: dict[str, Measure] = {
    "exact": _exact,
    "jaccard": _jaccard,
    "tf-idf": _tf_idf,
    "sequence-matcher": _sequence,
}
