"""Counted things in a text: "four bags of flour" counts bags and flour."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from sparring.extraction.tokens import cached, stems, tokens

ALL_NUMBERS = ""
"""Key of all numbers among counts."""

_FOLLOWING = 4
"""Number of words after a number that may name what it counts."""

_FLEETING = re.compile(r"[ое](?=[бвгджзклмнпрстфхцчшщ]$)|[аеиоуыэюя]+$")
"""Vowels by which stems of one Russian word differ: "мешок", "мешка", "мешков"."""

_ARTICLES = frozenset("a an un una".split())
_NUMBER = re.compile(r"\d{1,3}")
_WRITTEN = re.compile(r"\d+(?:[-.:/]\d+)+")
"""A date, a time or another number with signs inside, which counts nothing."""


@cached
def counted(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return each number up to 999 in a text with the stems of the words that follow it."""
    return tuple(_counted(tokens(_WRITTEN.sub(" ", text))))


def _counted(words: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    for at, word in enumerate(words):
        number = _number(word)
        if number is None:
            continue
        things: list[str] = []
        for other in words[at + 1 : at + 1 + _FOLLOWING]:
            if _number(other) is not None:
                break
            things += stems(other)
        yield number, tuple(dict.fromkeys(things))


@cached
def _number(word: str) -> int | None:
    if _NUMBER.fullmatch(word):
        return int(word)
    if word[0].isdigit():
        return None
    only = "".join(stems(word))
    return int(only) if only.isdigit() else None


def counts_in(goals: Iterable[str], others: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the numbers of the things that goals count, an article being one, and their sums.

    The key `ALL_NUMBERS` has all numbers in goals and in `others`, one, and the number of goals.
    """
    goals = list(goals)
    counts: defaultdict[str, list[int]] = defaultdict(list)
    for text in goals:
        words = tuple("1" if word in _ARTICLES else word for word in tokens(text))
        for number, things in _counted(words):
            for thing in things:
                counts[thing].append(number)
    own = [number for text in goals for number, _ in counted(text)]
    named = {number for text in others for number, _ in counted(text)}
    known = {thing: frozenset({*numbers, sum(numbers)}) for thing, numbers in counts.items()}
    return {**known, ALL_NUMBERS: frozenset({1, len(goals), sum(own), *own}) | named}


def same_things(things: Iterable[str], counts: dict[str, frozenset[int]]) -> list[str]:
    """Return the counted things that are among `things`, in any form."""
    found = []
    for thing in things:
        if thing in counts:
            found.append(thing)
        elif not thing.isascii():
            found += [known for known in counts if _FLEETING.sub("", known) == _FLEETING.sub("", thing)]
    return found
