"""Changing one's mind: taking another value for a while, and then the right one again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.case import Case
from sparring.core.value import Json
from sparring.extraction.goals import texts
from sparring.extraction.tokens import fold, mentions, sentences
from sparring.users.phrasebooks.phrasebook import Phrasebook
from sparring.users.questions import options


@dataclass(frozen=True, slots=True)
class ChangeOfMind:
    """A value that was said and is right, and another one that it could have been."""

    value: str
    other: str

    def taken(self, said: str) -> str:
        """Which of the two a message takes in the end; empty if it does not speak of the other one at all."""
        if not mentions(said, self.other):
            return ""
        plain = fold(said)
        return max(self.value, self.other, key=lambda words: plain.rfind(fold(words)))


def doubt(case: Case, own: Sequence[str], heard: Sequence[str], book: Phrasebook) -> ChangeOfMind | None:
    """The first value of a goal that the user has said and knows something else for.

    That is what a chatbot offered beside it, or one more of something that is counted.
    """
    wanted = [(goal, case.variables[name]) for goal in case.goals for name in goal.variables if name in case.variables]
    right = [text for _, value in wanted for text in texts(value)]
    for goal, value in wanted:
        if isinstance(value, list | bool | None) or not any(mentions(said, str(value)) for said in own):
            continue
        other = next((other for other in _others(value, heard, book) if not _clashes(other, right)), None)
        if other:
            what = _counted(goal.text, str(value)) if isinstance(value, int) else ""
            return ChangeOfMind(f"{value}{what}", f"{other}{what}")
    return None


def _counted(goal: str, number: str) -> str:
    """What there are so many of: nobody understands a change of 2 to 3, but one of 2 cans of coke to 3 cans of coke."""
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
    """Whether taking `other` would say something about a value that is right."""
    return any(mentions(other, text) or mentions(text, other) for text in right)
