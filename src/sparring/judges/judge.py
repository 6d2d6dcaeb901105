"""A judge, as everything here sees one.

What a judge is asked where nobody says what to ask.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.verdict import Verdict
from sparring.judges.rubric_files import GENERAL, ORDER, find_rubric
from sparring.judges.wanted import wanted


class Judge(Protocol):
    """Says how well the chatbot did in a conversation whose ending counts.

    A judge that cannot tell gives `Outcome.ERROR` and the reason, never a low score.
    """

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict: ...


@dataclass(frozen=True)
class Exact:
    """A judge that is a function of the conversation alone, and reads no rubric."""

    decide: Callable[[Conversation], Verdict]

    reads_rubrics = False

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        return self.decide(conversation)


def reads_rubrics(judge: Judge) -> bool:
    """Whether a judge is asked once for every rubric, or once for all; plug-ins read them unless they say otherwise."""
    return bool(getattr(judge, "reads_rubrics", True))


def standard(cases: Iterable[Case]) -> Rubric:
    """The rubric for orders where every case wants one, else the general one."""
    cases = tuple(cases)
    return _shipped(ORDER if cases and all(map(wanted, cases)) else GENERAL)


@cache
def _shipped(name: str) -> Rubric:
    return find_rubric(name)
