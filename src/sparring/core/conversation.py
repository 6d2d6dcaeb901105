"""What was observed when a case was played."""

from datetime import datetime
from enum import StrEnum

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.case import Case
from sparring.core.message import Message
from sparring.core.usage import Usage
from sparring.core.value import Json, Value


class Ending(StrEnum):
    """Why a conversation stopped."""

    GOALS_ANSWERED = "goals_answered"
    USER_DONE = "user_done"
    CHATBOT_DONE = "chatbot_done"
    TURN_LIMIT = "turn_limit"
    GAVE_UP = "gave_up"
    TIMEOUT = "timeout"
    CHATBOT_FAILED = "chatbot_failed"
    USER_STUCK = "user_stuck"
    USER_FAILED = "user_failed"

    @property
    def counts(self) -> bool:
        """Whether the conversation says something about how well the chatbot did."""
        return self not in _DOES_NOT_COUNT

    @property
    def void(self) -> bool:
        """Whether it failed on our side, and so belongs in no rate at all."""
        return self in (Ending.USER_STUCK, Ending.USER_FAILED)

    @property
    def status(self) -> str:
        """The documented REST status: completed, timeout or failed."""
        if self.counts:
            return "completed"
        return "timeout" if self is Ending.TIMEOUT else "failed"


_DOES_NOT_COUNT = {Ending.TIMEOUT, Ending.CHATBOT_FAILED, Ending.USER_STUCK, Ending.USER_FAILED}


class Evidence(Value):
    """The words that show something: which message (counted from 0), from where to where in its text, and the words."""

    at: NonNegativeInt
    start: NonNegativeInt
    end: NonNegativeInt
    text: str


class GoalProgress(Value):
    """What became of a goal: the message (counted from 0) that asked for it, and the words that answered it."""

    text: str
    asked_at: NonNegativeInt | None = None
    answered: Evidence | None = None


class Output(Value):
    """A value read out of what the chatbot said. Without evidence it was not stated, which is not the same as null."""

    name: str
    type: str = "string"
    value: Json = None
    evidence: Evidence | None = None


class Timing(Value):
    """Measured times; the only part of a conversation that differs between equal runs. Seconds, but for `started`."""

    started: datetime
    seconds: NonNegativeFloat
    replies: tuple[NonNegativeFloat, ...] = ()


class Conversation(Value):
    """A case as it was played: who said what, why it ended, which goals were answered, and what it took.

    `usage` is by role (`user`, `chatbot`, `reader`). `reports_tools` says whether the chatbot's tool calls are visible
    at all: where they are not, their absence means nothing.
    """

    case: Case
    repeat: PositiveInt = 1
    messages: tuple[Message, ...] = ()
    ending: Ending | None = None
    error: str = ""
    goals: tuple[GoalProgress, ...] = ()
    outputs: tuple[Output, ...] = ()
    reports_tools: bool = False
    warnings: tuple[str, ...] = ()
    usage: dict[str, Usage] = {}
    timing: Timing | None = None

    @property
    def id(self) -> str:
        """The case's id, with `#n` for its n-th repeat."""
        return self.case.id if self.repeat == 1 else f"{self.case.id}#{self.repeat}"

    @property
    def turns(self) -> int:
        """How often the user spoke, beyond the history that the case brought along."""
        return sum(message.role == "user" for message in self.messages[len(self.case.history) :])

    def said(self, message: Message) -> "Conversation":
        """The conversation with one message more."""
        return self.model_copy(update={"messages": (*self.messages, message)})
