"""Request and response bodies of the REST service. Result rows and states of batches: `reports.service_results`."""

from datetime import datetime
from typing import Literal

from pydantic import NonNegativeInt

from sparring.core.conversation import Conversation
from sparring.core.value import Value
from sparring.core.verdict import Verdict
from sparring.reports.service_results import BatchStatus, Result, Status


class LaunchResponse(Value):
    """A batch that was taken on."""

    batch_id: str
    status: Literal["launched"] = "launched"
    total_scenarios: NonNegativeInt
    prompt_version: str = ""
    chatbot: str = ""
    seed: NonNegativeInt = 0


class BatchList(Value):
    """Batches, the newest first; `next` is the `before` of the page that follows, if there is one."""

    batches: tuple[BatchStatus, ...]
    total_count: NonNegativeInt
    next: str | None = None


class Results(Value):
    """What became of every scenario of a batch."""

    batch_id: str
    results: tuple[Result, ...]
    total_results: NonNegativeInt


class ConversationPage(Value):
    """Conversations, in the order of the scenarios; `next` is the `after` of the page that follows, if there is one."""

    conversations: tuple[Result, ...]
    next: str | None = None


class ConversationDetail(Value):
    """One conversation: what became of it, what was said, what was found, and all that is kept of it."""

    result: Result
    verdicts: tuple[Verdict, ...]
    conversation: Conversation


class Problem(Value):
    """One thing that is wrong with a request."""

    path: str = ""
    line: int | None = None
    column: int | None = None
    message: str
    hint: str = ""


class Error(Value):
    """Why a request was not answered; `problems` lists everything that is wrong with what was sent."""

    error: str
    hint: str | None = None
    current_status: Status | None = None
    problems: tuple[Problem, ...] = ()

    def answer(self) -> bytes:
        """The body of the answer: what there is to say, and no more."""
        return self.model_dump_json(exclude_defaults=True).encode(errors="replace")


class Health(Value):
    """Whether the service can work."""

    status: Literal["healthy", "unhealthy"]
    service: str
    version: str
    timestamp: datetime
    error: str | None = None
