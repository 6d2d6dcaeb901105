"""A judge, as everything here sees one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.verdict import Verdict


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
