"""A case as it was run: messages, ending, extraction, usage and timing."""

from collections import Counter
from datetime import datetime
from enum import StrEnum
from operator import not_
from typing import Any, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from sparring.core.case import Case
from sparring.core.message import Message
from sparring.core.state import StateRecord
from sparring.core.usage import ModelCall, Usage
from sparring.core.value import Json, Value

Source = Literal["scenario", "webhook", "default", "sparring"]
"""Origin of a variable's value; `sparring` generates only session names."""


class Ending(StrEnum):
    """Reason why a conversation stopped."""

    GOALS_ANSWERED = "goals_answered"
    USER_DONE = "user_done"
    CHATBOT_DONE = "chatbot_done"
    TURN_LIMIT = "turn_limit"
    GAVE_UP = "gave_up"
    TIMEOUT = "timeout"
    CHATBOT_FAILED = "chatbot_failed"
    USER_STUCK = "user_stuck"
    USER_FAILED = "user_failed"
    INFRASTRUCTURE_FAILED = "infrastructure_failed"

    @property
    def completed(self) -> bool:
        """True if the conversation came to an end of its own, so that judges are asked about it."""
        return not (self.crashed or self.void)

    @property
    def crashed(self) -> bool:
        """True if the chatbot crashed, hung or broke its protocol."""
        return self in _CRASHED

    @property
    def void(self) -> bool:
        """True if Sparring's side failed, so that the conversation says nothing about the chatbot."""
        return self in _VOID

    @property
    def status(self) -> str:
        """Documented REST status: completed, timeout or failed."""
        if self.completed:
            return "completed"
        return "timeout" if self is Ending.TIMEOUT else "failed"


_CRASHED = {Ending.TIMEOUT, Ending.CHATBOT_FAILED}
_VOID = {Ending.USER_STUCK, Ending.USER_FAILED, Ending.INFRASTRUCTURE_FAILED}


class Evidence(Value):
    """A quote: the index of its message (from 0), its span in the message text, and the text."""

    at: NonNegativeInt
    start: NonNegativeInt
    end: NonNegativeInt
    text: str


class GoalStage(StrEnum):
    """State of a goal. `unread` means that the reader could not tell what became of it."""

    NOT_ASKED = "not_asked"
    ASKED = "asked"
    PROPOSED = "proposed"
    DONE = "done"
    REFUSED = "refused"
    CONTRADICTED = "contradicted"
    UNREAD = "unread"


class GoalProgress(Value):
    """Stage of a goal, the quote that shows it, and the index of the message that asked for it, from 0."""

    text: str
    asked_at: NonNegativeInt | None = None
    stage: GoalStage = GoalStage.NOT_ASKED
    evidence: Evidence | None = None

    @property
    def answered(self) -> Evidence | None:
        """The quote with which the chatbot answered the goal or did what was asked for; None before."""
        return self.evidence if self.stage is GoalStage.DONE else None

    @model_validator(mode="before")
    @classmethod
    def _accept_earlier_form(cls, fields: Any) -> Any:
        """Accept records without stages, in which `answered` is the quote."""
        if not isinstance(fields, dict) or "stage" in fields:
            return fields
        known = {name: value for name, value in fields.items() if name != "answered"}
        if fields.get("answered") is not None:
            return {**known, "stage": GoalStage.DONE, "evidence": fields["answered"]}
        return {**known, "stage": GoalStage.NOT_ASKED if fields.get("asked_at") is None else GoalStage.ASKED}


def goal_progress(text: str, asked_at: int | None, answered: Evidence | None) -> GoalProgress:
    """Return the progress of a goal that was answered with a quote, or was asked for, or neither."""
    asked = GoalStage.NOT_ASKED if asked_at is None else GoalStage.ASKED
    return GoalProgress(text=text, asked_at=asked_at, stage=GoalStage.DONE if answered else asked, evidence=answered)


class Output(Value):
    """A value extracted from replies. Without evidence it was not stated, which differs from null."""

    name: str
    type: str = "string"
    value: Json = None
    evidence: Evidence | None = None


class ExtractionSnapshot(Value):
    """Goals and outputs extracted from the first `messages` messages."""

    messages: NonNegativeInt
    goals: tuple[GoalProgress, ...] = ()
    outputs: tuple[Output, ...] = ()


class Timing(Value):
    """Measured times in seconds. Only these differ between identical runs.

    `first_tokens` has the time from a message to the first token of its streamed reply, None for others. `said` has the
    offset of each message from `started`; messages of the history have none. `waited` is time spent
    waiting for rate limits: it is part of `seconds`, but not of `replies`. `calls` holds the duration of each model
    call without that waiting, None if unknown, in the order of the conversation's `calls`. `retries` counts repeated
    attempts. `attempt` counts runs of the conversation: a void run may be replaced by a retry. `traces` has the trace
    id that each turn sent to the chatbot, if it sent one.
    """

    started: datetime
    seconds: NonNegativeFloat
    replies: tuple[NonNegativeFloat, ...] = ()
    first_tokens: tuple[NonNegativeFloat | None, ...] = Field((), exclude_if=not_)
    said: tuple[NonNegativeFloat, ...] = ()
    calls: tuple[NonNegativeFloat | None, ...] = ()
    waited: NonNegativeFloat = 0.0
    retries: NonNegativeInt = 0
    attempt: PositiveInt = 1
    traces: tuple[str, ...] = Field((), exclude_if=not_)


Reaction = Literal["retried", "other_way", "lied", "admitted", "asked", "silent"]


class Recovery(Value):
    """The reaction of a chatbot to a fault of a tool, which came in message `at`.

    It retried until the call succeeded, found the same in another way, lied about it, admitted it, asked the user, or
    kept silent. With `risked_twice`, it repeated a write that had timed out and may have been done.
    """

    tool: str
    fails: str
    at: NonNegativeInt
    reaction: Reaction
    risked_twice: bool = False


_ONLY_WHOLE = "the state is read at the start and at the end of a conversation, not between its steps"


class Conversation(Value):
    """A case as it was run: messages, ending, answered goals, extracted outputs and usage.

    `usage` is by role (`user`, `chatbot`, `reader`); `calls` lists the same usage by call, in order. With
    `reports_tools` False, missing tool calls mean nothing, because the chatbot does not report them. `tools` are its
    known tools, each with the first line of its description. `settled` maps variables to the alternatives that the user
    took because the chatbot did not have their values. `state` is None if the chatbot does not show its state.
    `recoveries` are the chatbot's reactions to faults of its tools. `moments` holds
    extraction snapshots turn by turn, for expectations after a script step. `provenance` maps each variable to its
    source if a webhook was called.
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
    tools: dict[str, str] = {}
    settled: dict[str, str] = Field({}, exclude_if=not_)
    state: StateRecord | None = None
    recoveries: tuple[Recovery, ...] = Field((), exclude_if=not_)
    warnings: tuple[str, ...] = ()
    provenance: dict[str, Source] = {}
    usage: dict[str, Usage] = {}
    calls: tuple[ModelCall, ...] = ()
    timing: Timing | None = None

    @property
    def id(self) -> str:
        """Id of the case, with `#n` for its n-th repeat."""
        return conversation_id(self.case.id, self.repeat)

    @property
    def consumed(self) -> Usage:
        """Usage of all roles together."""
        return sum(self.usage.values(), Usage())

    @property
    def ending_words(self) -> str:
        """The ending in words."""
        return str(self.ending or "did not end").replace("_", " ")

    @property
    def turns(self) -> int:
        """Number of user messages after the history of the case."""
        return sum(message.role == "user" for message in self.messages[len(self.case.history) :])

    @property
    def mute(self) -> bool:
        """True if the chatbot was called but every reply was empty."""
        asked = False
        for each in self.messages[len(self.case.history) :]:
            if each.role == "chatbot" and not each.injected:
                if not each.silent:
                    return False
                asked = True
        return asked

    @property
    def unused_stubs(self) -> tuple[str, ...]:
        """Tools with a stub in the script that was never used, once for each unused stub."""
        planned = Counter(step.name for step in self.case.script if step.kind == "inject_tool" and step.mode == "stub")
        if not planned:
            return ()
        used = Counter(call.name for message in self.messages for call in message.tool_calls if call.stubbed)
        return tuple((planned - used).elements())

    def turn_of(self, at: int) -> int:
        """Return the turn of message `at`, which is the number of user messages up to it, without the history."""
        return sum(each.role == "user" for each in self.messages[len(self.case.history) : at + 1])

    def with_message(self, message: Message) -> "Conversation":
        """Return the conversation with one more message."""
        fields = self.__dict__
        return self.unchecked({**fields, "messages": (*fields["messages"], message)})

    def after_step(self, step: int) -> "Conversation | None":
        """Return the conversation as of script step `step` (from 1), or None if it never got there.

        Usage and times other than `replies` remain those of the whole conversation.
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
                "state": self.state and StateRecord(unread={"start": _ONLY_WHOLE, "end": _ONLY_WHOLE}),
                "timing": timing,
            }
        )

    def _length_after(self, step: int) -> int | None:
        """Return the number of messages after a script step, or None if the step was not taken.

        A scripted line counts as two messages: the line and the reply to it.
        """
        messages, at = self.messages, len(self.case.history)
        while at < len(messages) and messages[at].role == "chatbot" and not messages[at].injected:
            at += 1  # the chatbot's greeting
        for each in self.case.script[:step]:
            if each.kind == "inject_tool" and each.mode == "stub":
                continue
            if at == len(messages) or messages[at].injected is (each.kind == "say"):
                return None
            at += 1
            if each.kind == "say":
                if at == len(messages) or messages[at].injected:
                    return None  # the chatbot never replied
                at += 1
        return at


def conversation_id(case: str, repeat: int) -> str:
    """Return the id of the n-th conversation of a case."""
    return case if repeat == 1 else f"{case}#{repeat}"
