"""What happens during a run, as values: progress bars, live pages and logs are listeners of one kind."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.value import Value
from sparring.core.verdict import Verdict


class BatchStarted(Value):
    """A batch begins, or goes on; `stored` conversations of it were there already, and of these `again` are played
    again, because they did not count."""

    event: Literal["batch_started"] = "batch_started"
    batch: Batch
    stored: NonNegativeInt = 0
    again: NonNegativeInt = 0


class ConversationStarted(Value):
    """The first words are about to be spoken."""

    event: Literal["conversation_started"] = "conversation_started"
    conversation: str


class MessageSaid(Value):
    """One side said something."""

    event: Literal["message_said"] = "message_said"
    conversation: str
    message: Message


class CallRetried(Value):
    """An attempt at a call of a model failed, with this HTTP status if there was one, and another is made after `wait`
    seconds."""

    event: Literal["call_retried"] = "call_retried"
    model: str
    attempt: PositiveInt
    status: int | None = None
    reason: str
    wait: NonNegativeFloat


class ModelPaused(Value):
    """A provider asks for a pause: nobody asks this model for some seconds, and then at most `at_once` do at a time,
    until it has answered well for a while. Or it is our own doing, for a `reason`."""

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
    """A judge has said what it thinks of a conversation that has ended."""

    event: Literal["verdict_given"] = "verdict_given"
    verdict: Verdict


class BatchFinished(Value):
    """Nothing is running any more. Every planned conversation is one of three: stored, cancelled while it was under way
    (nothing of it is kept), or not run. `reason` says why some were not, unless somebody stopped it.
    """

    event: Literal["batch_finished"] = "batch_finished"
    batch: str
    stored: NonNegativeInt
    not_run: NonNegativeInt
    cancelled: NonNegativeInt = 0
    reason: str = ""


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
