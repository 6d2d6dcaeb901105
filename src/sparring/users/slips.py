"""Spelling mistakes as hurried fingers make them, on a Latin or a Cyrillic keyboard."""

import re
from collections.abc import Iterable, Mapping
from random import Random

_KEYBOARDS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
)
_RATE = 0.25
"""How many of the words that may be misspelt are."""

_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{4,}(?![^\W\d_])")
_EXACT = re.compile(r"\S*[\d@_/\\:#]\S*|\b[^\W\d_a-zа-я]{2,}\b")
"""What has to be exact to mean anything: whatever has digits or signs inside, and abbreviations."""


def misspelt(text: str, dice: Random, *, keep: Iterable[str] = ()) -> str:
    """`text` with slips in some of its words, one each; never in numbers, ids, addresses, or where it says `keep`."""
    exact = [match.span() for match in _EXACT.finditer(text)]
    exact += [match.span() for words in keep if words for match in re.finditer(re.escape(words), text, re.IGNORECASE)]

    def slip(match: re.Match[str]) -> str:
        start, end = match.span()
        if any(start < last and first < end for first, last in exact) or dice.random() >= _RATE:
            return match[0]
        return _slip(match[0], dice)

    return _WORD.sub(slip, text)


def _slip(word: str, dice: Random) -> str:
    """`word` with two letters in the wrong order, one missing, one twice, or one key beside the right one."""
    at = dice.randrange(1, len(word) - 1)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    near = _NEIGHBOURS.get(letter.lower(), "")
    kind = dice.randrange(4)
    if kind == 0 and letter != after[0]:
        return f"{before}{after[0]}{letter}{after[1:]}"
    if kind == 1:
        return before + after
    if kind == 2 and near:
        return before + dice.choice(near) + after
    return before + letter + letter + after


def _neighbours() -> Mapping[str, str]:
    """The keys beside each key, in its row and in those above and below it."""
    return {
        key: "".join(
            other
            for there, others in enumerate(rows)
            for at, other in enumerate(others)
            if other != key and abs(there - here) <= 1 and abs(at - place) <= (1 if there == here else 0)
        )
        for rows in _KEYBOARDS
        for here, row in enumerate(rows)
        for place, key in enumerate(row)
    }


_NEIGHBOURS = _neighbours()
