"""Sentences that fall out of the role of a user, found by a linear model of their words.

The model weighs words, pairs of words, classes of words with the same meaning in seven languages, and pairs of such
classes. `tools/train_audit.py` learns the weights from labelled sentences. A sentence is suspected or certain if it is
more likely one of the kinds than an ordinary one by more than a threshold.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from sparring.audit.signs import Excuse, Kind, MisbehaviorSign
from sparring.extraction.tokens import Sentence, cached, fold

_EXCUSES: dict[Kind, Excuse] = {
    "model_refusal": "button",
    "meta": "goals",
    "jailbreak": "authority",
    "coaching": "heard",
    "role_flip": "business",
}
KINDS: tuple[Kind, ...] = tuple(_EXCUSES)
"""Kinds of sentences that fall out of the role, in the order of their weights."""

_WORD = re.compile(r"[^\W\d_]+|\d+|[?:_=\"{]")
_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z][a-zA-Z]+\b|\b[a-z]+=\w")
"""A name as programs write it: `order_id`, `lookUp`, `confirm=1`."""

_REACH = 4
"""Number of words in which two classes are a pair."""

_LONGEST = 80
"""Words of a sentence that are weighed, from its beginning."""

PLAUSIBLE = -3.0
"""Margin below which a sentence is ordinary, whatever its wording."""

_MOST_NAMED = 3
"""Number of words that a sign names as its reason."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """Weights of features by kind, in the order of `KINDS`, and the thresholds of both certainties."""

    bias: tuple[float, ...]
    weights: dict[str, tuple[float, ...]]
    suspected: float
    certain: float

    def margin(self, words: Sequence[str]) -> tuple[float, int]:
        """Return by how much a sentence is more likely one of the kinds than ordinary, and the likeliest kind."""
        weights = self.weights
        found = [weights[each] for each in features(words) if each in weights]
        scores = [sum(column) for column in zip(self.bias, *found, strict=True)]
        best = max(scores)
        return best + math.log(sum(math.exp(each - best) for each in scores)), scores.index(best)


@cache
def role_model() -> RoleModel:
    """Return the trained model."""
    data = json.loads(files("sparring.audit").joinpath("out_of_role.json").read_text(encoding="utf-8"))
    weights = {name: tuple(n / 100 for n in row) for name, row in data["weights"].items()}
    return RoleModel(tuple(data["bias"]), weights, data["suspected"], data["certain"])


@cache
def _classes() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the classes of whole words, and those of beginnings of words."""
    text = files("sparring.audit").joinpath("word_classes.toml").read_text(encoding="utf-8")
    whole: dict[str, set[str]] = {}
    begun: dict[str, set[str]] = {}
    for name, listed in tomllib.loads(text).items():
        for word in fold(listed).split():
            (begun if word.endswith("*") else whole).setdefault(word.rstrip("*"), set()).add(name)
    return whole, begun


@cached
def classes_of(word: str) -> tuple[str, ...]:
    """Return the names of the classes of a folded word, such as `@rules` of "guidelines"."""
    whole, begun = _classes()
    found = whole.get(word, set()).union(*(begun.get(word[:end], ()) for end in range(2, len(word) + 1)))
    return tuple(f"@{name}" for name in sorted(found))


def words_of(sentence: str) -> list[str]:
    """Return the words of a sentence: `0` for each number, and `<name>` if it has a name of programs."""
    words = ["0" if word[0].isdigit() else word for word in _WORD.findall(fold(sentence))][:_LONGEST]
    return [*words, "<name>"] if _NAME.search(sentence) else words


def features(words: Sequence[str]) -> set[str]:
    """Return the features of a sentence."""
    found = {*words, *map(" ".join, pairwise(words)), *(f"^ {word}" for word in words[:1])}
    classes = [classes_of(word) for word in words]
    ends = "?" if words and words[-1] == "?" else ""
    for at, here in enumerate(classes):
        if here:
            found.update(here)
            near = [other for each in classes[at + 1 : at + _REACH] for other in each]
            found.update(f"{one}>{other}" for one in here for other in near)
            if ends:
                found.update(f"{one}?" for one in here)
    return found


@cached
def weighed(sentence: str) -> tuple[float, int]:
    """Return the margin of a sentence and the number of its likeliest kind."""
    return role_model().margin(words_of(sentence))


def fallen_out(sentence: Sentence) -> MisbehaviorSign | None:
    """Return the sign of a sentence that falls out of the role of a user, with the words that weigh most."""
    model = role_model()
    margin, kind = weighed(sentence.text)
    if margin < model.suspected:
        return None
    named = ", ".join(f'"{word}"' for word in _heaviest(model, words_of(sentence.text), kind))
    return MisbehaviorSign(KINDS[kind], sentence.text, margin >= model.certain, _EXCUSES[KINDS[kind]], named)


def _heaviest(model: RoleModel, words: Sequence[str], kind: int) -> Iterator[str]:
    """Yield the words that speak most for a kind, alone or by their classes, in their order."""
    known = model.weights
    weights = {
        word: sum(known[name][kind] for name in (word, *classes_of(word)) if name in known)
        for word in words
        if word.isalpha()
    }
    most = sorted(weights, key=lambda word: -weights[word])[:_MOST_NAMED]
    return (word for word in weights if word in most and weights[word] > 0)


def denies_of_itself(text: str) -> bool:
    """Return True if a sentence of a text denies something in the first person."""
    found = {name for word in words_of(text) for name in classes_of(word)}
    return "@self" in found and not found.isdisjoint(("@negation", "@refuse"))
