"""Which goals were asked, and which words answered them."""

from collections.abc import Mapping
from functools import lru_cache

from sparring.core.case import Case, Goal
from sparring.core.conversation import GoalProgress
from sparring.core.value import Json
from sparring.extraction.chatbot_reply import Reply
from sparring.extraction.goal_answers import Choice, GoalRequest, Search
from sparring.extraction.speech_acts import denies, yes_or_no
from sparring.extraction.tokens import mentions, share, share_misspelt, stems

_ASKED = 0.5
"""How much of a goal a message must say to ask for it."""


class Goals:
    """The goals of a case, read as its conversation goes on: what was asked, and which words answered it."""

    def __init__(self, case: Case) -> None:
        self._misspelt = misspells(case)
        self._pursuits = [
            _GoalTracking(goal, values_of(goal, case.variables), apart(goal, case), _choices(goal, case.variables))
            for goal in case.goals
        ]
        self._said: dict[int, str] = {}

    def hear_user(self, at: int, text: str) -> None:
        """The user said this, beyond the history."""
        self._said[at] = text
        words = stems(text)
        asked = [each.asks(text, words, self._misspelt) for each in self._pursuits]
        for each, asks in zip(self._pursuits, asked, strict=True):
            each.note(at, asks=asks, others=sum(asked) > asks)

    def hear_chatbot(self, reply: Reply) -> None:
        """The chatbot replied, and that was no fallback."""
        for each in self._pursuits:
            if each.asked_at is not None:
                each.replies.append(reply)

    def progress(self) -> tuple[GoalProgress, ...]:
        """What has become of every goal so far."""
        return tuple([each.progress(self._said) for each in self._pursuits])


class _GoalTracking:
    """A goal, from when it is first asked for; `others` are messages that ask for other goals."""

    def __init__(self, goal: Goal, values: tuple[str, ...], own: frozenset[str], choices: tuple[Choice, ...]) -> None:
        self.asked_at: int | None = None
        self.replies: list[Reply] = []
        self._goal = goal
        self._wish = GoalRequest(goal.text, values, goal.variables, own, choices)
        self._search = Search(self._wish)
        self._progress = GoalProgress.unchecked({"text": goal.text, "asked_at": None, "answered": None})

    def asks(self, text: str, words: frozenset[str], misspelt: bool) -> bool:
        wish = self._wish
        return _says(wish.about, wish.values, wish.own, misspelt, text, words) or _asks_first(
            self._goal, misspelt, text
        )

    def note(self, at: int, *, asks: bool, others: bool) -> None:
        if others and self.asked_at is not None:
            self._wish.until = min(self._wish.until, at)
        if asks and self.asked_at is None:
            self.asked_at = at
        if asks and not others:
            self._wish.asked_alone.add(at)

    def progress(self, said: Mapping[int, str]) -> GoalProgress:
        answered = self._search.go_on(self.replies, said)
        if (self.asked_at, answered) != (self._progress.asked_at, self._progress.answered):
            self._progress = self._progress.changed(asked_at=self.asked_at, answered=answered)
        return self._progress


def values_of(goal: Goal, variables: dict[str, Json]) -> tuple[str, ...]:
    """The values that a goal's variables hold, each as text."""
    found: tuple[str, ...] = ()
    for name in goal.variables:
        if name in variables:
            found += texts(variables[name])
    return found


def _choices(goal: Goal, variables: dict[str, Json]) -> tuple[Choice, ...]:
    """What there was to choose from; a yes and a no are said of many things."""
    return tuple(
        Choice(texts(variables[name]), tuple([other for other in others if not yes_or_no(other) and not denies(other)]))
        for name, others in goal.others.items()
        if name in variables
    )


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
    misspelt = misspells(case)
    return _asks(goal.text, values_of(goal, case.variables), apart(goal, case), misspelt, text) or _asks_first(
        goal, misspelt, text
    )


def _asks_first(goal: Goal, misspelt: bool, text: str) -> bool:
    """Whether a message asks for what has to come before a goal."""
    return bool(goal.first) and _asks(goal.first, (), frozenset(), misspelt, text)


@lru_cache(maxsize=2048)
def _asks(goal: str, values: tuple[str, ...], own: frozenset[str], misspelt: bool, text: str) -> bool:
    return _says(stems(goal), values, own, misspelt, text, stems(text))


def _says(
    about: frozenset[str],
    values: tuple[str, ...],
    own: frozenset[str],
    misspelt: bool,
    text: str,
    words: frozenset[str],
) -> bool:
    """Whether a text of these words says enough of what a goal is about and its own, or of its values."""
    if values and sum(mentions(text, value) for value in values) / len(values) >= _ASKED:
        return True
    measure = share_misspelt if misspelt else share
    return measure(about, words) >= _ASKED and (not own or measure(own, words) >= _ASKED)


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
