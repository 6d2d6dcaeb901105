"""A batch, its players and its execution state.

Values only: the runner executes batches, the store keeps them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from sparring.core.audit import AuditMode
from sparring.core.case import Case
from sparring.core.checks import Crash, Rubric, Rule, Unit
from sparring.core.conversation import Ending
from sparring.core.usage import Budget
from sparring.core.value import Value
from sparring.statistics.estimates import Claim

NO_JUDGE = "none"
"""The name that selects no judge."""

THE_REQUEST = "the request"
"""Name of cases that came with a request, in the contents of a batch."""

_REPLAYS = 10
"""Replayed conversations needed before a chatbot counts as deterministic."""

IMPORTED = "imported"
"""The player of both sides in logs of real conversations."""

IMPORT_INTERRUPTED = "the import was interrupted"
"""The error of a batch of logs until all of them are stored."""


@dataclass(frozen=True)
class PlayerNames:
    """Players of a batch as users name them, with the model resolved for each role."""

    chatbot: str
    chatbot_model: str
    user: str
    reader: str = "patterns"
    temperature: float | None = None
    """Temperature of the model that plays the user. None: the default of that model."""
    judge: str = "checklist"
    prompts: str = ""
    """Hash of the prompt version that replaces the chatbot's own prompts; empty if none does."""
    user_prompts: str = ""
    """Hash of the prompt version of the simulated user; empty for the bundled one."""


Decides = Literal["latest", "median", "majority", "human"]
"""The judgement that decides if there are several: the latest, the median, the majority, or only a person's."""

_PANEL = " + "


def panel(*judges: str) -> str:
    """Return the name of a panel of judges."""
    return _PANEL.join(dict.fromkeys(judges))


def judges_of(name: str) -> tuple[str, ...]:
    """Return the names of the judges of a panel, or of one judge."""
    return tuple(name.split(_PANEL))


class Players(Value):
    """Players of a batch, as reports name them. Scores of different judges are never mixed.

    `judge` may be a panel of several, and `decides` says which of their judgements on a conversation decides it.
    `prompts` holds the short hashes of the prompts of the chatbot's model.
    """

    chatbot: str
    chatbot_model: str = ""
    user: str
    reader: str = "patterns"
    judge: str = ""
    decides: Decides = Field("latest", exclude_if=lambda decides: decides == "latest")
    prompts: str = ""

    def __str__(self) -> str:
        known = ", ".join(filter(None, [self.chatbot_model, self.prompts and f"prompts {self.prompts}"]))
        chatbot = f"{self.chatbot} ({known})" if known else self.chatbot
        parts = [f"user: {self.user}", f"chatbot: {chatbot}"]
        if self.reader != "patterns":
            parts.append(f"reader: {self.reader}")
        if self.judge:
            decides = "" if self.decides == "latest" else f" (decides: {self.decides})"
            parts.append(f"judge: {self.judge}{decides}")
        return " · ".join(parts)


def short_version(hash: str) -> str:
    """Return the digits of a SHA-256 by which people name it."""
    return hash[:12]


class BatchInputs(Value):
    """Inputs of a batch by name, so that it can be resumed and changes can be detected.

    `sources` are the files and folders the cases were loaded from. `others` are files that these refer to or that were
    passed with them (personalities, rules, rubrics). `contents` maps each of them, and every other input, to its
    SHA-256 at the start. `budget` has the limits that the profiles or the launch request set.
    """

    choice: PlayerNames
    budget: Budget = Budget()
    sources: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    contents: dict[str, str] = {}

    @property
    def datasets(self) -> dict[str, str]:
        """Versions of the files and folders of cases, and of cases that came with a request."""
        named = (*self.sources, *(() if self.sources else (THE_REQUEST,)))
        return {name: short_version(self.contents[name]) for name in named if name in self.contents}

    @model_validator(mode="before")
    @classmethod
    def _of_schema_16(cls, kept: object) -> object:
        """Read `max_cost`, the only stored limit up to schema 16."""
        if not isinstance(kept, dict) or "max_cost" not in kept:
            return kept
        known = {name: value for name, value in kept.items() if name != "max_cost"}
        return {"budget": {"cost": kept["max_cost"]}, **known}


class Until(Value):
    """The question that a batch runs for, with as few conversations as decide it.

    The pass rate of these cases, or of cases like these, is above or below `threshold`; with a `baseline`, the id of a
    batch, it fell below that of the baseline, or by less than `margin`. Each answer is wrong with a probability of at
    most 1 - `confidence`, however often the evidence is checked. `limit` is the maximum number of conversations.
    `nights` are further batches that are pooled with the `baseline`. Cases of a scenario count as one case if it is the
    `unit`.
    """

    claim: Claim
    threshold: float
    confidence: float
    margin: float
    baseline: str = ""
    nights: tuple[str, ...] = ()
    unit: Unit = "case"
    limit: PositiveInt


class Batch(Value):
    """Cases times repeats with their players.

    The status is derived from stored data and never stored itself. `id` is a ULID, so batches sort by creation time.
    The judge applies `rubrics` to every conversation and `case_rubrics` to those whose case names them by hash. With
    `selected`, only the conversations with these ids are planned. Imported logs have no `origin`. `prompts` maps player
    names to prompt hashes. `crash` is the outcome of conversations in which the chatbot crashes or hangs, `audit` the
    effect of faults of the simulated user. With `until`, `repeats` is the maximum, and `selected` grows until the
    question is decided.
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
    crash: Crash = "failed"
    audit: AuditMode = "void"
    until: Until | None = Field(None, exclude_if=lambda until: until is None)

    def rubrics_for(self, case: Case) -> tuple[Rubric, ...]:
        """Return the rubrics that apply to a case, without duplicates."""
        own = (rubric for rubric in self.case_rubrics if rubric.hash in case.rubrics)
        return tuple({rubric.hash: rubric for rubric in (*self.rubrics, *own)}.values())

    @property
    def datasets(self) -> dict[str, str]:
        """Versions of what the cases were loaded from; empty if unknown."""
        return self.origin.datasets if self.origin else {}

    @property
    def planned(self) -> int:
        """Number of conversations of the complete batch."""
        return len(self.selected) or len(self.cases) * self.repeats

    def ids(self) -> dict[str, str]:
        """Return the ids of all planned conversations, each with the id of its case."""
        numbers = range(1, self.repeats + 1)
        ids = {(case.id if n == 1 else f"{case.id}#{n}"): case.id for n in numbers for case in self.cases}
        return ids if not self.selected else {id: ids[id] for id in self.selected if id in ids}

    def repeats_by_case(self) -> dict[str, Sequence[int]]:
        """Return the numbers of the planned repeats of each case."""
        if not self.selected:
            return {case.id: range(1, self.repeats + 1) for case in self.cases}
        found: dict[str, list[int]] = {}
        for id, case in self.ids().items():
            found.setdefault(case, []).append(1 if id == case else int(id.rpartition("#")[2]))
        return {**found}


class Replays(Value):
    """Number of conversations replayed with the same seed, and of those with an equal result."""

    held: NonNegativeInt = 0
    equal: NonNegativeInt = 0

    @property
    def show_determinism(self) -> bool:
        """True if enough conversations were replayed, all with equal results."""
        return self.held == self.equal >= _REPLAYS


class BatchExecution(Value):
    """Execution state of a batch: started, ended, cancelled or failed.

    The players are part of the batch's `origin`. The server resumes `served` batches when it restarts. `prompt_version`
    is a label chosen at launch. `hidden` means that data in the cases was redacted before it was stored, so they cannot
    be rerun. `retrying` means that void conversations are retried. `stopped` describes the limit that stopped the
    batch, `error` the failure that ended it early. `replays` counts replayed conversations and equal results. The
    baseline of a series starts at its last `accepted` batch. `callback_url` is notified of the end; `called_back` means
    that it accepted the request.
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
    replays: Replays = Replays()
    accepted: bool = False
    callback_url: str = ""
    called_back: bool = False

    @property
    def owes_callback(self) -> bool:
        """True if the callback address has not accepted the end of the batch yet."""
        return bool(self.callback_url) and self.ended is not None and not self.called_back

    @property
    def is_running(self) -> bool:
        """True until the batch has ended, was cancelled or failed."""
        return self.ended is None and not self.cancelled and not self.error

    @model_validator(mode="before")
    @classmethod
    def _of_schema_2(cls, kept: object) -> object:
        """Drop `choice`, which schema 2 stored here."""
        return {name: value for name, value in kept.items() if name != "choice"} if isinstance(kept, dict) else kept


class Progress(Value):
    """Progress of a batch: numbers of planned, stored and failed conversations."""

    planned: NonNegativeInt
    endings: dict[Ending | None, NonNegativeInt] = {}
    failed: NonNegativeInt = 0

    @property
    def stored(self) -> int:
        return sum(self.endings.values())

    @property
    def left(self) -> int:
        return max(0, self.planned - self.stored)
