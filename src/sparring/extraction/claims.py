"""Claims of chatbots that they did something, in the languages of `sparring.extraction.languages`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import re2

from sparring.extraction.acts import DEEDS, Deed
from sparring.extraction.languages import LANGUAGES
from sparring.extraction.tokens import cached


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that says that an act was done.

    The chatbot says so of itself in an `own` claim. A `stative` one may also describe what was done before.
    """

    deed: Deed
    start: int
    end: int
    text: str
    own: bool
    stative: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """Patterns of the claims of one language, made of its sections `claims` and `done`."""

    any_done: re.Pattern[str]
    claim: re.Pattern[str]
    blocks: re.Pattern[str]
    """Words after which nothing is claimed as done just now: conditions, plans, denials, the past."""
    before: re.Pattern[str]
    later: re.Pattern[str]


def _any(words: Iterable[str], before: str = r"\b", after: str = r"\b") -> re.Pattern[str]:
    return re.compile(rf"{before}(?:{'|'.join(words)}){after}", re.IGNORECASE)


@cache  # at the first reply that may claim something in the language
def _words(number: int) -> _Words:
    language = LANGUAGES[number]
    section, done = language.sections["claims"], language.sections["done"]
    starts = (f"(?P<{kind}>{'|'.join(section[kind])})" for kind in ("own", "fresh", "stative") if section[kind])
    all_done = tuple(word for deed in DEEDS for word in done[deed.name])
    return _Words(
        _any(all_done),
        _any(starts, after=rf"(?:{'|'.join(f'(?P<{deed.name}>{_or(done[deed.name])})' for deed in DEEDS)})\b"),
        _any(section["blocks"]),
        _any(section["before"]),
        _any(section["later"], before=r"(?: \w+){0,3}?,? "),
    )


def _wider(words: str) -> str:
    """Return a pattern of RE2, whose letters are those of English, that matches wherever words do."""
    return "(?i)" + re.sub(r"\[\\w[^\]]*\]|\\w", "[^ ]", re.sub(r"\(\?[!=][^()]*\)", "", words.replace(r"\b", "")))


def _or(words: Iterable[str]) -> str:
    return "|".join(words) or "(?!)"


@cache
def _some_done() -> Any:
    """Return a search in linear time for the languages whose `any_done` may match."""
    found = re2.Set.SearchSet()
    for each in LANGUAGES:
        found.Add(_wider("|".join(word for deed in DEEDS for word in each.sections["done"][deed.name])))
    found.Compile()
    return found.Match


@cache
def _report_of(deed: Deed) -> re.Pattern[str]:
    return _any(deed.forms())


_SENTENCE = re.compile(r"[^.!?\n;]+(?:\.(?=\S)[^.!?\n;]*)*[.!?\n;]*")


@cached
def claims(reply: str) -> tuple[Claim, ...]:
    """Return the acts that a reply says are done; questions, conditions, plans and denials are none."""
    return tuple(_claims(reply))


def _claims(reply: str) -> Iterator[Claim]:
    languages = [number for number in _some_done()(reply) or () if _words(number).any_done.search(reply)]
    if not languages:
        return
    for sentence in _SENTENCE.finditer(reply):
        if "?" not in sentence[0]:
            for number in languages:
                for deed, own, stative in _claimed(sentence[0], number):
                    yield Claim(deed, sentence.start(), sentence.end(), sentence[0].strip(), own, stative)


@lru_cache(maxsize=1024)
def _claimed(sentence: str, number: int) -> tuple[tuple[Deed, bool, bool], ...]:
    """Return the deeds that a sentence claims, each with True if it is `own`, and if it is `stative`."""
    return tuple(_claims_in(sentence, _words(number)))


def _claims_in(text: str, words: _Words) -> Iterator[tuple[Deed, bool, bool]]:
    blocked, before = words.blocks.search(text), words.before.search(text)
    for found in words.claim.finditer(text, 0, blocked.end() if blocked else len(text)):
        own, fresh = (found.groupdict().get(kind) is not None for kind in ("own", "fresh"))
        past = before is not None and before.start() < found.end()
        if not own and (past or words.later.match(text, found.end())):
            continue
        deed = next(deed for deed in DEEDS if found[deed.name] is not None)
        yield deed, own, not own and not fresh


def says_done(text: str, deed: Deed) -> bool:
    """Return True if a text has a word for a deed that is done."""
    return _report_of(deed).search(text) is not None
