"""Changes of mind: the user takes another value for a while, then returns to the right one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.case import Case
from sparring.core.value import Json
from sparring.extraction.goals import texts
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.questions import options
from sparring.extraction.tokens import fold, mentions, sentences


@dataclass(frozen=True, slots=True)
class StatedAlternative:
    """A right value that the user has stated, and an alternative."""

    value: str
    other: str

    def taken(self, said: str) -> str:
        """Return the value that a message settles on; empty if it does not mention the alternative."""
        if not mentions(said, self.other):
            return ""
        plain = fold(said)
        return max(self.value, self.other, key=lambda words: plain.rfind(fold(words)))


def change_of_mind(case: Case, own: Sequence[str], heard: Sequence[str], book: Phrasebook) -> StatedAlternative | None:
    """Return the first stated value of a goal that has an alternative, or None.

    An alternative is another option of the chatbot's question, or one more of a counted thing.
    """
    wanted = [(goal, case.variables[name]) for goal in case.goals for name in goal.variables if name in case.variables]
    right = [text for _, value in wanted for text in texts(value)]
    for goal, value in wanted:
        if isinstance(value, list | bool | None) or not any(mentions(said, str(value)) for said in own):
            continue
        other = next((other for other in _others(value, heard, book) if not _clashes(other, right)), None)
        if other:
            what = _counted_thing(goal.text, str(value)) if isinstance(value, int) else ""
            return StatedAlternative(f"{value}{what}", f"{other}{what}")
    return None


def _counted_thing(goal: str, number: str) -> str:
    """Return the counted thing after a number: " cans of coke" for 2 in "2 cans of coke"."""
    found = re.search(rf"\b{number}( [^\W\d_]+(?: (?:of|de) [^\W\d_]+)?)", goal)
    return found[1] if found else ""


def _others(value: Json, heard: Sequence[str], book: Phrasebook) -> Iterator[str]:
    if isinstance(value, int):
        yield str(value + 1)
        return
    for text in heard:
        for sentence in sentences(text):
            offered = options(sentence.text, book)
            if any(fold(offer) == fold(str(value)) for offer in offered):
                yield from offered


def _clashes(other: str, right: Sequence[str]) -> bool:
    """Return True if the alternative overlaps with a right value."""
    return any(mentions(other, text) or mentions(text, other) for text in right)
