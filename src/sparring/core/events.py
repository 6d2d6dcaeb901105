"""Events of a run as values. Progress bars, live pages and logs subscribe to them."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.value import Value
from sparring.core.verdict import Verdict


class BatchStarted(Value):
    """A batch has started or resumed.

    `stored` conversations already existed; `again` of them are void and are retried.
    """

    event: Literal["batch_started"] = "batch_started"
    batch: Batch
    stored: NonNegativeInt = 0
    again: NonNegativeInt = 0


class ConversationStarted(Value):
    """A conversation is about to start."""

    event: Literal["conversation_started"] = "conversation_started"
    conversation: str


class MessageSaid(Value):
    """The user or the chatbot sent a message."""

    event: Literal["message_said"] = "message_said"
    conversation: str
    message: Message


class CallRetried(Value):
    """An attempt of a model call failed; the next attempt follows after `wait` seconds.

    `status` is the HTTP status of the failed attempt, if there was one.
    """

    event: Literal["call_retried"] = "call_retried"
    model: str
    attempt: PositiveInt
    status: int | None = None
    reason: str
    wait: NonNegativeFloat


class ModelPaused(Value):
    """Calls to a model are paused for `seconds`; afterwards at most `at_once` run concurrently.

    Concurrency recovers after a series of successful calls. A `reason` means that Sparring, not the provider, imposed
    the pause.
    """

    event: Literal["model_paused"] = "model_paused"
    model: str
    reason: str = ""
    seconds: NonNegativeFloat
    at_once: PositiveInt | None = None


class ConversationEnded(Value):
    """A conversation has ended and is stored."""

    event: Literal["conversation_ended"] = "conversation_ended"
    conversation: Conversation


class VerdictGiven(Value):
    """A judge gave a verdict on a finished conversation."""

    event: Literal["verdict_given"] = "verdict_given"
    verdict: Verdict


class BatchFinished(Value):
    """A batch has stopped running.

    Every planned conversation is either stored, cancelled while running (and not stored), or not run. `reason` explains
    conversations that were not run, unless a user stopped the batch. The batch has `failed` if the chatbot or a model
    answers no more.
    """

    event: Literal["batch_finished"] = "batch_finished"
    batch: str
    stored: NonNegativeInt
    not_run: NonNegativeInt
    cancelled: NonNegativeInt = 0
    reason: str = ""
    failed: bool = False


Event = Annotated[
    BatchStarted
    | ConversationStarted
    | MessageSaid
    | CallRetried
    | ModelPaused
    | ConversationEnded
    | VerdictGiven
    | BatchFinished,
    Field(discriminator="event"),
]
