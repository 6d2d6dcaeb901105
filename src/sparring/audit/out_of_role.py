"""Sentences that fall out of the role of a user, found by a linear model of their words.

The model weighs words, pairs of words, classes of words, words with the same meaning in seven languages, and pairs of
both. Features are numbers, so that a sentence is weighed without making strings. `tools/train_audit.py` learns the
weights from labelled messages. A sentence or a whole message is suspected or certain if it is more likely one of the
kinds than an ordinary one by more than a threshold.
"""

import json
import math
import re
import struct
import tomllib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

from sparring.extraction.tokens import Sentence, cached, fold

Kind = Literal["role_flip", "model_refusal", "meta", "speaks_for_bot", "jailbreak", "coaching"]
Excuse = Literal["", "business", "goals", "button", "authority", "attack", "heard"]


@dataclass(frozen=True, slots=True)
class MisbehaviorSign:
    """Words that show a fault, unless the context that `excuse` names explains them."""

    kind: Kind
    words: str
    certain: bool = True
    excuse: Excuse = ""
    named: str = ""


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

_FEATURES = 0xFFFFFF
"""Largest number of a feature."""

_NEAR = 3
"""Number of words, without articles, in which two meanings are a pair."""

_LEFT, _RIGHT = 0x9E3779B1, 0x85EBCA77
_APART, _FIRST, _ASKED = 0x1B873593, 0x27D4EB2F, 0x165667B1
"""Odd numbers that mix two features into that of their pair."""

_ARTICLES = frozenset({"the", "a"})
STEP = 0.02
"""Weight of one unit in the file."""

WEIGHTS = struct.Struct("<HB5b")
"""One feature in the file: its number in two parts, and its weights by kind."""

_FIELD, _HALF = 20, 1 << 19
"""Bits of one kind in the packed weights of a feature, which are added at once."""

_LONGEST = 80
"""Words of a sentence that are weighed, from its beginning."""

PLAUSIBLE = 0.0
"""Margin below which a sentence is ordinary, whatever its wording."""

_MOST_NAMED = 3
"""Number of words that a sign names as its reason."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """Packed weights of features, the bias by kind, and the thresholds of both certainties."""

    bias: tuple[float, ...]
    weights: dict[int, int]
    suspected: float
    certain: float

    def margin(self, words: Sequence[str]) -> tuple[float, int]:
        """Return by how much a sentence is more likely one of the kinds than ordinary, and the likeliest kind."""
        units = unpacked(sum(filter(None, map(self.weights.get, features(words)))))
        scores = [bias + each * STEP for bias, each in zip(self.bias, units, strict=True)]
        best = max(scores)
        return best + math.log(sum(math.exp(each - best) for each in scores)), scores.index(best)


def unpacked(number: int) -> list[int]:
    """Return the units of all kinds in the packed weights of a feature, or in a sum of such numbers."""
    units = []
    for _ in KINDS:
        units.append(((number + _HALF) & ((1 << _FIELD) - 1)) - _HALF)
        number = (number - units[-1]) >> _FIELD
    return units


def model_of(data: bytes) -> RoleModel:
    """Return the model in a file: a line of JSON, and the features."""
    line, _, body = data.partition(b"\n")
    head = json.loads(line)
    weights = {
        low + (high << 16): a + (b << _FIELD) + (c << 2 * _FIELD) + (d << 3 * _FIELD) + (e << 4 * _FIELD)
        for low, high, a, b, c, d, e in WEIGHTS.iter_unpack(body)
    }
    return RoleModel(tuple(head["bias"]), weights, head["suspected"], head["certain"])


@cache
def role_model() -> RoleModel:
    """Return the trained model."""
    return model_of(files("sparring.audit").joinpath("out_of_role.bin").read_bytes())


def feature_of(name: str) -> int:
    """Return the number of a word, `@class` or `+meaning`."""
    return zlib.crc32(name.encode()) & _FEATURES


@cache
def _listed(table: str) -> dict[str, list[str]]:
    """Return the names of each word, or beginning of words with `*`, in a table of word classes."""
    text = files("sparring.audit").joinpath("word_classes.toml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for name, words in tomllib.loads(text)[table].items():
        for word in dict.fromkeys(fold(words).split()):
            found.setdefault(word, []).append(name)
    return found


def _beginnings(word: str) -> Iterator[str]:
    """Yield a word, and its beginnings with `*` from the longest on, as they are listed."""
    yield word
    yield from (f"{word[:end]}*" for end in range(len(word), 1, -1))


@cached
def symbols_of(word: str) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the features of a folded word: its own, of its classes, and of its meanings.

    A word without meanings means itself, an article nothing.
    """
    classes, meanings = _listed("classes"), _listed("meanings")
    own = {name for each in _beginnings(word) for name in classes.get(each, ())}
    means = next((meanings[each] for each in _beginnings(word) if each in meanings), None)
    number = feature_of(word)
    said = (number,) if means is None else tuple(feature_of(f"+{name}") for name in means if name not in _ARTICLES)
    return number, tuple(feature_of(f"@{name}") for name in sorted(own)), said


def words_of(sentence: str) -> list[str]:
    """Return the words of a sentence: `0` for each number, and `<name>` if it has a name of programs."""
    words = ["0" if word[0].isdigit() else word for word in _WORD.findall(fold(sentence))][:_LONGEST]
    return [*words, "<name>"] if _NAME.search(sentence) else words


def features(words: Sequence[str]) -> set[int]:
    """Return the features of a sentence."""
    read = [symbols_of(word) for word in words]
    plain = [word for word, _, _ in read]
    found = set(plain)
    found.update([(one * _LEFT + other * _RIGHT >> 8) & _FEATURES for one, other in pairwise(plain)])
    found.update(
        [(one * _LEFT + other * _RIGHT + _APART >> 8) & _FEATURES for one, other in zip(plain, plain[2:], strict=False)]
    )
    _pair([classes for _, classes, _ in read], _REACH, found)
    said = [meanings for _, _, meanings in read if meanings]
    _pair(said, _NEAR, found)
    found.update([(each * _LEFT + _FIRST >> 8) & _FEATURES for each in (*plain[:1], *(said[0] if said else ()))])
    if plain and words[-1] == "?":
        found.update([(each * _LEFT + _ASKED >> 8) & _FEATURES for _, classes, _ in read for each in classes])
    return found


def _pair(symbols: Sequence[tuple[int, ...]], reach: int, found: set[int]) -> None:
    """Add the symbols of all words, and the pairs of those that are nearer than `reach`."""
    for at, here in enumerate(symbols):
        if here:
            found.update(here)
            near = [other * _RIGHT for each in symbols[at + 1 : at + reach] for other in each]
            for one in here:
                left = one * _LEFT
                found.update([(left + right >> 8) & _FEATURES for right in near])


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
    """Yield the words that speak most for a kind, alone or by their classes and meanings, in their order."""
    weights = {
        word: sum(unpacked(model.weights.get(each, 0))[kind] for each in {number, *classes, *meanings})
        for word in words
        if word.isalpha()
        for number, classes, meanings in (symbols_of(word),)
    }
    most = sorted(weights, key=lambda word: -weights[word])[:_MOST_NAMED]
    return (word for word in weights if word in most and weights[word] > 0)
