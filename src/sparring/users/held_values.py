"""The values that the user of a case holds at a time, while it changes its mind."""

import re

from sparring.core.case import Case, ChangeOfMind, Goal, Limits
from sparring.core.value import Json
from sparring.extraction.goals import texts

TURNS_NEEDED = 4
"""Turns that must be left for a change: it may be misheard, said again, and confirmed."""


def most_turns(limits: Limits) -> int:
    """Return the number of turns after which a conversation ends in any case."""
    return min(limits.turns, limits.steps or limits.turns)


def has_turns(change: ChangeOfMind, limits: Limits) -> bool:
    """Return True if a conversation has enough turns for all values of a change."""
    return most_turns(limits) > TURNS_NEEDED + (change.mode == "detour")


def first_held(case: Case) -> Case:
    """Return the case with the values that its user begins with."""
    for change in case.changes:
        if change.mode == "for good" and has_turns(change, case.limits):
            case = holding(case, change.variable, change.first)
    return case


def holding(case: Case, variable: str, value: str) -> Case:
    """Return the case of a user that wants another value of a variable, in its goals and answers as well."""
    held = texts(case.variables.get(variable))
    if len(held) != 1 or held[0] == value:
        return case
    old = held[0]
    goals = tuple(_reworded(goal, variable, old, value) if variable in goal.variables else goal for goal in case.goals)
    return case.model_copy(
        update={
            "goals": goals,
            "variables": {**case.variables, variable: _like(case.variables[variable], value)},
            "answers": {asked: value if said == old else said for asked, said in case.answers.items()},
        }
    )


def _reworded(goal: Goal, variable: str, old: str, new: str) -> Goal:
    def said(text: str) -> str:
        return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, flags=re.IGNORECASE)

    answers = tuple(each.model_copy(update={"says": said(each.says)}) for each in goal.answers)
    others = tuple(dict.fromkeys((old, *(each for each in goal.others.get(variable, ()) if each != new))))
    texts = {"text": said(goal.text), "first": said(goal.first), "answers": answers}
    return goal.model_copy(
        update=texts | {"others": goal.others | {variable: others} if variable in goal.others else goal.others}
    )


def _like(old: Json, new: str) -> Json:
    """Return a text as a value of the type of another one."""
    if isinstance(old, list):
        return [_like(old[0], new)]
    try:
        return type(old)(new) if isinstance(old, int | float) else new
    except ValueError:
        return new
