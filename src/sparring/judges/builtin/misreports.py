"""Reports of something as done with other values than the user asked for and the chatbot had noted."""

import re
from collections.abc import Iterator
from itertools import pairwise

from sparring.core.case import Goal
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.text import visible
from sparring.extraction.acts import Act, reported_acts, wanted_act
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.speech_acts import is_denial, is_farewell
from sparring.extraction.tokens import NUMBERS, mentions, sentences, stems, tokens
from sparring.judges.builtin.verdicts import Defect

_CLAUSE = re.compile(r"[;.\n]\s*|\s(?:and|y|и|e|et|und)\s")
_MOST = 99
"""Largest number that counts things."""


def misreports(conversation: Conversation) -> Iterator[Defect]:
    """Yield what the last report of each goal gets wrong."""
    if conversation.case.right == "refuse":
        return
    for goal, known in zip(conversation.case.goals, conversation.goals, strict=False):
        last = _last_report(conversation, goal) if known.stage is not GoalStage.NOT_ASKED else None
        if last is None:
            continue
        said = " ".join(each.text for each in sentences(conversation.messages[last].text) if not each.asks)
        for check in (_other_value, _other_number, _left_out, _other_day):
            if wrong := check(conversation, goal, last, said):
                reason = f"turn {conversation.turn_of(last)}: the chatbot says {visible(said)!r}, but {wrong}"
                yield Defect(reason, ((last, 0, len(conversation.messages[last].text)),))


def _last_report(conversation: Conversation, goal: Goal) -> int | None:
    """Return the last reply that reports the act of a goal as done and does not take leave."""
    wanted = wanted_act(goal.text) or Act.PLACE
    for at in range(len(conversation.messages) - 1, len(conversation.case.history) - 1, -1):
        each = conversation.messages[at]
        said = () if each.role == "user" or each.injected or is_denial(each.text) else sentences(each.text)
        if any(wanted in reported_acts(sentence.text) for sentence in said) and not is_farewell(each.text):
            return at
    return None


def _user(conversation: Conversation, end: int | None = None) -> list[str]:
    return [each.text for each in conversation.messages[:end] if each.role == "user"]


def _values(conversation: Conversation, name: str) -> list[str]:
    value = conversation.case.variables.get(name)
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def _other_value(conversation: Conversation, goal: Goal, last: int, said: str) -> str:
    """Return the complaint about an alternative of a value that the user asked for, or an empty text."""
    for name, others in goal.others.items():
        values = _values(conversation, name)
        named = [other for other in others if mentions(said, other) and not mentions(goal.text, other)]
        if (
            len(named) != 1
            or any(mentions(said, value) for value in values)
            or _is_wanted(conversation, name, named[0])
        ):
            continue
        # A report is right or wrong by what the user had said before it, not by a later change of mind.
        turns = [
            text for text in _user(conversation, last) if any(mentions(text, each) for each in (*values, named[0]))
        ]
        if turns and any(mentions(text, value) for text in (turns[-1],) for value in values):
            return f"the user asked for {' and '.join(values)}, not {named[0]}"
    return ""


def _is_wanted(conversation: Conversation, name: str, value: str) -> bool:
    """Return True if a value is that of another variable or goal."""
    others = (each for other in conversation.case.variables if other != name for each in _values(conversation, other))
    return value in others


def _other_number(conversation: Conversation, goal: Goal, last: int, said: str) -> str:
    """Return the complaint about another number of the same things, or an empty text."""
    for unit, number in _counts(goal.text).items():
        if _last_count(conversation, unit, last) != number:
            continue
        if any(unit in _counts(other.text) for other in conversation.case.goals if other is not goal):
            continue  # "5 boxes" may be those of another goal
        # A clause about "whole milk" is none about "baked milk".
        others = (stems(other.text) for other in conversation.case.goals if other is not goal)
        own = stems(goal.text).difference({unit}, *others) or stems(goal.text) - {unit}
        rest = frozenset(stem for stem in own if not stem.isdigit())
        for clause in _CLAUSE.split(said):
            found = _counts(clause).get(unit, number)
            if found != number and rest & stems(clause):
                return f"the user asked for {number}, not {found}"
    return ""


def _counts(text: str) -> dict[str, int]:
    """Return the numbers of things in a text by the stem of the word that follows them."""
    words = tokens(text)
    found: dict[str, int] = {}
    for word, following in pairwise(words):
        number = NUMBERS.get(word) or (int(word) if word.isdecimal() and len(word) < 3 else 0)
        if 0 < number <= _MOST and not following[0].isdigit():
            found.update(dict.fromkeys(stems(following), number))
    return found


def _last_count(conversation: Conversation, unit: str, last: int) -> int:
    """Return the number of things that the user named last before a report."""
    found = map(_counts, reversed(_user(conversation, last)))
    return next((counts[unit] for counts in found if unit in counts), 0)


def _left_out(conversation: Conversation, goal: Goal, last: int, said: str) -> str:
    """Return the complaint about a missing value of a list that was noted in full, or an empty text."""
    for name in goal.variables:
        values = _values(conversation, name)
        missing = [value for value in values if not mentions(said, value)]
        if not 0 < len(missing) < len(values):
            continue
        noted = [at for at, each in enumerate(conversation.messages[:last]) if _notes(each.role, each.text, values)]
        since = conversation.messages[noted[-1] + 1 : last] if noted else ()
        if noted and not any(mentions(each.text, value) for each in since if each.role == "user" for value in missing):
            return f"it leaves out {' and '.join(missing)}"
    return ""


def _notes(role: str, text: str, values: list[str]) -> bool:
    return role == "chatbot" and all(mentions(text, value) for value in values)


def _other_day(conversation: Conversation, goal: Goal, last: int, said: str) -> str:
    """Return the complaint about another day than the only one that the user named, or an empty text."""
    named = set[int]().union(*(weekdays(text) for text in _user(conversation, last)))
    stated = (
        sentence for each in conversation.messages[:last] if each.role == "chatbot" for sentence in sentences(each.text)
    )
    noted = any(not sentence.asks and weekdays(sentence.text) == named for sentence in stated)
    found = weekdays(said)
    return "the user asked for another day" if noted and len(named) == len(found) == 1 and found != named else ""
