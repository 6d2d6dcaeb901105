"""What the author of a case says a chatbot may ask, and what to answer then."""

from functools import lru_cache

import re2

from sparring.core.case import Case
from sparring.users.questions import Hints


class Hint:
    """A pattern of what a chatbot may ask, searched in linear time and whatever the case of the letters."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re2.compile(f"(?i){pattern}")

    def search(self, text: str) -> bool:
        return self._pattern.search(text) is not None


def hints_of(case: Case) -> Hints:
    """The hints of a case, in their order."""
    return tuple((_hint(pattern), answer) for pattern, answer in case.answers.items())


@lru_cache(maxsize=256)
def _hint(pattern: str) -> Hint:
    return Hint(pattern)
