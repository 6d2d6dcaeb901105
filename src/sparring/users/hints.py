"""What the author of a case says a chatbot may ask, and what to answer then."""

from collections.abc import Sequence
from functools import lru_cache

import re2

from sparring.core.case import Case
from sparring.extraction.goals import asks_for
from sparring.extraction.packagings import packaging_in
from sparring.extraction.tokens import remembered, sentences, share, stems, tokens
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
    """The hints of the goal that the questions of a chatbot are about: the one they name, or else the last one said.

    Of several that they name, it is the one that was said last. How many there are of a thing and what it is packed in
    do not name it: "In what packaging: box or bag?" may be about anything.
    """
    hinted = [goal for goal in case.goals if goal.answers]
    if not hinted:
        return ()
    asked = _things(" ".join(sentence.text for sentence in sentences(heard) if sentence.asks))
    alike = [(share(_things(goal.text), asked), len(_things(goal.text) & asked)) for goal in hinted]
    named = [goal for goal, like in zip(hinted, alike, strict=True) if like == max(alike)]
    last = (goal for said in reversed(own) for goal in reversed(named) if asks_for(goal, case, said))
    about = named[0] if len(named) == 1 else next(last, named[0])
    return tuple((_hint(answer.asked), answer.says) for answer in about.answers)


@remembered
def _things(text: str) -> frozenset[str]:
    """What a text is about, without numbers and packagings."""
    said = " ".join(word for word in tokens(text) if not word.isdigit() and not packaging_in(word))
    return stems(said)


@lru_cache(maxsize=256)
def _hint(pattern: str) -> Hint:
    return Hint(pattern)
