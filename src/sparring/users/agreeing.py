"""Whether a chatbot that asks "is that right?" has it right."""

from sparring.core.case import Case
from sparring.reading import typed
from sparring.reading.goals import asks_for, values_of
from sparring.reading.words import fold, mentions
from sparring.users.kinds import whole
from sparring.users.phrases.phrasebook import Phrasebook

_COMPARED = ("date", "time", "money", "phone", "email", "code")

_SHORT = 3
"""A value of so few characters, such as a quantity, is like many others."""


def misheard(case: Case, own: list[str], heard: str, ears: Phrasebook) -> str:
    """The wish that a chatbot got wrong, or empty.

    It did if it names another day, time, amount or code than the user, or if what it wants to have confirmed has
    nothing in it of what the user said.
    """
    asked = [goal for goal in case.goals if any(asks_for(goal, case, said) for said in own)]
    wanted = {goal.text: values_of(goal, case.variables) for goal in asked}
    for text, values in wanted.items():
        if any(_other(value, heard) for value in values):
            return text
    named = [text for text, values in wanted.items() if values]
    repeats = any(mentions(heard, value) for values in wanted.values() for value in values)
    return named[-1] if named and not repeats and ears.correct.search(fold(heard)) else ""


def _other(value: str, heard: str) -> bool:
    """Whether another value of the same type is named instead of this one."""
    for type in _COMPARED if len(value) > _SHORT else ():
        mine = whole(type, value)
        if mine is not None:
            theirs = [found.value for found in typed.find(type, heard)]
            return bool(theirs) and mine not in theirs
    return False
