"""What a run is asked to do.

Who is to play, as people name them.

What is known about the playing of a batch, besides what came out of it.
"""

from dataclasses import dataclass
from datetime import datetime

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from sparring.core.case import Case
from sparring.core.checks import Rubric, Rule
from sparring.core.conversation import Ending
from sparring.core.value import Value


@dataclass(frozen=True)
class PlayerNames:
    """Who is to play: names as people write them, the model names resolved for each role."""

    chatbot: str
    chatbot_model: str
    user: str
    reader: str = "patterns"
    temperature: float | None = None
    """Of the model that plays the user; the model's own where nobody says."""
    judge: str = "checklist"
    prompts: str = ""
    """The hash of the version that the chatbot is told instead of its own, if it is."""


class Players(Value):
    """Who played what, in words: it heads every report, and scores of different judges are never mixed.

    `prompts` are the short hashes of what the chatbot's model was told.
    """

    chatbot: str
    chatbot_model: str = ""
    user: str
    reader: str = "patterns"
    judge: str = ""
    prompts: str = ""

    def __str__(self) -> str:
        read = f", prompts {self.prompts}" if self.prompts else ""
        chatbot = f"{self.chatbot} ({self.chatbot_model or 'unknown'}{read})"
        parts = [f"user: {self.user}", f"chatbot: {chatbot}"]
        if self.reader != "patterns":
            parts.append(f"reader: {self.reader}")
        return " · ".join([*parts, f"judge: {self.judge}"] if self.judge else parts)


class BatchInputs(Value):
    """What a batch was made of, by the names under which that is found again, so that it can be resumed.

    `sources` are the files and folders its cases were read from, `others` the files that these name or that were named
    beside them (personalities, rules, rubrics), and `contents` has the SHA-256 of both and of all else that lay behind
    the names when it began. `max_cost` is what the profiles allow it to cost, in US dollars.
    """

    choice: PlayerNames
    max_cost: PositiveFloat | None = None
    sources: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    contents: dict[str, str] = {}


class Batch(Value):
    """Cases times repeats, and who plays them. Its status is derived from what is stored, never written down.

    `id` is a ULID: batches sort by the time they were made. `rubrics` are what the judge is asked about every
    conversation, `case_rubrics` what it is asked about those whose case names them by their hash. With `selected`,
    only the conversations with these ids are planned. What was not run here, such as logs of production, has no
    `origin`. `prompts` has the hashes of what its players are told, by name.
    """

    id: str
    created: datetime
    who: Players
    cases: tuple[Case, ...]
    name: str = ""
    seed: NonNegativeInt = 0
    repeats: PositiveInt = 1
    tags: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    case_rubrics: tuple[Rubric, ...] = ()
    selected: tuple[str, ...] = ()
    origin: BatchInputs | None = None
    prompts: dict[str, str] = {}

    def asked(self, case: Case) -> tuple[Rubric, ...]:
        """What the judge is asked about a case, each once."""
        own = (rubric for rubric in self.case_rubrics if rubric.hash in case.rubrics)
        return tuple({rubric.hash: rubric for rubric in (*self.rubrics, *own)}.values())

    @property
    def planned(self) -> int:
        """How many conversations it holds when nothing is missing."""
        return len(self.selected) or len(self.cases) * self.repeats

    def ids(self) -> dict[str, str]:
        """The ids of all conversations it plans, each with the id of its case."""
        numbers = range(1, self.repeats + 1)
        ids = {(case.id if n == 1 else f"{case.id}#{n}"): case.id for n in numbers for case in self.cases}
        return ids if not self.selected else {id: ids[id] for id in self.selected if id in ids}


class BatchExecution(Value):
    """When the playing of a batch was begun, ended, cancelled or given up; who plays is the batch's own `origin`.

    `served` batches are a server's: it goes on with them by itself when it starts anew. `prompt_version` is a label
    that whoever launched the batch gave it. `hidden` says that something in its cases was hidden before it was stored,
    so that they cannot be played again. `retrying` says that what does not count is held again. `stopped` is the
    limit at which it stopped, in words, and `error` why it could not be played to its end.
    """

    batch: str
    served: bool = False
    prompt_version: str = ""
    hidden: bool = False
    retrying: bool = False
    started: datetime | None = None
    ended: datetime | None = None
    cancelled: bool = False
    stopped: str = ""
    error: str = ""

    @property
    def under_way(self) -> bool:
        """Whether nobody has said that the playing came to an end."""
        return self.ended is None and not self.cancelled and not self.error

    @model_validator(mode="before")
    @classmethod
    def _of_schema_2(cls, kept: object) -> object:
        """A job once held the choice of players, too."""
        return {name: value for name, value in kept.items() if name != "choice"} if isinstance(kept, dict) else kept


class Progress(Value):
    """How far a batch is: how many conversations it plans, and how many of those that are stored ended how."""

    planned: NonNegativeInt
    endings: dict[Ending | None, NonNegativeInt] = {}

    @property
    def stored(self) -> int:
        return sum(self.endings.values())

    @property
    def left(self) -> int:
        return max(0, self.planned - self.stored)
