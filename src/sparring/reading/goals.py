"""Which goals were asked, and which words answered them."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sparring.core.case import Case, Goal
from sparring.core.conversation import GoalProgress
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.reading.answering import Wish, answer
from sparring.reading.reply import Reply
from sparring.reading.words import mentions, share, share_misspelt, stems

_ASKED = 0.5
"""How much of a goal a message must say to ask for it."""


def read_goals(
    case: Case, messages: tuple[Message, ...], telling: tuple[Reply, ...], *, start: int
) -> tuple[GoalProgress, ...]:
    """The progress of every goal of `case`; `start` is the first message beyond the history, and `telling` are the
    replies that are no fallbacks."""
    said = {at: message.text for at, message in enumerate(messages) if at >= start and message.role == "user"}
    misspelt = misspells(case)
    own = [apart(goal, case) for goal in case.goals]
    values = [values_of(goal, case.variables) for goal in case.goals]
    asked = {
        at: [_asks_for(*each, misspelt, text) for each in zip(case.goals, values, own, strict=True)]
        for at, text in said.items()
    }
    return tuple(
        _progress(number, goal, values[number], own[number], asked, said, telling)
        for number, goal in enumerate(case.goals)
    )


def _progress(
    number: int,
    goal: Goal,
    values: tuple[str, ...],
    own: frozenset[str],
    asked: Mapping[int, Sequence[bool]],
    said: dict[int, str],
    telling: tuple[Reply, ...],
) -> GoalProgress:
    """What became of a goal; `asked` says of every message of the user which goals it asks for."""
    asking = [at for at, goals in asked.items() if goals[number]]
    if not asking:
        return GoalProgress(text=goal.text)
    others = {at for at, goals in asked.items() if sum(goals) > goals[number]}
    wish = Wish(
        text=goal.text,
        values=values,
        variables=goal.variables,
        own=own,
        asked_alone=frozenset(at for at in asking if at not in others),
        until=min((at for at in others if at > asking[0]), default=math.inf),
    )
    answered = answer(wish, [reply for reply in telling if reply.at > asking[0]], said)
    return GoalProgress(text=goal.text, asked_at=asking[0], answered=answered)


def values_of(goal: Goal, variables: dict[str, Json]) -> tuple[str, ...]:
    """The values that a goal's variables hold, each as text."""
    found: tuple[str, ...] = ()
    for name in goal.variables:
        if name in variables:
            found += texts(variables[name])
    return found


def texts(value: Json) -> tuple[str, ...]:
    """A variable's value, or each of its values, as text; of a mapping, what somebody would say of it."""
    if isinstance(value, str):
        return (value,) if value else ()
    items = value if isinstance(value, list) else [value]
    return tuple([text for item in items for text in [_text(item)] if text])


def _text(value: Json) -> str:
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return " ".join(
            str(item) for item in inner if isinstance(item, str | int | float) and not isinstance(item, bool)
        )
    return "" if value is None else str(value)


def asks_for(goal: Goal, case: Case, text: str) -> bool:
    """Whether a user's message asks for `goal`: says most of it, or most of its values.

    Of what sets the goal apart from the others, it must say most too: "whether there is parking" is not a question
    about wifi, however much the two have in common.
    """
    return _asks_for(goal, values_of(goal, case.variables), apart(goal, case), misspells(case), text)


def _asks_for(goal: Goal, values: tuple[str, ...], own: frozenset[str], misspelt: bool, text: str) -> bool:
    if _asks(goal.text, values, own, misspelt, text):
        return True
    return bool(goal.first) and _asks(goal.first, (), frozenset(), misspelt, text)


@lru_cache(maxsize=8192)
def _asks(goal: str, values: tuple[str, ...], own: frozenset[str], misspelt: bool, text: str) -> bool:
    if values and sum(mentions(text, value) for value in values) / len(values) >= _ASKED:
        return True
    said, measure = stems(text), share_misspelt if misspelt else share
    return measure(stems(goal), said) >= _ASKED and (not own or measure(own, said) >= _ASKED)


def apart(goal: Goal, case: Case) -> frozenset[str]:
    """The words of a goal that no other goal of the case has."""
    return _apart(goal.text, tuple([each.text for each in case.goals if each is not goal]))


@lru_cache(maxsize=4096)
def _apart(goal: str, others: tuple[str, ...]) -> frozenset[str]:
    return stems(goal) - frozenset[str]().union(*map(stems, others))


def misspells(case: Case) -> bool:
    """Whether the user of `case` is meant to make spelling mistakes."""
    styles = case.persona.styles
    return bool(styles) and any(style.name == "make spelling mistakes" for style in styles)
