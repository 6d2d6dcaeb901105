"""Styles of users: their names, instructions to a model, and their effect on messages without a model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from random import Random

from sparring.core.case import CHANGE_YOUR_MIND, Case, Style
from sparring.core.errors import InputError
from sparring.extraction.goals import texts
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.tokens import fold
from sparring.users.lines import Line, dictates, ended

LONG_PHRASES = "long phrases"
CHANGE_LANGUAGE = "change language"
SPELLING_MISTAKES = "make spelling mistakes"
SINGLE_QUESTION = "single question"
ALL_QUESTIONS = "all questions"

_INSTRUCTIONS = {
    "default": "",
    LONG_PHRASES: "You write long, detailed messages.",
    CHANGE_YOUR_MIND: "",
    CHANGE_LANGUAGE: "You switch between these languages from message to message: {languages}.",
    SPELLING_MISTAKES: "Where a note asks for typos, you make spelling mistakes, but never in names, numbers or codes.",
    SINGLE_QUESTION: "You bring up one thing at a time and wait for the answer.",
    ALL_QUESTIONS: "You bring up everything you want at once, in your first message.",
}

STYLES = frozenset(_INSTRUCTIONS)
"""Names of all styles."""


def instruction(style: Style) -> str:
    """Return the instruction to a model for a style."""
    if style.name not in _INSTRUCTIONS:
        raise InputError(f"unknown interaction style {style.name!r}", hint=f"styles: {', '.join(sorted(STYLES))}")
    return _INSTRUCTIONS[style.name].format(languages=", ".join(style.languages))


def has_style(case: Case, style: str) -> bool:
    """Return True if the user of `case` has this style."""
    return any(each.name == style for each in case.persona.styles)


_KEYBOARDS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
)
_TYPO_RATE = 0.25
"""Share of eligible words with a typo."""

_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{4,}(?![^\W\d_])")
_NEVER_MISSPELLED = re.compile(r"\S*[\d@_/\\:#]\S*|\b[^\W\d_a-zа-я]{2,}\b")
"""Text that must be exact: anything with digits or signs inside, and abbreviations."""


def with_typos(text: str, random: Random, *, keep: Iterable[str] = ()) -> str:
    """Return `text` with one typo each in some words; never in numbers, ids, addresses or `keep`."""
    exact = [match.span() for match in _NEVER_MISSPELLED.finditer(text)]
    exact += [match.span() for words in keep if words for match in re.finditer(re.escape(words), text, re.IGNORECASE)]

    def slip(match: re.Match[str]) -> str:
        start, end = match.span()
        if any(start < last and first < end for first, last in exact) or random.random() >= _TYPO_RATE:
            return match[0]
        return _typo(match[0], random)

    return _WORD.sub(slip, text)


def _typo(word: str, random: Random) -> str:
    """Return `word` with two letters swapped, one missing, one doubled, or a neighboring key."""
    at = random.randrange(1, len(word) - 1)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    near = _NEIGHBOURS.get(letter.lower(), "")
    kind = random.randrange(4)
    if kind == 0 and letter != after[0]:
        return f"{before}{after[0]}{letter}{after[1:]}"
    if kind == 1:
        return before + after
    if kind == 2 and near:
        return before + random.choice(near) + after
    return before + letter + letter + after


def _neighbours() -> Mapping[str, str]:
    """Return the neighboring keys of each key, in its row and the rows next to it."""
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


def apply_styles(
    said: Line, case: Case, book: Phrasebook, random: Random, *, turn: int, carefully: bool, exact: bool = False
) -> str:
    """Return a line in the user's styles; unchanged if `carefully`, without typos if `exact`."""
    text = said.text
    if carefully:
        return text
    if has_style(case, LONG_PHRASES):
        text = _at_length(said, case, book, turn)
    if has_style(case, SPELLING_MISTAKES) and not exact:
        values = (*case.variables.values(), *case.answers.values())
        facts = (value for fact in role_sheet(case).facts for value in fact.values)
        own = phrasebook(case.persona.language)
        exact_words = (word for goal in case.goals for word in _decisive(goal.text, own))
        text = with_typos(
            text, random, keep=[*(words for value in values for words in texts(value)), *facts, *exact_words]
        )
    return text


def _decisive(goal: str, book: Phrasebook) -> Iterator[str]:
    """Yield the verbs of a goal, and the units that it counts: "cancel", "boxes" of "2 boxes"."""
    words = goal.split()
    for before, word in pairwise(["", *words]):
        if before.isdecimal() or book.verbs.match(fold(word)):
            yield word


def _at_length(said: Line, case: Case, book: Phrasebook, turn: int) -> str:
    """Return a wish with a sentence before and after it, and every other answer with one after it."""
    acts = {each.act for each in said.meant}
    if not acts or acts & {"wish", "question", "change"}:
        closer = "" if dictates(said.text) else f" {_next(book.closers, case, turn)}"
        return f"{_next(book.openers, case, turn)} {ended(said.text)}{closer}"
    long = "value" in acts and (case.seed + turn) % 2 and not said.is_free_text
    return f"{ended(said.text)} {book.closers[0]}" if long else said.text


def _next(wordings: tuple[str, ...], case: Case, turn: int) -> str:
    """Return the wording of this turn: each is used once before any repeats, starting at the seed."""
    return wordings[(case.seed + turn) % len(wordings)]
