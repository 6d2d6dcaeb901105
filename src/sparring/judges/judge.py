"""The judge protocol, judges without a model, and the standard rubric."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.languages import NAMES
from sparring.extraction.tokens import language_of
from sparring.judges.rubric_files import GENERAL, find_rubric
from sparring.llm.plugin_context import PluginContext

GROUP = "sparring.judges"
"""The entry-point group of judges."""

_ENGLISH = "English"
"""The language of a user where no file says another."""


class Judge(Protocol):
    """Scores the chatbot in conversations whose endings count."""

    @property
    def reads_rubrics(self) -> bool:
        """True if the judge is asked once for each rubric, else once."""

    @property
    def deterministic(self) -> bool:
        """True if the verdict follows from the conversation alone."""

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        """Return the verdict by a rubric; if the judge cannot decide, an error, never a low score."""


class BaseJudge:
    """A judge that is asked once for each rubric; subclasses add `judge`."""

    reads_rubrics: bool = True
    deterministic: bool = False


@dataclass(frozen=True)
class DeterministicJudge(BaseJudge):
    """A judge that is a function of the conversation alone, needs no model, and reads no rubric.

    It is also its own factory, so that an entry point of `sparring.judges` can name it.
    """

    decide: Callable[[Conversation], Verdict]

    reads_rubrics = False
    deterministic = True

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        return self.decide(conversation)

    def __call__(self, argument: str, context: PluginContext) -> "DeterministicJudge":
        return self


def verdict_by(
    judge: str, conversation: Conversation, outcome: CheckOutcome, reason: str = "", **fields: Any
) -> Verdict:
    """Return the verdict of a judge without rubrics, whose check has its name."""
    return Verdict(
        check=judge, outcome=outcome, conversation=conversation.id, reason=reason, by=judge, judge=judge, **fields
    )


@cache
def deterministic_judge(name: str) -> DeterministicJudge | None:
    """Return the judge called `name` if its verdict follows from the conversation alone, else None."""
    if name not in plugins.names(GROUP):
        return None
    judge = plugins.find(GROUP, name)
    return judge if isinstance(judge, DeterministicJudge) else None


def standard(cases: Iterable[Case]) -> Rubric:
    """Return the rubric that all cases name as their standard, or the general one if they differ.

    Comments by the general one are in the language of most cases.
    """
    asked = list(cases)
    names = {case.standard_rubric for case in asked}
    rubric = _find(names.pop() if len(names) == 1 else GENERAL)
    if rubric.name != GENERAL or not asked:
        return rubric
    (language, _), *_others = Counter(map(_language, asked)).most_common(1)
    return rubric.model_copy(update={"language": language})


def _language(case: Case) -> str:
    """Return the language of a case: that of its user, or of its goals if only they tell."""
    code = language_of(" ".join(goal.text for goal in case.goals))
    said = NAMES.get(code, _ENGLISH).title()
    return said if case.persona.language == _ENGLISH else case.persona.language


@cache
def _find(name: str) -> Rubric:
    return find_rubric(name)
