"""What a run is asked to do."""

from datetime import datetime

from pydantic import NonNegativeInt, PositiveInt

from sparring.core.case import Case
from sparring.core.rubric import Rubric
from sparring.core.rule import Rule
from sparring.core.value import Value


class Who(Value):
    """Who played what, in words: it heads every report, and scores of different judges are never mixed."""

    chatbot: str
    chatbot_model: str = ""
    user: str
    reader: str = "patterns"
    judge: str = ""

    def __str__(self) -> str:
        chatbot = f"{self.chatbot} ({self.chatbot_model or 'unknown'})"
        parts = [f"user: {self.user}", f"chatbot: {chatbot}"]
        if self.reader != "patterns":
            parts.append(f"reader: {self.reader}")
        return " · ".join([*parts, f"judge: {self.judge}"] if self.judge else parts)


class Batch(Value):
    """Cases times repeats, and who plays them. Its status is derived from what is stored, never written down.

    `id` is a ULID: batches sort by the time they were made. `rubrics` are what the judge is asked about every
    conversation, `case_rubrics` what it is asked about those whose case names them by their hash.
    """

    id: str
    created: datetime
    who: Who
    cases: tuple[Case, ...]
    name: str = ""
    seed: NonNegativeInt = 0
    repeats: PositiveInt = 1
    tags: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    case_rubrics: tuple[Rubric, ...] = ()

    def asked(self, case: Case) -> tuple[Rubric, ...]:
        """What the judge is asked about a case, each once."""
        own = (rubric for rubric in self.case_rubrics if rubric.hash in case.rubrics)
        return tuple({rubric.hash: rubric for rubric in (*self.rubrics, *own)}.values())

    @property
    def planned(self) -> int:
        """How many conversations it holds when nothing is missing."""
        return len(self.cases) * self.repeats
