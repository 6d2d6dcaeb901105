"""Sentences that state a goal which an author wrote as a phrase."""

from collections.abc import Sequence
from random import Random

from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.speech_acts import is_question
from sparring.extraction.tokens import fold

_MAX_PHRASE_WORDS = 12
"""Maximum number of words in a phrase that is built into a sentence."""


def join_words(values: Sequence[str], and_: str) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {and_} {values[-1]}"


def goal_sentence(goal: str, values: Sequence[str], book: Phrasebook, random: Random, *, attempt: int) -> str:
    """Return `goal` as a sentence; each further `attempt` uses other words, finally just the values."""
    words = _without_order(" ".join(goal.split()), book)
    if attempt == 0:
        return _sentence(words, book, random)
    if attempt == 1 or not values:
        frame = book.again[(attempt - 1) % len(book.again)]
        return _capital(frame.format(_bare(words)))
    return _capital(join_words(values, book.and_))


def _sentence(words: str, book: Phrasebook, random: Random) -> str:
    plain = fold(words)
    if words.endswith("?"):
        return _capital(words)
    if is_question(words):
        return book.tell[random.randrange(2)].format(_small(_bare(words)))
    if book.verbs.match(plain):
        return random.choice(book.want_to).format(_small(_bare(words)))
    if book.statement.match(plain) or len(words.split()) > _MAX_PHRASE_WORDS or ". " in words:
        return _capital(f"{_bare(words)}.")
    return random.choice(book.want).format(_bare(words))


def _without_order(words: str, book: Phrasebook) -> str:
    order = book.order_words.match(fold(words))
    return words[order.end() :].lstrip(" ,") if order else words


def _bare(words: str) -> str:
    return words.rstrip(" .;,?!")


def _small(words: str) -> str:
    """Lower the first letter, unless it begins an abbreviation."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
