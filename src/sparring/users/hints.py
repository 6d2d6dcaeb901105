"""What the author of a case says a chatbot may ask, and what to answer then."""

from collections.abc import Sequence
from functools import lru_cache

import re2

from sparring.core.case import Case
from sparring.reading.goals import asks_for
from sparring.reading.words import remembered, sentences, share, stems
from sparring.users.questions import Hints


class Hint:
    """A pattern of what a chatbot may ask, searched in linear time and whatever the case of the letters."""

    def __init__(self, pattern: str) -> None:
        compiled = re2.compile(f"(?i){pattern}")
        # Chatbots ask the same questions again and again, in one conversation and in a thousand.
        self._found = remembered(lambda text: compiled.search(text) is not None)

    def search(self, text: str) -> bool:
        return self._found(text)


def hints_of(case: Case) -> Hints:
    """The hints of a case, in their order."""
    return tuple((_hint(pattern), answer) for pattern, answer in case.answers.items())


def hints_about(case: Case, heard: str, own: Sequence[str]) -> Hints:
    """The hints of the goal that the questions of a chatbot are about: the one they name, or else the last one said."""
    hinted = [goal for goal in case.goals if goal.answers]
    if not hinted:
        return ()
    asked = stems(" ".join(sentence.text for sentence in sentences(heard) if sentence.asks))
    named = max(hinted, key=lambda goal: share(stems(goal.text), asked))
    if not stems(named.text) & asked:
        last = (goal for said in reversed(own) for goal in reversed(hinted) if asks_for(goal, case, said))
        named = next(last, named)
    return tuple((_hint(answer.asked), answer.says) for answer in named.answers)


@lru_cache(maxsize=256)
def _hint(pattern: str) -> Hint:
    return Hint(pattern)
