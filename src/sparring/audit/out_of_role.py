"""Sentences that fall out of the role of a user, found by features instead of wordings.

A refusal has a person who refuses, or rules that do, and an object that is the part to be played or the text to be
written. Talk about the conversation names who plays, what is played, or how far it is. An attack names the chatbot's
rules and lifts them, and coaching names its machinery and steers it. Features are those of one language, and each is a
class of words in the section `out_of_role` of its file.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache

from sparring.audit.phrases import OUT_OF_ROLE, linear_search
from sparring.audit.signs import Excuse, Kind, MisbehaviorSign
from sparring.extraction.tokens import Sentence, fold, sentences

Features = Mapping[str, re.Pattern[str]]
Rules = tuple[tuple[tuple[str, ...], bool], ...]

_REFUSALS: Rules = (
    (("machine",), True),
    (("acting", "played", "denied", "self"), True),
    (("acting", "denied", "ruled"), True),
    (("request", "ruled"), True),
    (("acting", "denied"), False),
    (("request", "denied", "self"), False),
    (("ruled", "denied", "played"), False),
    (("aware", "denied"), False),
    (("withdraws", "ruled"), False),
    (("withdraws", "request"), False),
    (("bodiless",), False),
)
"""Features of a refusal, the one first that names its object, and True if nothing else explains them."""

_META = tuple((names, False) for names in (("says",), ("would", "played"), ("part",), ("talk",), ("tally",), ("must",)))
_ATTACKS: Rules = ((("rulebook", "undone"), False), (("secret", "reveals"), False), (("becomes",), False))
_COACHING: Rules = ((("machinery", "steers"), False), (("internal",), False), (("graded",), False))
_RULES: tuple[tuple[Kind, Rules, Excuse], ...] = (
    ("model_refusal", _REFUSALS, "button"),
    ("meta", _META, "button"),
    ("jailbreak", _ATTACKS, "attack"),
    ("jailbreak", ((("claims", "demands"), False),), "authority"),
    ("coaching", _COACHING, "heard"),
)
_ASKABLE = frozenset({"aware", "machine", "bodiless", "talk", "request", "acting", "machinery"})
"""First features that say nothing in a question, in which a user may wonder about the chatbot."""


@cache
def _features() -> tuple[Features, ...]:
    return tuple(
        {name: re.compile(rf"(?<!\w)(?:{fold(words)})") for name, words in language.items() if name != "actors"}
        for language in OUT_OF_ROLE
    )


@cache
def _prefilter() -> Callable[[str], object]:
    names = {features[0] for _, rules, _ in _RULES for features, _ in rules}
    return linear_search(language[name] for language in OUT_OF_ROLE for name in sorted(names))


def may_fall_out(text: str) -> bool:
    """Return False if no sentence of a text falls out of the role."""
    return _prefilter()(fold(text)) is not None


def denies_of_itself(text: str) -> bool:
    """Return True if a sentence of a text denies something in the first person."""
    said = [fold(each.text) for each in sentences(text) if not each.asks]
    return any(each["self"].search(one) and each["denied"].search(one) for one in said for each in _features())


def fallen_out(sentence: Sentence) -> MisbehaviorSign | None:
    """Return the sign of a sentence that falls out of the role of a user: a refusal comes first."""
    said = fold(sentence.text)
    for kind, rules, excuse in _RULES:
        for language in _features():
            if found := _first(language, rules, said, asks=sentence.asks):
                return MisbehaviorSign(kind, *found, excuse)
    return None


def _first(language: Features, rules: Rules, said: str, *, asks: bool) -> tuple[str, bool] | None:
    """Return the words of the first rule whose features a sentence has, and its certainty."""
    for names, certain in rules:
        if asks and names[0] in _ASKABLE:
            continue
        found = language[names[0]].search(said)
        if found and all(language[name].search(said) for name in names[1:]):
            return found[0].strip(" .,:\n"), certain
    return None
