"""Which goals were asked, and which words answered them."""

import re

from sparring.core.case import Case, Goal
from sparring.core.conversation import Evidence, GoalProgress
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.reading.words import Sentence, fold, mentions, sentences, share, stems, tokens

_ASKED = 0.5
"""How much of a goal a message must say to ask for it."""

_REFUSES = re.compile(
    r"\b(?:sorry|unfortunately|only offer|only have|not available|unavailable|unable|can't|cannot|don't have|"
    r"do not have|lo siento|no tenemos|solo tenemos|no es posible|извините|к сожалению|не можем)\b"
)


def read_goals(
    case: Case, messages: tuple[Message, ...], fallen_back: frozenset[int], *, start: int
) -> tuple[GoalProgress, ...]:
    """The progress of every goal of `case`; `start` is the first message beyond the history."""
    return tuple(_progress(goal, case, messages, fallen_back, start) for goal in case.goals)


def _progress(
    goal: Goal, case: Case, messages: tuple[Message, ...], fallen_back: frozenset[int], start: int
) -> GoalProgress:
    values = values_of(goal, case.variables)
    asked_at = next(
        (
            at
            for at, message in enumerate(messages)
            if at >= start and message.role == "user" and asks_for(goal, values, message.text)
        ),
        None,
    )
    if asked_at is None:
        return GoalProgress(text=goal.text)
    replies = [
        (at, message.text)
        for at, message in enumerate(messages)
        if at > asked_at and message.role == "chatbot" and at not in fallen_back
    ]
    answered = _echoed(values, replies) if values else _replied(goal, asked_at, messages, replies)
    if values and answered is None:
        answered = _accepted(goal, case, values, messages, replies)
    return GoalProgress(text=goal.text, asked_at=asked_at, answered=answered)


def values_of(goal: Goal, variables: dict[str, Json]) -> tuple[str, ...]:
    """The values that a goal's variables hold, each as text."""
    return tuple(text for name in goal.variables if name in variables for text in texts(variables[name]))


def texts(value: Json) -> tuple[str, ...]:
    """A variable's value, or each of its values, as text."""
    return tuple(str(item) for item in (value if isinstance(value, list) else [value]) if item is not None)


def asks_for(goal: Goal, values: tuple[str, ...], text: str) -> bool:
    """Whether a user's message asks for `goal`: says most of it, or most of its values."""
    said = share(stems(goal.text), stems(text))
    named = sum(mentions(text, value) for value in values) / len(values) if values else 0.0
    return max(said, named) >= _ASKED


def _echoed(values: tuple[str, ...], replies: list[tuple[int, str]]) -> Evidence | None:
    """The chatbot repeated every value in statements of its own, in one reply or over several."""
    missing = set(values)
    for at, text in replies:
        for sentence in sentences(text):
            if sentence.asks or _REFUSES.search(fold(sentence.text)):
                continue
            missing -= {value for value in missing if mentions(sentence.text, value)}
            if not missing:
                return _evidence(at, sentence)
    return None


def _accepted(
    goal: Goal, case: Case, values: tuple[str, ...], messages: tuple[Message, ...], replies: list[tuple[int, str]]
) -> Evidence | None:
    """The user said every value, and the chatbot went on to something else without asking for any of them again."""
    about = stems(goal.text) | stems(" ".join(goal.variables))
    missing = set(values)
    for at, message in enumerate(messages):
        if message.role == "user":
            missing -= {value for value in missing if mentions(message.text, value)}
        elif not missing and (at, message.text) in replies:
            found = _went_on(at, message.text, about)
            if found:
                return found
    return None


def _went_on(at: int, text: str, about: frozenset[str]) -> Evidence | None:
    parts = sentences(text)
    if _REFUSES.search(fold(text)) or any(s.asks and stems(s.text) & about for s in parts):
        return None
    stated = [s for s in parts if not s.asks]
    return _evidence(at, _best(about, stated)) if stated else None


def _replied(
    goal: Goal, asked_at: int, messages: tuple[Message, ...], replies: list[tuple[int, str]]
) -> Evidence | None:
    """The chatbot stated something on the goal's subject, or replied to the very message that asked for it.

    A reply that asks back counts only where the goal is a question: "And to drink?" does not answer a wish.
    """
    about, a_question = stems(goal.text), goal.text.rstrip().endswith("?")
    for at, text in replies:
        parts = sentences(text)
        stated = [s for s in parts if not s.asks and len(tokens(s.text)) > 1]
        if not stated:
            continue
        best = _best(about, stated)
        direct = (a_question or len(stated) == len(parts)) and asks_for(goal, (), messages[at - 1].text)
        if stems(best.text) & about or (direct and not _REFUSES.search(fold(text))):
            return _evidence(at, best)
    return None


def _best(about: frozenset[str], stated: list[Sentence]) -> Sentence:
    return max(stated, key=lambda sentence: len(stems(sentence.text) & about))


def _evidence(at: int, sentence: Sentence) -> Evidence:
    return Evidence(at=at, start=sentence.start, end=sentence.end, text=sentence.text)
