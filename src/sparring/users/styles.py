"""Ways of talking: their names, and the instructions they are to a model that plays the user.

How a sentence comes out of a user who talks in a style of its own.

Spelling mistakes as hurried fingers make them, on a Latin or a Cyrillic keyboard.
"""

import re
from collections.abc import Iterable, Mapping
from random import Random

from sparring.core.case import Case, Style
from sparring.core.errors import InputError
from sparring.extraction.goals import texts
from sparring.users.phrasebooks.phrasebook import Phrasebook

LONG_PHRASES = "long phrases"
CHANGE_YOUR_MIND = "change your mind"
CHANGE_LANGUAGE = "change language"
SPELLING_MISTAKES = "make spelling mistakes"
SINGLE_QUESTION = "single question"
ALL_QUESTIONS = "all questions"

_INSTRUCTIONS = {
    "default": "",
    LONG_PHRASES: "You write long, detailed messages.",
    CHANGE_YOUR_MIND: "You change your mind now and then, and correct what you said before.",
    CHANGE_LANGUAGE: "You switch between these languages from message to message: {languages}.",
    SPELLING_MISTAKES: "You make spelling mistakes, but never in names, numbers or codes.",
    SINGLE_QUESTION: "You bring up one thing at a time and wait for the answer.",
    ALL_QUESTIONS: "You bring up everything you want at once, in your first message.",
}

STYLES = frozenset(_INSTRUCTIONS)
"""The names of all styles."""


def instruction(style: Style) -> str:
    """What to tell a model so that it talks in this style."""
    if style.name not in _INSTRUCTIONS:
        raise InputError(f"unknown interaction style {style.name!r}", hint=f"there are: {', '.join(sorted(STYLES))}")
    return _INSTRUCTIONS[style.name].format(languages=", ".join(style.languages))


def talks(case: Case, style: str) -> bool:
    """Whether the user of `case` talks in this style."""
    return any(each.name == style for each in case.persona.styles)


_KEYBOARDS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
)
_RATE = 0.25
"""How many of the words that may be misspelt are."""

_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{4,}(?![^\W\d_])")
_EXACT = re.compile(r"\S*[\d@_/\\:#]\S*|\b[^\W\d_a-zа-я]{2,}\b")
"""What has to be exact to mean anything: whatever has digits or signs inside, and abbreviations."""


def with_typos(text: str, dice: Random, *, keep: Iterable[str] = ()) -> str:
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


def spoken(text: str, case: Case, book: Phrasebook, dice: Random, *, turn: int, carefully: bool) -> str:
    """`text` in the styles of the user of `case`; whoever was not understood speaks `carefully`, and plainly."""
    if carefully:
        return text
    if talks(case, LONG_PHRASES):
        text = f"{_next(book.openers, case, turn)} {text} {_next(book.closers, case, turn)}"
    if talks(case, SPELLING_MISTAKES):
        values = (*case.variables.values(), *case.answers.values())
        text = with_typos(text, dice, keep=[words for value in values for words in texts(value)])
    return text


def _next(wordings: tuple[str, ...], case: Case, turn: int) -> str:
    """Every wording once before any is repeated, from one that the seed chooses."""
    return wordings[(case.seed + turn) % len(wordings)]
