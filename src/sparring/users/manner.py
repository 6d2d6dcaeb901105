"""How a sentence comes out of a user who talks in a style of its own."""

from random import Random

from sparring.core.case import Case
from sparring.extraction.goals import texts
from sparring.users.phrases.phrasebook import Phrasebook
from sparring.users.slips import misspelt
from sparring.users.styles import LONG_PHRASES, SPELLING_MISTAKES, talks


def spoken(text: str, case: Case, book: Phrasebook, dice: Random, *, turn: int, carefully: bool) -> str:
    """`text` in the styles of the user of `case`; whoever was not understood speaks `carefully`, and plainly."""
    if carefully:
        return text
    if talks(case, LONG_PHRASES):
        text = f"{_next(book.openers, case, turn)} {text} {_next(book.closers, case, turn)}"
    if talks(case, SPELLING_MISTAKES):
        values = (*case.variables.values(), *case.answers.values())
        text = misspelt(text, dice, keep=[words for value in values for words in texts(value)])
    return text


def _next(wordings: tuple[str, ...], case: Case, turn: int) -> str:
    """Every wording once before any is repeated, from one that the seed chooses."""
    return wordings[(case.seed + turn) % len(wordings)]
