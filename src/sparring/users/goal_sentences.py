"""A goal as a sentence: what an author wrote as a phrase, said as a person would say it."""

from collections.abc import Sequence
from random import Random

from sparring.extraction.speech_acts import is_question
from sparring.extraction.tokens import fold
from sparring.users.phrasebooks.phrasebook import Phrasebook

_PHRASE = 12
"""What has more words than this is no phrase to build into a sentence."""


def listed(values: Sequence[str], and_: str) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {and_} {values[-1]}"


def goal_sentence(goal: str, values: Sequence[str], book: Phrasebook, dice: Random, *, attempt: int) -> str:
    """`goal` as a sentence of its own; each further `attempt` says it in other, and in the end in the barest, words."""
    words = _without_order(" ".join(goal.split()), book)
    if attempt == 0:
        return _framed(words, book, dice)
    if attempt == 1 or not values:
        frame = book.again[(attempt - 1) % len(book.again)]
        return _capital(frame.format(_bare(words)))
    return _capital(listed(values, book.and_))


def _framed(words: str, book: Phrasebook, dice: Random) -> str:
    plain = fold(words)
    if words.endswith("?"):
        return _capital(words)
    if is_question(words):
        return book.tell[dice.randrange(2)].format(_small(_bare(words)))
    if book.verbs.match(plain):
        return dice.choice(book.want_to).format(_small(_bare(words)))
    if book.statement.match(plain) or len(words.split()) > _PHRASE or ". " in words:
        return _capital(f"{_bare(words)}.")
    return dice.choice(book.want).format(_bare(words))


def _without_order(words: str, book: Phrasebook) -> str:
    order = book.order_words.match(fold(words))
    return words[order.end() :].lstrip(" ,") if order else words


def _bare(words: str) -> str:
    return words.rstrip(" .;,?!")


def _small(words: str) -> str:
    """Without a capital at the start, unless it is part of a name or an abbreviation."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
