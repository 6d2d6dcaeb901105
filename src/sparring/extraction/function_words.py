"""Languages of texts, told apart by function words, and words by which texts are read.

A word counts much less if languages share it.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from sparring.extraction.languages import LANGUAGES, Language
from sparring.extraction.tokens import cached, fold, tokens, word_matcher

FUNCTION_WORDS = {each.code: each.function_words for each in LANGUAGES}


def _weights() -> dict[str, tuple[tuple[str, ...], float]]:
    """Return the languages of each function word, and its weight."""
    found: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in dict.fromkeys(fold(words).split()):
            found.setdefault(word, []).append(code)
    return {word: (tuple(codes), len(codes) ** -2) for word, codes in found.items()}


WEIGHTS = _weights()
"""Languages of each function word, and its weight."""

_OTHERS = frozenset(each.code for each in LANGUAGES if not each.common)
_SURE, _TWICE = 1.0, 2.0
"""Weight that tells a language, and how many times that of the next one it must be."""


def _all_weights() -> dict[str, dict[str, float]]:
    found = {word: dict.fromkeys(codes, weight) for word, (codes, weight) in WEIGHTS.items()}
    for each in LANGUAGES:
        for word in fold(each.more_function_words).split():
            if word not in found:
                found[word] = {each.code: 1.0}
    return found | {"dos": {"es": 0.5, "pt": 0.5}}


_ALL = {word: tuple(weights.items()) for word, weights in _all_weights().items()}


@cached
def _scores(text: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for word in tokens(text):
        if word in _ALL:
            for code, weight in _ALL[word]:
                scores[code] = scores.get(code, 0.0) + weight
    return scores


def language_shares(text: str) -> dict[str, float]:
    """Return the share of each language in the weight of a text's function words, by its code."""
    scores = _scores(text)
    return {code: score / sum(scores.values()) for code, score in scores.items()}


@cached
def other_language(text: str) -> str:
    """Return the code of a text's language, "" if it is a common one, "?" if it is unclear."""
    scores = _scores(text)
    best = max(scores, key=lambda code: scores[code], default="")
    second = max((score for code, score in scores.items() if code != best), default=0.0)
    if not best or scores[best] < _SURE or scores[best] < _TWICE * second:
        return "?"
    return best if best in _OTHERS else ""


_PLAIN_WEIGHT, _PLAIN_SHARE = 2.5, 0.75
"""Weight of function words that tells a language for sure, and their minimum share of the weight of all."""


@cached
def plain_language(text: str) -> str:
    """Return the code of a text's language, or an empty string if its function words leave a doubt."""
    scores = _scores(text)
    best = max(scores, key=lambda code: scores[code], default="")
    sure = best and scores[best] >= max(_PLAIN_WEIGHT, _PLAIN_SHARE * sum(scores.values()))
    return best if sure else ""


Words = tuple[str, ...]
T = TypeVar("T")


def by_language(
    of: Callable[[Language], Iterable[str]], make: Callable[[Words], T], *, guess: bool = True
) -> Callable[[str], T]:
    """Return a function from a text to what is made of the words of its language, each at its first use.

    If the language of a text is unclear, the words of all languages count; with `guess=False`, only those of common
    ones. French participles look like English verbs without their accents, which must be there.
    """
    made: dict[str, T] = {}

    def words(code: str) -> Words:
        shared = tuple(word for each in LANGUAGES if each.common for word in of(each))
        if code == "" or (code[0] == "?" and not guess):
            return shared
        if code[0] != "?":
            return tuple(word for each in LANGUAGES if each.code == code for word in of(each))
        others = (each for each in LANGUAGES if not each.common and (code == "?é" or each.code != "fr"))
        return (*shared, *(word for each in others for word in of(each)))

    def of_text(text: str) -> T:
        code = other_language(text)
        if code == "?" and not text.isascii():
            code = "?é"
        found = made.get(code)
        if found is None:
            found = made[code] = make(words(code))
        return found

    return of_text


def spoken(*keys: str, start: str = "", end: str = "", guess: bool = True) -> Callable[[str], bool]:
    """Return a cached predicate for the words under `keys`, for texts in any language."""
    matcher = by_language(
        lambda language: (word for key in keys for word in language.sections["speech"][key]),
        lambda words: word_matcher(*words, start=start, end=end),
        guess=guess,
    )
    return cached(lambda text: matcher(text)(text))
