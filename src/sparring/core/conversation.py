"""What was observed when a case was played."""

from collections import Counter
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.case import Case
from sparring.core.message import Message
from sparring.core.usage import Call, Usage
from sparring.core.value import Json, Value

Source = Literal["scenario", "webhook", "default", "sparring"]
"""Where a variable came from; the name of a session may be Sparring's own."""


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


class ExtractionSnapshot(Value):
    """What had been read when there were so many messages."""

    messages: NonNegativeInt
    goals: tuple[GoalProgress, ...] = ()
    outputs: tuple[Output, ...] = ()


class Timing(Value):
    """Measured times; the only part of a conversation that differs between equal runs. Seconds, but for `started`.

    `said` is when each message was heard, from `started` on; what is history has no time. `waited` is how long calls
    waited for their turn, because models have limits: it is in `seconds`, but not in `replies`. `calls` is how long
    each call of a model took without that, None where nobody knows; there are as many as the conversation has calls.
    `retries` is how often a call was made again: attempts that may have to be paid for count as calls besides, others
    do not. `attempt` counts how often the conversation was held: one that did not count may be replaced by another.
    """

    started: datetime
    seconds: NonNegativeFloat
    replies: tuple[NonNegativeFloat, ...] = ()
    said: tuple[NonNegativeFloat, ...] = ()
    calls: tuple[NonNegativeFloat | None, ...] = ()
    waited: NonNegativeFloat = 0.0
    retries: NonNegativeInt = 0
    attempt: PositiveInt = 1


class Conversation(Value):
    """A case as it was played: who said what, why it ended, which goals were answered, and what it took.

    `usage` is by role (`user`, `chatbot`, `reader`), and `calls` are the same call by call, as they were made.
    `reports_tools` says whether the chatbot's tool calls are visible at all: where they are not, their absence means
    nothing. `moments` are what was read on the way, exchange by exchange, where something is expected after a step of
    the script. `provenance` says where each variable came from, if a webhook was asked about the case.
    """

    case: Case
    repeat: PositiveInt = 1
    messages: tuple[Message, ...] = ()
    ending: Ending | None = None
    error: str = ""
    goals: tuple[GoalProgress, ...] = ()
    outputs: tuple[Output, ...] = ()
    moments: tuple[ExtractionSnapshot, ...] = ()
    reports_tools: bool = False
    warnings: tuple[str, ...] = ()
    provenance: dict[str, Source] = {}
    usage: dict[str, Usage] = {}
    calls: tuple[Call, ...] = ()
    timing: Timing | None = None

    @property
    def id(self) -> str:
        """The case's id, with `#n` for its n-th repeat."""
        return conversation_id(self.case.id, self.repeat)

    @property
    def turns(self) -> int:
        """How often the user spoke, beyond the history that the case brought along."""
        return sum(message.role == "user" for message in self.messages[len(self.case.history) :])

    @property
    def mute(self) -> bool:
        """Whether the chatbot was asked, and never said or did anything."""
        asked = False
        for each in self.messages[len(self.case.history) :]:
            if each.role == "chatbot" and not each.injected:
                if not each.silent:
                    return False
                asked = True
        return asked

    @property
    def idle_stubs(self) -> tuple[str, ...]:
        """The tools whose results the script was to replace, once for each time that it did not."""
        planned = Counter(step.name for step in self.case.script if step.kind == "inject_tool" and step.mode == "stub")
        if not planned:
            return ()
        used = Counter(call.name for message in self.messages for call in message.tool_calls if call.stubbed)
        return tuple((planned - used).elements())

    def said(self, message: Message) -> "Conversation":
        """The conversation with one message more."""
        fields = self.__dict__
        return self.unchecked({**fields, "messages": (*fields["messages"], message)})

    def after(self, step: int) -> "Conversation | None":
        """The conversation as it was after this step of its script, counted from 1; None if it never got there.

        What was consumed and how long it took are still those of the whole conversation.
        """
        length = self._length_after(step)
        if length is None or length == len(self.messages):
            return None if length is None else self
        read = next(
            (moment for moment in reversed(self.moments) if moment.messages <= length), ExtractionSnapshot(messages=0)
        )
        replies = sum(message.role == "user" for message in self.messages[len(self.case.history) : length])
        timing = self.timing and self.timing.model_copy(update={"replies": self.timing.replies[:replies]})
        return self.model_copy(
            update={
                "messages": self.messages[:length],
                "goals": read.goals or tuple(GoalProgress(text=goal.text) for goal in self.goals),
                "outputs": read.outputs or tuple(Output(name=each.name, type=each.type) for each in self.outputs),
                "ending": None,
                "error": "",
                "timing": timing,
            }
        )

    def _length_after(self, step: int) -> int | None:
        """How many messages there were after a step, if it was taken: a line is one with the reply to it."""
        messages, at = self.messages, len(self.case.history)
        while at < len(messages) and messages[at].role == "chatbot" and not messages[at].injected:
            at += 1  # the chatbot's greeting
        for taken in self.case.script[:step]:
            if taken.kind == "inject_tool" and taken.mode == "stub":
                continue
            if at == len(messages) or messages[at].injected is (taken.kind == "say"):
                return None
            at += 1
            if taken.kind == "say":
                if at == len(messages) or messages[at].injected:
                    return None  # the chatbot never replied
                at += 1
        return at


def conversation_id(case: str, repeat: int) -> str:
    """How the n-th conversation about a case is called."""
    return case if repeat == 1 else f"{case}#{repeat}"
