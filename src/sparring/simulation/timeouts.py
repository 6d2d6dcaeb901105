"""Time limits of both sides, and the endings after failures.

A failure belongs to the chatbot, to the user's side, or to infrastructure: a provider of models, a recording, or a
chatbot that was never reached.
"""

import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sparring.chatbots.isolation import PluginMisbehaved, guard_exceptions
from sparring.core.case import Case
from sparring.core.clock import Clock, in_seconds
from sparring.core.conversation import Ending
from sparring.core.errors import (
    ChatbotTimeout,
    ChatbotUnreachable,
    InputError,
    ModelError,
    NotRecorded,
    ProviderFailed,
    SparringError,
    UserError,
    UserStuck,
)
from sparring.core.message import Message
from sparring.core.text import visible
from sparring.llm.deadlines import MAX_RETRY_AFTER, ConversationClock
from sparring.llm.redaction import redact
from sparring.simulation.reachability import ChatbotReachability

TURN_SECONDS = 300.0
"""Seconds that user and reader have for their part of a turn, including all model calls."""

_STATUS = re.compile(r"HTTP \d{3}\b")
_READ = 2_000  # characters of a message that are looked through for keys
_QUOTED = 60
"""Characters of a user's message that the reason of a failure quotes."""

T = TypeVar("T")


class Ended(Exception):
    """Ends a conversation from anywhere in it."""

    def __init__(self, ending: Ending, reason: str = "") -> None:
        super().__init__(reason)
        self.ending = ending
        self.reason = reason


@dataclass
class Bounds:
    """Time limits of a conversation that starts now.

    User and reader have `turn_seconds` for their part of a turn; the case limits the chatbot and the conversation.
    """

    case: Case
    turn_seconds: float
    clock: Clock
    waits: ConversationClock
    chatbot: ChatbotReachability

    def __post_init__(self) -> None:
        self.begun = self.clock.monotonic()
        self._whole, self._reply = self.case.limits.seconds, self.case.limits.reply_seconds
        self.waits.wait_left = MAX_RETRY_AFTER if self._whole is None else self._whole

    async def from_chatbot(self, call: Callable[[], Awaitable[T]], said: Message | None = None) -> T:
        """Await the chatbot within its time limit. Failures end the conversation, and quote what was `said`."""
        seconds = min(self._reply, self.seconds_left())
        self.waits.unanswered = 0.0
        try:
            with self.waits.timer.within(seconds) as self.waits.deadline:
                return await guard_exceptions(call())
        except TimeoutError as error:
            raise self._out_of_time(error, seconds, said) from error
        except Exception as error:
            raise Ended(self._chatbots(error), explained(error, said)) from error

    def _out_of_time(self, error: TimeoutError, seconds: float, said: Message | None) -> Ended:
        """Return the ending of a conversation whose chatbot did not reply in time."""
        if not self.late():
            return Ended(Ending.TIMEOUT, explained(error, said))
        all_left = "" if seconds == self._reply else f", all that the conversation had left of {self._whole:g} s"
        reason = f"no reply{_to(said)} within {in_seconds(seconds)}{all_left}"
        if fault := self._provider_fault(seconds):
            return Ended(Ending.INFRASTRUCTURE_FAILED, f"{reason}: the provider of its model {fault}")
        return Ended(Ending.TIMEOUT, reason)

    def _provider_fault(self, seconds: float) -> str:
        """Return what the provider of a model did if it used up the time of a side, else an empty text."""
        if self.waits.retrying:
            return "kept failing"
        return "did not answer" if 0 < seconds / 2 <= self.waits.unanswered else ""

    def _chatbots(self, error: Exception) -> Ending:
        """Return the ending that an error on the chatbot's side leads to."""
        match error:
            case ChatbotUnreachable():
                return self.chatbot.unreachable(error)
            case NotRecorded() | ProviderFailed():
                return Ending.INFRASTRUCTURE_FAILED
            case ModelError() if error.infrastructure:
                return Ending.INFRASTRUCTURE_FAILED
            case ChatbotTimeout():
                return Ending.TIMEOUT
        self.chatbot.answered()
        return Ending.CHATBOT_FAILED

    async def from_script(self, call: Callable[[], Awaitable[None]]) -> None:
        """Await a step of a script. If the chatbot rejects it, the script is to blame."""
        try:
            await self.from_chatbot(call)
        except Ended as end:
            if isinstance(end.__cause__, InputError):
                raise Ended(Ending.USER_FAILED, f"the script: {end.__cause__}") from end.__cause__
            raise

    async def from_user(self, call: Callable[[], Awaitable[T]]) -> T:
        """Await the user. Its failures make the conversation void."""
        return await self._ours(call, Ending.USER_FAILED, "the user's side")

    async def from_reader(self, call: Callable[[], Awaitable[T]]) -> T:
        """Await the reader. Its failures make the conversation void, too, but the user is not to blame."""
        try:
            return await self._ours(call, Ending.INFRASTRUCTURE_FAILED, "the reader's side")
        except Ended as end:
            raise Ended(Ending.INFRASTRUCTURE_FAILED, f"the reader failed: {end.reason}") from end.__cause__

    async def _ours(self, call: Callable[[], Awaitable[T]], failed: Ending, side: str) -> T:
        """Await a player of Sparring's own `side`. The conversation has `failed` if the player does."""
        seconds = min(self.turn_seconds, self.seconds_left())
        self.waits.unanswered = 0.0
        try:
            with self.waits.timer.within(seconds) as self.waits.deadline:
                return await guard_exceptions(call())
        except TimeoutError as error:
            ran_out = f"the time for the conversation ran out on {side}"
            reason = f"no word within {in_seconds(seconds)}" if seconds == self.turn_seconds else ran_out
            if not self.late():
                raise Ended(failed, named(error)) from error
            if fault := self._provider_fault(seconds):
                failed, reason = Ending.INFRASTRUCTURE_FAILED, f"{reason}: the provider of its model {fault}"
            raise Ended(failed, reason) from error
        except UserStuck as error:
            raise Ended(Ending.USER_STUCK, str(error)) from error
        except (UserError, ModelError, NotRecorded) as error:
            ours = isinstance(error, NotRecorded) or (isinstance(error, ModelError) and error.infrastructure)
            raise Ended(Ending.INFRASTRUCTURE_FAILED if ours else failed, str(error)) from error
        except Exception as error:
            raise Ended(failed, named(error)) from error

    def late(self) -> bool:
        """Return True if the deadline of this side has passed."""
        return self.waits.deadline is not None and self.waits.deadline.expired

    def talking(self) -> float:
        """Return the time, without the time that calls waited for their turn."""
        return self.clock.monotonic() - self.waits.waited

    def seconds_left(self) -> float:
        whole = self._whole
        return math.inf if whole is None else max(0.0, whole - (self.talking() - self.begun))


def named(error: Exception) -> str:
    """Return an error in one line with its type."""
    return str(error) if isinstance(error, PluginMisbehaved) else f"{type(error).__name__}: {error}".splitlines()[0]


def explained(error: Exception, said: Message | None) -> str:
    """Return the reason of a failure of the chatbot, with the user's message that it failed at."""
    reason = str(error) if isinstance(error, SparringError) else named(error)
    if said is None:
        return reason
    status = _STATUS.match(reason)
    return f"{status[0]}{_to(said)}{reason[status.end() :]}" if status else f"{reason} (in reply{_to(said)})"


def _to(said: Message | None) -> str:
    """Return ` to '...'` with the first words of a message, without control characters or keys."""
    if said is None:
        return ""
    text = visible(redact(said.text[:_READ]).strip())
    return f" to '{text if len(text) <= _QUOTED else text[: _QUOTED - 1] + '…'}'"
